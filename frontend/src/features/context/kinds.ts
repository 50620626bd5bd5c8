import type { preview } from '$lib/backend/backend'
import { t } from '$lib/language/language'

/** A kind of context, as shown by the meter and its legend. */
export interface Kind {
  kind: string
  name: string
  /** A short description. */
  says: string
  colour: string
}

const names: Record<string, { name: string; says: string }> = {
  tools: { name: t`Tools`, says: t`Definitions of the tools that the model may call` },
  system: { name: t`System`, says: t`The system message: who the agent is, where it works, when` },
  role: { name: t`Kind`, says: t`What the agent’s kind adds to the system message` },
  skills: { name: t`Skills`, says: t`Names and descriptions of the skills that the agent can use` },
  history: { name: t`History`, says: t`Earlier prompts, answers, calls and their results` },
  prompt: { name: t`Prompt`, says: t`The text of the prompt` },
  rules: { name: t`Rules`, says: t`Rules of the folder` },
  files: { name: t`Files`, says: t`Files and folders that prompts refer to` },
  resources: { name: t`Resources`, says: t`What MCP servers gave for references of prompts` },
  results: { name: t`Tool results`, says: t`Results of tools that ran beforehand` },
  images: { name: t`Images`, says: t`Images of prompts and of tools` },
  documents: { name: t`Documents`, says: t`PDF documents of prompts and of tools` },
  frame: { name: t`Frame`, says: t`The block around rules, files and tool results` },
}

/** Every kind in the fixed order of the meter, so that the legend does not move. */
export const kinds: readonly Kind[] = Object.entries(names).map(([kind, { name, says }]) => ({
  kind,
  name,
  says,
  colour: `var(--part-${kind})`,
}))

/** A part of the meter's bar, in percent of its width. */
export interface BarPart extends Kind {
  tokens: number
  percent: number
}

/** The meter of a request against the model's context. A request that is too large, or a model of unknown size, fills the bar. */
export function barParts(view: Pick<preview.Context, 'tokens' | 'window' | 'kinds'>): BarPart[] {
  const tokens = new Map(view.kinds.map((k) => [k.kind, k.tokens]))
  const sum = view.kinds.reduce((n, k) => n + k.tokens, 0)
  const whole = Math.max(view.window || sum, sum, 1)
  return kinds.map((k) => ({ ...k, tokens: tokens.get(k.kind) ?? 0, percent: (100 * (tokens.get(k.kind) ?? 0)) / whole }))
}

/** The n largest parts, in their order. */
export function largest(parts: readonly BarPart[], n: number): BarPart[] {
  const kept = new Set([...parts].sort((a, b) => b.tokens - a.tokens).slice(0, n))
  return parts.filter((p) => kept.has(p))
}

/** Warnings by the part that they appear beside. Warnings without a part, or whose part is not shown, are together. */
export function warningsOf(view: Pick<preview.Context, 'warnings' | 'rules' | 'files' | 'resources' | 'documents'>): {
  of: (part: preview.Part) => preview.Warning[]
  rest: preview.Warning[]
} {
  const shown = new Set([...view.rules, ...view.files, ...view.resources, ...view.documents].map((p) => p.id))
  return {
    of: (part) => whatHelps(view.warnings.filter((w) => w.part === part.id)),
    rest: view.warnings.filter((w) => !w.part || !shown.has(w.part)),
  }
}

/** For a path outside the allowed folders, keeps only the warning that can do something about it. */
function whatHelps(warnings: preview.Warning[]): preview.Warning[] {
  return warnings.some((w) => w.folder) ? warnings.filter((w) => w.folder || !w.outside) : warnings
}

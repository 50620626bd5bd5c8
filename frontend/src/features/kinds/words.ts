import type { kind } from '$lib/backend/backend'
import { sentence } from '$lib/format/sentence'
import type { MenuEntry } from '$lib/ui/menu'
import { comma, t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'

export type Kind = kind.Kind

/** A kind whose lists are never null: Go may write an empty one as null. */
export const whole = (k: Kind): Kind => ({ ...k, tools: k.tools ?? [], rules: k.rules ?? [], children: k.children ?? [] })

const groups: Record<string, string> = {
  read: t`reads files`,
  change: t`changes files`,
  shell: t`runs commands`,
  agents: t`starts and asks other agents`,
}

/** The abilities of a kind, in words: "reads files, runs commands, changes nothing". */
export function mayWords(k: Kind): string {
  const known = Object.keys(groups)
    .filter((g) => k.tools.includes(g))
    .map((g) => groups[g]!)
  const others = k.tools.filter((t) => !Object.hasOwn(groups, t))
  const words = [
    ...known,
    ...(others.length > 0 ? [t`uses ${others.slice(0, 6).join(comma)}${others.length > 6 ? t` and ${others.length - 6} more` : ''}`] : []),
  ]
  if (words.length === 0) words.push(t`uses no tools`)
  if (!k.changes) words.push(t`changes nothing`)
  return words.join(comma)
}

/** Why a kind cannot be chosen; "" if it can. */
export function whyNot(k: Kind): string {
  if (k.inert) return t`Comes from this folder (${k.source}), which is not trusted. Trust the folder to choose it.`
  return ofProgram(k.problem)
}

/** The rows of a menu of kinds; disabled ones say why. */
export function entriesOf(kinds: readonly Kind[], current: string | undefined, choose: (name: string) => void): MenuEntry[] {
  return kinds.map((k) => {
    const why = whyNot(k)
    return {
      label: k.name,
      more: why || [ofProgram(k.description), sentence(mayWords(k))].filter(Boolean).join('\n'),
      detail: [k.model, k.source ? t`this folder` : ''].filter(Boolean).join(' · ') || undefined,
      title: k.source || undefined,
      ...(current === undefined ? {} : { checked: k.name === current && !why }),
      disabled: Boolean(why),
      run: () => choose(k.name),
    }
  })
}

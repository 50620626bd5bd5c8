import type { approval } from '$lib/backend/backend'
import type { DotKind } from '$lib/ui/dot'
import type { Node } from './words'
import { comma, t } from '$lib/language/language'

/** An agent as the deck shows it. */
export interface Described {
  path: string
  name: string
  dot: DotKind
  /** Activity, duration and cost. */
  facts: string
  /** Who answers it, in a sentence, if no model does. */
  answers?: string
  node: Node | undefined
}

/** A request to write a file that another agent wrote. */
export type Clash = approval.Request

/** Describes a write conflict: the headline and the rest of the sentence. */
export function clashWords(r: Clash, agoOf: (atMs: number) => string): { head: string; rest: string } {
  const files = [...new Set(r.conflicts.map((h) => h.file))]
  const others = [...new Map(r.conflicts.map((h) => [h.notebook, h])).values()]
  const many = ['', '', t`Two`, t`Three`, t`Four`, t`Five`][others.length + 1] ?? String(others.length + 1)
  const head = t`${many} agents want ${files[0] ?? t`one file`}${files.length > 1 ? t` and ${files.length - 1} more` : ''}.`
  const wrote = others.slice(0, 2).map((h) => t`“${h.agent}” ${h.uncertain ? t`may have written` : t`wrote`} it ${agoOf(h.atMs)}`)
  if (others.length > 2) wrote.push(t`${others.length - 2} more did`)
  return { head, rest: t`${wrote.join(comma)}; “${r.agent}” is about to.` }
}

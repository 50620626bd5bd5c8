import type { DotKind } from '$lib/ui/dot'
import { agentName } from '$lib/format/name'
import { aboutTokens, costOf } from '$lib/format/total'
import { plural } from '$lib/format/number'
import { age, elapsed } from '$lib/format/time'
import type { Node } from './node'
import { t } from '$lib/language/language'

type Marked = Pick<Node, 'status' | 'marks'>

/** Whether an agent is active: it runs, waits for the person or waits for its turn. */
export const isLive = (node: Marked): boolean =>
  node.status === 'running' || node.marks.includes('needsYou') || node.marks.includes('queued')

/** The dot of an agent: requests to the person come first, then its activity, then its last outcome. */
export function dotOf(node: Marked): DotKind {
  const has = (mark: Node['marks'][number]) => node.marks.includes(mark)
  if (has('needsYou')) return 'waiting'
  if (has('stuck')) return 'stuck'
  if (has('queued')) return 'queued'
  if (node.status === 'running') return 'running'
  if (has('failed')) return 'failed'
  if (has('interrupted')) return 'interrupted'
  return node.status === 'pending' || node.status === 'finished' ? node.status : 'standby'
}

/** Whether the text to the right of an agent counts seconds. */
export const ticks = (node: Node): boolean =>
  node.status === 'running' &&
  !node.problem &&
  !node.marks.includes('needsYou') &&
  !node.marks.includes('queued') &&
  Boolean(node.startedMs)

/**
 * The text to the right of an agent: what it waits for, how long it has run, how long a child took,
 * or when it last changed.
 */
export function asideOf(node: Node, nowMs: number): string {
  if (node.problem) return t`damaged`
  if (node.marks.includes('needsYou')) return t`needs you`
  if (node.marks.includes('queued')) return t`queued`
  if (node.status === 'running') return node.startedMs ? elapsed(nowMs - node.startedMs) : t`running`
  if (node.marks.includes('interrupted')) return t`interrupted`
  if (node.status === 'finished' && node.parentId && node.timeMs > 0) return elapsed(node.timeMs)
  return age(node.modifiedMs, nowMs)
}

/** How long an agent has worked: its finished runs and the current one. */
export const workedMs = (node: Node, nowMs: number): number =>
  node.timeMs + (node.status === 'running' && node.startedMs ? Math.max(0, nowMs - node.startedMs) : 0)

/** The usage of answers: "18,420 tokens · $0.31"; ~ marks an estimate. "" for none. */
export function usedOf(total: Node['own']): string {
  const { tokens, cost } = total
  if (!tokens && !cost) return ''
  return [tokens ? `${aboutTokens(total)}${plural(tokens, 'token')}` : '', costOf(total)].filter(Boolean).join(' · ')
}

/** The name to show: a file that is not a notebook, or has no name, is called by its file name. */
export function nameOf(node: Pick<Node, 'name' | 'file'>): string {
  return agentName(node.name, node.file)
}

import type { DotKind } from '$lib/ui/dot'
import { money } from '$lib/format/money'
import { plural } from '$lib/format/number'
import { age, elapsed } from '$lib/format/time'
import { visible } from '$lib/ui/visible'
import type { Node } from './tree'

type Marked = Pick<Node, 'status' | 'marks'>

/** Whether an agent is at work or about to be: it runs, waits for the person or for its turn. */
export const isLive = (node: Marked): boolean => node.status === 'running' || node.marks.includes('needsYou') || node.marks.includes('queued')

/** Which sign an agent has: what needs the person comes first, then what it does, then how it was left. */
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

/** Whether what stands at the right of an agent counts seconds. */
export const ticks = (node: Node): boolean => node.status === 'running' && !node.problem && !node.marks.includes('needsYou') && !node.marks.includes('queued') && Boolean(node.startedMs)

/**
 * What stands at the right of an agent: what it waits for, how long it runs,
 * how long a child took, or when it last changed.
 */
export function asideOf(node: Node, nowMs: number): string {
  if (node.problem) return 'damaged'
  if (node.marks.includes('needsYou')) return 'needs you'
  if (node.marks.includes('queued')) return 'queued'
  if (node.status === 'running') return node.startedMs ? elapsed(nowMs - node.startedMs) : 'running'
  if (node.marks.includes('interrupted')) return 'interrupted'
  if (node.status === 'finished' && node.parentId && node.timeMs > 0) return elapsed(node.timeMs)
  return age(node.modifiedMs, nowMs)
}

/** How long an agent has worked: the runs that have ended, and the one under way. */
export const workedMs = (node: Node, nowMs: number): number => node.timeMs + (node.status === 'running' && node.startedMs ? Math.max(0, nowMs - node.startedMs) : 0)

/** What answers used: "18,420 tokens · $0.31"; ~ marks an estimate. "" when there is nothing. */
export function usedOf({ tokens, cost, estimated }: Node['own']): string {
  if (!tokens && !cost) return ''
  const about = estimated ? '~' : ''
  const price = cost ? `${about}${money(cost)}` : estimated ? 'price unknown' : ''
  return [tokens ? `${about}${plural(tokens, 'token')}` : '', price].filter(Boolean).join(' · ')
}

/** The name to show: a file that is not a notebook, or has no name, is called by its file. */
export function nameOf(node: Pick<Node, 'name' | 'file'>): string {
  return visible(node.name.trim() || node.file.slice(node.file.lastIndexOf('/') + 1))
}


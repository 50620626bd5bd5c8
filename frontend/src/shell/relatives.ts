import type { agenttree } from '$lib/backend/backend'
import { asideOf, dotOf, usedOf, workedMs } from '../features/agents/sign'
import type { Relative } from '../features/notebook/family'
import { elapsed } from '$lib/format/time'

/** The agents of a call among those that its notebook started: by name, the newest where one name was given again. */
export function relativesOf(started: readonly agenttree.Node[], names: readonly string[], nowMs: number): Relative[] {
  const byName = new Map(started.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).map((n) => [n.name, n]))
  return names.flatMap((name) => {
    const node = byName.get(name)
    return node ? [{ file: node.file, name, dot: dotOf(node), facts: factsOf(node, nowMs) }] : []
  })
}

function factsOf(node: agenttree.Node, nowMs: number): string {
  const doing = node.status === 'running' && !node.marks.includes('needsYou') ? (node.action ?? '') : ''
  const worked = workedMs(node, nowMs)
  const state = node.marks.includes('needsYou') || node.marks.includes('queued') || node.marks.includes('interrupted') || node.problem ? asideOf(node, nowMs) : worked > 0 ? elapsed(worked) : ''
  return [doing, state, usedOf(node.subtree)].filter(Boolean).join(' · ')
}

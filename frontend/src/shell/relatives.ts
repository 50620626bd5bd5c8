import type { agenttree } from '$lib/backend/backend'
import { asideOf, dotOf, workedMs } from '../features/agents/sign'
import type { Relative } from '../features/notebook/family'
import { money } from '$lib/format/money'
import { short } from '$lib/format/number'
import { elapsed } from '$lib/format/time'

/** Those of the agents that a notebook's agent started which a call of its is about; of one name the newest. */
export function relativesOf(started: readonly agenttree.Node[], of: { names: readonly string[] } | { sinceMs: number; without: readonly string[] }, nowMs: number): Relative[] {
  const inOrder = started.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
  const relative = (node: agenttree.Node): Relative => ({ file: node.file, name: node.name, dot: dotOf(node), facts: factsOf(node, nowMs) })
  if ('names' in of) {
    const byName = new Map(inOrder.map((n) => [n.name, n]))
    return of.names.flatMap((name) => byName.get(name) ?? []).map(relative)
  }
  // Times of files may be whole seconds.
  return inOrder.filter((n) => Date.parse(n.createdAt) >= of.sinceMs - 1000 && !of.without.includes(n.name)).map(relative)
}

function factsOf(node: agenttree.Node, nowMs: number): string {
  const marked = node.problem || node.marks.some((m) => m === 'needsYou' || m === 'queued' || m === 'interrupted')
  const doing = node.status === 'running' && !marked ? (node.action ?? '') : ''
  const worked = workedMs(node, nowMs)
  const { cost, tokens, estimated } = node.subtree
  const used = cost ? money(cost) : tokens ? `${short(tokens)} tokens` : ''
  return [doing, marked ? asideOf(node, nowMs) : worked > 0 ? elapsed(worked) : '', used && `${estimated ? '~' : ''}${used}`].filter(Boolean).join(' · ')
}

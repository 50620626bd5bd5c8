import type { agenttree } from '$lib/backend/backend'
import { asideOf, dotOf, workedMs } from '../features/agents/statusDot'
import type { Relative } from '../features/notebook/agentCalls'
import { short } from '$lib/format/number'
import { elapsed } from '$lib/format/time'
import { aboutTokens, costOf } from '$lib/format/total'
import { t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'

/** The children of an agent among the given uuids, in that order. A uuid in a file that is not a child is ignored. */
export function relativesOf(children: readonly agenttree.Node[], uuids: readonly string[], nowMs: number): Relative[] {
  const byUuid = new Map(children.map((n) => [n.uuid, n]))
  return uuids.flatMap((uuid) => {
    const node = byUuid.get(uuid)
    return node ? [{ uuid, file: node.file, name: node.name, dot: dotOf(node), facts: factsOf(node, nowMs) }] : []
  })
}

function factsOf(node: agenttree.Node, nowMs: number): string {
  const marked = node.problem || node.marks.some((m) => m === 'needsYou' || m === 'queued' || m === 'interrupted')
  const doing = node.status === 'running' && !marked ? ofProgram(node.action ?? '') : ''
  const worked = workedMs(node, nowMs)
  const { subtree } = node
  const used = subtree.cost ? costOf(subtree) : subtree.tokens ? t`${aboutTokens(subtree) + short(subtree.tokens)} tokens` : ''
  return [doing, marked ? asideOf(node, nowMs) : worked > 0 ? elapsed(worked) : '', used].filter(Boolean).join(' · ')
}

/* The deck's texts about agents and their spans. */
import type { agenttree } from '$lib/backend/backend'
import { agentName } from '$lib/format/name'
import { plural } from '$lib/format/number'
import { elapsed, exactly, took } from '$lib/format/time'
import { costOf } from '$lib/format/total'
import { sumOf, type Kind, type Span } from './lanes'
import { kindNames } from './paint'
import { textOf } from './textOf'
import { comma, t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'

export type Node = agenttree.Node

export const nameOf = (node: Node | undefined, path: string): string => agentName(node?.name, path)

/** An agent's activity in a few words. */
export function doing(node: Node | undefined, open: readonly Span[], unfinished: number, asks: string): string {
  if (!node) return ''
  const has = (mark: string) => node.marks.includes(mark)
  if (node.problem) return t`not a notebook`
  if (has('needsYou')) return asks ? t`needs you: ${ofProgram(asks)}` : t`needs you`
  if (node.status === 'running') {
    if (unfinished > 0 && open.some((s) => s.kind === 'forked')) return t`waiting for ${plural(unfinished, 'child', 'children')}`
    return node.action ? ofProgram(node.action) : t`running`
  }
  if (has('queued')) return t`queued`
  if (has('interrupted')) return t`interrupted`
  if (has('failed')) return t`failed`
  if (node.status === 'finished') return t`finished`
  return node.status === 'pending' ? t`has not finished` : ''
}

/** The second line of a lane: activity, duration and cost. */
export function factsOf(node: Node | undefined, what: string, nowMs: number): string {
  if (!node) return ''
  const ms = node.timeMs + (node.status === 'running' && node.startedMs ? Math.max(0, nowMs - node.startedMs) : 0)
  return [what, ms >= 1000 ? elapsed(ms) : '', node.own.cost > 0 ? costOf(node.own) : ''].filter(Boolean).join(' · ')
}

/** A span for a tooltip and for a screen reader. */
export function spanWords(s: Span, startMs: number, nowMs: number): string {
  const ms = (s.endMs || nowMs) - s.startMs
  const [kind, text] = [kindNames[s.kind] ?? s.kind, textOf(s)]
  const parts = [
    kind,
    text === kind ? '' : text,
    s.failed ? t`failed` : '',
    s.endMs ? t`took ${took(Math.max(0, ms))}` : t`for ${took(Math.max(0, ms))}`,
    t`at ${elapsed(s.startMs - startMs)}`,
  ]
  return parts.filter(Boolean).join(comma)
}

/** The content of a lane, for screen readers. ran: it has run, whether or not its times are known. */
export function laneWords(spans: readonly Span[], nowMs: number, ran: boolean): string {
  if (spans.length === 0) return ran ? t`no times are known` : t`has not run`
  const sums = sumOf(spans, nowMs)
  const kinds = (Object.keys(kindNames) as Kind[]).filter((k) => sums[k]).map((k) => `${kindNames[k]} ${took(sums[k]!)}`)
  return [plural(spans.length, 'step'), ...kinds, t`from ${exactly(spans[0]!.startMs)}`].join(comma)
}

/** A long time in at most two figures: 45 min, 9 h, 3 d. */
export function roughly(ms: number): string {
  if (ms < 3_600_000) return t`${Math.round(ms / 60_000)} min`
  if (ms < 48 * 3_600_000) return t`${Math.round(ms / 3_600_000)} h`
  return t`${Math.round(ms / 86_400_000)} d`
}

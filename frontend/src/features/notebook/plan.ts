/* The plan of another agent (SPEC 14.2): the arguments of its calls of acp_plan. */
import { toolOf } from '$lib/tools'
import type { CellState } from './cell.svelte'

/** The most entries that are shown. */
const maxEntries = 200

export interface PlanEntry {
  content: string
  status: 'pending' | 'in_progress' | 'completed'
}

/** The entries of a plan; undefined if the text is none. */
export function planOf(json: string): PlanEntry[] | undefined {
  let entries: unknown
  try {
    entries = (JSON.parse(json) as { entries?: unknown } | null)?.entries
  } catch {
    return undefined
  }
  if (!Array.isArray(entries)) return undefined
  return entries.slice(0, maxEntries).flatMap((entry: unknown) => {
    const { content, status } = (entry ?? {}) as Record<string, unknown>
    if (typeof content !== 'string' || content.trim() === '') return []
    return [{ content, status: status === 'completed' || status === 'in_progress' ? status : 'pending' }]
  })
}

export const isPlan = (name: string): boolean => toolOf(name)?.as === 'plan'

/** The plans of an answer: the first call, at whose place the plan is shown, its latest entries, and how often it changed. */
export function plansOf(answer: CellState['answer']): { first: string; entries: PlanEntry[]; changes: number } | undefined {
  const calls = answer.flatMap((message) => message.toolCalls.filter((call) => isPlan(call.name)))
  const read = calls.map((call) => planOf(call.arguments)).filter((entries) => entries !== undefined)
  const entries = read.at(-1)
  return entries && entries.length > 0 ? { first: calls[0]!.id, entries, changes: read.length - 1 } : undefined
}

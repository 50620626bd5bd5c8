/* The content of calls between agents and to the person, read from arguments that
   may be broken, hostile or still streaming in. */
import type { chat } from '$lib/backend/backend'
import type { DotKind } from '$lib/ui/dot'
import { t } from '$lib/language/language'

/** A started agent that is in the tree. */
export interface Relative {
  uuid: string
  file: string
  name: string
  dot: DotKind
  /** Its state, in a few words. */
  facts: string
}

function objectOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
const textOf = (v: unknown): string => (typeof v === 'string' ? v : '')

/** A requested agent: its name and the first line of its task. */
export interface Asked {
  name: string
  task: string
}

/** The agents that a call of self_fork requests. The person may have started others. */
export function askedFor(args: string): Asked[] {
  const { children } = objectOf(args)
  if (!Array.isArray(children)) return []
  return children.slice(0, 100).map((c: unknown, i) => {
    const child = (typeof c === 'object' && c !== null ? c : {}) as Record<string, unknown>
    const task = textOf(child.prompt).slice(0, 2000).trim()
    return { name: textOf(child.name).replace(/\s+/g, ' ').trim() || t`Child ${i + 1}`, task: task.split('\n', 1)[0]!.slice(0, 300) }
  })
}

/** The question of a call of ask_user. */
export function askedBy(args: string): { question: string; choices: string[] } {
  const { question, choices } = objectOf(args)
  return { question: textOf(question), choices: Array.isArray(choices) ? choices.filter((c) => typeof c === 'string') : [] }
}

/** The outcome of a question: the person's answer, their reason for declining, or a text of the program. */
export type Said = { kind: 'answer' | 'declined' | 'text'; text: string }

/**
 * saidTo reads the answer to a question from its result. A result of an earlier program has no
 * facts: its text, written for the model, is shown unchanged, and so is that of a question that
 * nobody could answer.
 */
export function saidTo(result: { text: string; facts?: chat.CallFacts }): Said {
  if (result.facts?.declined) return { kind: 'declined', text: result.facts.reason ?? '' }
  if (result.facts?.answer) return { kind: 'answer', text: result.facts.answer }
  return { kind: 'text', text: result.text }
}

/* The content of calls between agents and to the person, read from arguments that
   may be broken, hostile or still streaming in. */
import type { DotKind } from '$lib/ui/dot'

/** A started agent, as the tree knows it. */
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

/** The agents that a call of self_fork requests. The person may have started different ones. */
export function askedFor(args: string): Asked[] {
  const { children } = objectOf(args)
  if (!Array.isArray(children)) return []
  return children.slice(0, 100).map((c: unknown, i) => {
    const child = (typeof c === 'object' && c !== null ? c : {}) as Record<string, unknown>
    const task = textOf(child.prompt).slice(0, 2000).trim()
    return { name: textOf(child.name).replace(/\s+/g, ' ').trim() || `Child ${i + 1}`, task: task.split('\n', 1)[0]!.slice(0, 300) }
  })
}

/** The question of a call of ask_user. */
export function askedBy(args: string): { question: string; choices: string[] } {
  const { question, choices } = objectOf(args)
  return { question: textOf(question), choices: Array.isArray(choices) ? choices.filter((c) => typeof c === 'string') : [] }
}

/** The person's answer to a question; declined when they gave none. */
export function saidTo(result: string): { text: string; declined: boolean } {
  const answers = /^The person answers: /.exec(result)
  if (answers) return { text: result.slice(answers[0].length), declined: false }
  const why = /^The person does not answer this question, and says why: /.exec(result)
  if (why) return { text: result.slice(why[0].length), declined: true }
  return { text: '', declined: true }
}

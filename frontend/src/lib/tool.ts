import type { Component } from 'svelte'

/** The arguments of a call. */
export type Arguments = Record<string, unknown>

/** What the page shows of the calls of a tool, and how it treats them. */
export interface Tool {
  icon: Component
  /** The verb for finished and running calls, and a noun for waiting and failed ones. */
  verb: string
  doing: string
  noun: string
  /** The heading of the card that asks for it: "Run a command". The default is "Use" and the name. */
  ask?: string
  /** The names of arguments that may be the subject; the first one present is used. */
  subject?: readonly string[]
  /** Finds the subject in the arguments, if their names do not tell. title: a whole line, if there is no subject. */
  about?: (args: Arguments) => { subject: string; rest: string; title: string }
  /** The text directly after the subject: ":10:20". */
  tail?: (args: Arguments) => string
  /** The text after the subject and a space. */
  rest?: (args: Arguments) => string
  /** It changes nothing: such calls run at the same time. */
  reads?: boolean
  /** Approval rules can apply to it, by its command or its path; its icon describes it. */
  rules?: 'command' | 'path'
  /** It writes a file: the whole content, or the old and new text of each replacement. */
  writes?: 'content' | 'edits'
  /** Its result is a report, whose length means nothing. */
  report?: boolean
  /** The count of its result, in words; with more, there are more than n. */
  finds?: (n: number, more: boolean) => string
  /** How the page shows its calls, if not as a line with a result. */
  as?: 'command' | 'fork' | 'question' | 'finish' | 'plan'
}

import { count } from '$lib/format/number'
import type { Component } from 'svelte'
import CircleDollarSign from '@lucide/svelte/icons/circle-dollar-sign'
import Wrench from '@lucide/svelte/icons/wrench'
import type { approval } from '$lib/backend/backend'
import { toolOf } from '$lib/tools'
import { visible } from '$lib/ui/visible'
import { comma, t } from '$lib/language/language'
import { questionText } from './questionText'

export type Request = approval.Request
export type Scope = 'once' | 'agent' | 'notebook' | 'always'

/** The possible scopes of a decision, in the order of the keys 1 to 4. */
export const scopes: readonly { value: Scope; label: string; more: string }[] = [
  { value: 'once', label: t`Once`, more: t`This call alone.` },
  {
    value: 'agent',
    label: t`Until it ends`,
    more: t`This agent, until its task is finished or Mutsumi closes. Closing its tab ends nothing.`,
  },
  { value: 'notebook', label: t`Kept`, more: t`This agent, also after a restart. Kept on this computer, for its notebook alone.` },
  { value: 'always', label: t`Always`, more: t`Every agent in every folder. Kept in the settings.` },
]

export const scopeName = (scope: string): string => scopes.find((s) => s.value === scope)?.label ?? scope

/** The request for a higher budget: not an agent's tool, but handled like one. */
const budget = { ask: t`The budget is spent`, icon: CircleDollarSign }
export const isBudget = (tool: string): boolean => tool === 'budget'
const shownAs = (tool: string): { ask?: string; icon: Component } | undefined => (isBudget(tool) ? budget : toolOf(tool))

/** The requested action, as a heading. */
export function titleOf(r: Request): string {
  if (r.question) return t`Question`
  const children = childrenOf(r)
  if (children) return children.length === 1 ? t`Start an agent` : t`Start ${count(children.length)} agents`
  if (toolOf(r.tool)?.writes === 'content' && r.changes?.length === 1) return r.changes[0]!.new ? t`Make a file` : t`Replace a file`
  const [, tool, server] = (r.tool.includes('__') && /^calling (.+) of (.+)$/s.exec(r.action)) || []
  if (tool && server) return t`Use ${visible(tool)} of ${visible(server)}`
  return shownAs(r.tool)?.ask ?? t`Use ${visible(r.tool)}`
}
export const iconOf = (tool: string): Component => shownAs(tool)?.icon ?? Wrench

/** The name of the asking agent, with invisible characters made visible. */
export const askerOf = (r: Request): string => visible(r.agent || r.path)

/** When the latest conflict of a request as it is shown happened, or the request: no later one is approved with it. */
export const seenMs = (r: Request): number => Math.max(r.atMs, ...(r.conflicts ?? []).map((c) => c.atMs))

/** The whole command, or else the subject; a card shows two lines of it and scrolls. */
export const wholeOf = (r: Request): string => (r.command ? visible(r.command.text.slice(0, 4_000).trim()) : subjectOf(r))

/** The subject in one line: the command or the files, or else the arguments. */
export function subjectOf(r: Request): string {
  if (r.question) return line(questionText(r.question).replace(/\*\*|`|^#+ |^> ?/gm, ''))
  const children = childrenOf(r)
  if (children) return line(children.map((c) => childName(c)).join(comma))
  if (isBudget(r.tool)) return t`${budgetOf(r).spent} of ${budgetOf(r).budget}`
  if (r.command) return line(r.command.text)
  if (r.changes?.length) return visible(r.changes.map((c) => c.path).join(comma))
  const args = objectOf(r.arguments)
  const one = args && (args.uri ?? args.path ?? args.command ?? (Object.keys(args).length === 1 ? Object.values(args)[0] : undefined))
  return line(typeof one === 'string' ? one : r.arguments)
}

/** The agents that a call starts; undefined for any other call. */
function childrenOf(r: Request): Record<string, unknown>[] | undefined {
  const children = toolOf(r.tool)?.as === 'fork' ? objectOf(r.arguments)?.children : undefined
  return Array.isArray(children)
    ? children.map((c: unknown) => (typeof c === 'object' && c !== null ? (c as Record<string, unknown>) : {}))
    : undefined
}
const childName = (c: Record<string, unknown>): string =>
  [c.name, c.prompt].find((v): v is string => typeof v === 'string' && v.trim() !== '')?.slice(0, 80) ?? t`no name`

/** Whether a request can only be decided in its whole card, never together with others: questions and agents to start. */
export const decidedAlone = (r: Request): boolean => Boolean(r.question) || toolOf(r.tool)?.as === 'fork'

/** The numbers of a spent budget: spent, allowed so far, and requested. */
export function budgetOf(r: Request): { spent: string; budget: string; more: string } {
  const args = objectOf(r.arguments)
  const text = (name: string) => (typeof args?.[name] === 'string' ? (args[name] as string) : '')
  return { spent: text('spent'), budget: text('budget'), more: text('more') }
}

/** Whether its icon and subject describe it well enough: a command, a file, a folder, a question. */
export const saysItself = (r: Request): boolean => Boolean(r.question) || toolOf(r.tool)?.rules !== undefined

/** The agent's last text before the request, in one plain line; "" without text. */
export const whyOf = (r: Request): string => line(r.why.replace(/\*+|`|^#+ /gm, ''))

/** The label of an approval with a larger scope than this call: "Approve always". */
export const yesFor = (yes: string, scope: Scope): string =>
  `${yes}${scope === 'once' ? '' : scope === 'always' ? t` always` : scope === 'agent' ? t` until it ends` : t`, and keep it`}`

/** The labels of approval and rejection, and the prompt for a reason, "" if nobody reads it. */
export function verbsOf(r: Request): { yes: string; no: string; whyNot: string } {
  if (isBudget(r.tool)) return { yes: t`Continue for another ${budgetOf(r).more}`, no: t`Stop`, whyNot: '' }
  if (r.question) return { yes: t`Answer`, no: t`Skip`, whyNot: t`Why? The agent reads it (optional)` }
  return { yes: t`Approve`, no: t`Reject`, whyNot: t`Why not? The agent reads it` }
}

const line = (text: string) =>
  visible(
    text
      .slice(0, 400)
      .replace(/[ \t\n]+/g, ' ')
      .trim(),
  )

/** The object in a JSON text, or undefined. */
export function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The arguments of a call with their values as text; undefined unless they are an object. */
export function argumentsOf(json: string): { name: string; value: string }[] | undefined {
  const args = objectOf(json)
  return (
    args &&
    Object.entries(args).map(([name, value]) => ({
      name: visible(name),
      value: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    }))
  )
}

/** The name of a part of a command. */
export const partNames: Record<string, string> = {
  program: t`Runs`,
  redirect: t`Redirect`,
  heredoc: t`Text`,
  assignment: t`Sets`,
  substitution: t`Puts in`,
  pipe: t`Pipe`,
  control: t`Flow`,
  unknown: t`Unknown`,
}

/** Why the difference of a waiting request changed. */
export function renewedWords({ by, file }: approval.Renewed): string {
  const what = file ? visible(file) : t`the file`
  return by
    ? t`“${visible(by)}” changed ${what} since: this is the new difference.`
    : t`${file ? what : t`The file`} changed since: this is the new difference.`
}

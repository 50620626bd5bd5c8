import type { Component } from 'svelte'
import type { chat, notebook } from '$lib/backend/backend'
import { count, plural } from '$lib/format/number'
import { took } from '$lib/format/time'
import type { DiffLine } from '$lib/ui/diff'
import type { diffTexts } from '$lib/ui/diffTexts'
import Wrench from '@lucide/svelte/icons/wrench'
import { acpArguments, isAcp } from '$lib/acpTools'
import { firstOf, matchesFound, oneLine, textOf, toolOf, type Arguments, type Tool } from '$lib/tools'
import { t } from '$lib/language/language'

/** A tool call in one line: "Read `a.go:1:9`", "Searched `x` in src". */
export interface ToolLine {
  icon: Component
  verb: string
  /** Its subject, in the code font. */
  subject: string
  rest: string
}

/** The state of a call. pending: it is being written, or waits for earlier ones; started: it continues in the background. */
export type CallState = 'pending' | 'running' | 'started' | 'ran' | 'failed' | 'rejected' | 'refused' | 'stopped' | 'unknown'

type Ended = { isError?: boolean; facts?: chat.CallFacts }

/** callState derives from the result how a call ended. */
export function callState(result: Ended | undefined, running: boolean): CallState {
  if (!result) return running ? 'running' : 'unknown'
  return (result.facts?.end as CallState | undefined) || (result.isError ? 'failed' : 'ran')
}

/** backgroundState is the state of a background command whose call has its result; unknown after a restart. */
export function backgroundState(result: Ended, command: { endedMs: number; exitCode: number } | undefined): CallState {
  const state = callState(result, false)
  if (state !== 'ran') return state
  if (!command) return 'started'
  if (command.endedMs === 0) return 'running'
  return command.exitCode === 0 ? 'ran' : command.exitCode === -1 ? 'stopped' : 'failed'
}

/** pendingFrom is the index of the first call of a message that waits for earlier ones without a result. */
export function pendingFrom(names: readonly string[], open: (i: number) => boolean): number {
  let first = -1
  for (let i = 0; i < names.length; i++) {
    if (!open(i)) continue
    if (first >= 0 && !(reads(names[first]!) && reads(names[i]!))) return i
    if (first < 0) first = i
  }
  return names.length
}

const reads = (name: string): boolean => toolOf(name)?.reads ?? false

function verbOf(look: Pick<Tool, 'verb' | 'doing' | 'noun'>, state: CallState): string {
  switch (state) {
    case 'running':
      return look.doing
    case 'pending':
      return look.noun
    case 'started':
      return t`Started`
    case 'unknown':
      return t`Interrupted`
    case 'rejected':
      return t`Rejected`
    case 'stopped':
      return t`Stopped`
    case 'failed':
    case 'refused':
      return t`${look.noun} failed`
    default:
      return look.verb
  }
}

/** toolLine describes a call in one line. For broken or streaming arguments it uses the readable part. */
export function toolLine(made: Pick<notebook.ToolCallView, 'name' | 'arguments'>, state: CallState = 'ran'): ToolLine {
  const call = dispatched(made)
  const args = argumentsOf(call)
  const look = toolOf(call.name)
  if (!look) {
    const name = call.name || t`Tool`
    return {
      icon: Wrench,
      verb: verbOf({ verb: name, doing: name, noun: name }, state),
      subject: '',
      rest: args ? oneLine(Object.values(args).map(textOf).filter(Boolean).join(' ')) : '',
    }
  }
  const about = args && look.about?.(args)
  if (about && !about.subject) {
    const whole = state === 'ran' || state === 'running' || state === 'pending' || state === 'started'
    return {
      icon: look.icon,
      verb: (whole && oneLine(about.title)) || verbOf(look, state),
      subject: '',
      rest: whole ? '' : oneLine(about.title),
    }
  }
  const names = look.subject ?? []
  const subject = about?.subject ?? (args ? firstOf(args, names) + (look.tail?.(args) ?? '') : peek(call.arguments, names))
  const rest = about?.rest ?? (args && look.rest ? look.rest(args) : '')
  return {
    icon: look.icon,
    verb: `${verbOf(look, state)}${isBackground(call, args) ? t` in the background` : ''}`,
    subject: oneLine(subject.replace(/^file:\/\//, '')),
    rest,
  }
}

/** The server tool that a call of call_tool calls, once its name has arrived. */
function dispatched(call: Pick<notebook.ToolCallView, 'name' | 'arguments'>): Pick<notebook.ToolCallView, 'name' | 'arguments'> {
  if (call.name !== 'call_tool') return call
  const args = parse(call.arguments)
  const name = args ? args.name : peek(call.arguments, ['name'])
  if (typeof name !== 'string' || !name) return call
  const given = args?.arguments
  return { name, arguments: given === undefined ? '' : typeof given === 'string' ? given : JSON.stringify(given) }
}

/** Whether a tool runs a command. */
const runs = (name: string): boolean => toolOf(name)?.as === 'command'

/** isBackground reports whether a call leaves its command running. */
export function isBackground(
  call: Pick<notebook.ToolCallView, 'name' | 'arguments'>,
  args = runs(call.name) ? argumentsOf(call) : undefined,
): boolean {
  return runs(call.name) && args !== undefined && [args.background, args.run_in_background, args.is_background].includes(true)
}

/** commandOf returns the command of a call as written, and its options. */
export function commandOf(call: Pick<notebook.ToolCallView, 'name' | 'arguments'>): { text: string; how: string } | undefined {
  const args = runs(call.name) ? argumentsOf(call) : undefined
  const said = args ? firstOf(args, ['command', 'cmd', 'script']) : ''
  if (!args || said === '') return undefined
  const folder = firstOf(args, ['folder', 'cwd', 'dir', 'workdir', 'working_directory', 'directory'])
  const seconds = firstOf(args, ['timeout_seconds', 'timeout'])
  return {
    text: said,
    how: [
      folder && folder !== '.' ? t`in ${oneLine(folder)}` : '',
      isBackground(call, args) ? t`in the background` : '',
      seconds ? t`at most ${seconds} s` : '',
    ]
      .filter(Boolean)
      .join(' · '),
  }
}

/** The arguments of a call, those of another agent's tool as that tool takes them. */
function argumentsOf(call: Pick<notebook.ToolCallView, 'name' | 'arguments'>): Arguments | undefined {
  const args = parse(call.arguments)
  return args && isAcp(call.name) ? acpArguments(args) : args
}

function parse(json: string): Arguments | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Arguments) : undefined
  } catch {
    return undefined
  }
}

/** peek reads a string argument from incomplete JSON. */
function peek(json: string, names: readonly string[]): string {
  for (const name of names) {
    const at = json.slice(0, 4000).match(new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`))
    if (at?.[1]) return at[1].replace(/\\(.)/g, '$1')
  }
  return ''
}

/**
 * changesOf returns a call's changes, as far as its arguments show: the whole new content, or the
 * old and new text of each replacement, compared by differ (diffTexts, which is loaded later).
 */
export function changesOf(
  call: Pick<notebook.ToolCallView, 'name' | 'arguments'>,
  differ: typeof diffTexts,
): { path: string; lines: DiffLine[]; note: string }[] {
  const look = toolOf(call.name)
  const args = look?.writes ? parse(call.arguments) : undefined
  const file = args ? firstOf(args, look?.subject ?? []).replace(/^file:\/\//, '') : ''
  if (!args || !file) return []
  if (look?.writes === 'content')
    return typeof args.content === 'string' ? [{ path: file, lines: differ('', args.content), note: t`as written` }] : []
  const edits: unknown[] = Array.isArray(args.edits) ? args.edits : [args]
  const lines = edits.flatMap((edit, i) => {
    const { old, new: now } = (edit ?? {}) as Record<string, unknown>
    if (typeof old !== 'string' || typeof now !== 'string') return []
    // The arguments do not contain positions in the file: the hunks are separated but have no line numbers.
    const hunk = differ(old, now).filter((l) => l.op !== '@')
    return i > 0 && hunk.length > 0 ? [{ op: '@', text: '' }, ...hunk] : hunk
  })
  return lines.length > 0 ? [{ path: file, lines, note: '' }] : []
}

/** prettyArguments formats the arguments of a call; invalid JSON stays unchanged. */
export function prettyArguments(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** resultSummary is the summary of a result on the right: "79 lines · 12 ms". */
export function resultSummary(name: string, result: string, truncated: boolean, tookMs: number, facts?: chat.CallFacts): string {
  return [summaryOf(name, facts) || (toolOf(name)?.report ? '' : lengthOf(result, truncated)), ...(tookMs > 0 ? [took(tookMs)] : [])]
    .filter(Boolean)
    .join(' · ')
}

/** The tool's own numbers: "+4 −2", "12 matches". */
function summaryOf(name: string, facts: chat.CallFacts | undefined): string {
  if (facts?.added || facts?.removed)
    return [facts.added ? `+${facts.added}` : '', facts.removed ? `−${facts.removed}` : ''].filter(Boolean).join(' ')
  const n = facts?.matches ?? facts?.found
  return n === undefined ? '' : (toolOf(name)?.finds ?? matchesFound)(n, facts?.more ?? false)
}

/** asideOf is the text about a call's result on the right. */
export function asideOf(
  name: string,
  state: CallState,
  result: { text: string; truncated: boolean; tookMs: number; facts?: chat.CallFacts } | undefined,
): string {
  if (!result) return state === 'running' || state === 'pending' ? '' : t`no result`
  switch (state) {
    case 'rejected':
    case 'stopped':
    case 'refused':
    case 'started':
    case 'running':
      return ''
    case 'failed':
      return [exitOf(result.facts?.exit ?? 0), result.tookMs > 0 ? took(result.tookMs) : ''].filter(Boolean).join(' · ')
    default:
      return resultSummary(name, result.text, result.truncated, result.tookMs, result.facts)
  }
}

/** exitOf describes the end of a command: "exit 2", "signal 9"; "" if it went well. */
export function exitOf(status: number): string {
  return status === 0 ? '' : status > 128 ? t`signal ${status - 128}` : t`exit ${status}`
}

/** outcomeOf is the text below a call: the person's reason for a rejection, or the most informative line of a failure. */
export function outcomeOf(state: CallState, result: { text: string; facts?: chat.CallFacts } | undefined): string {
  switch (state) {
    case 'rejected':
      return result?.facts?.reason ?? ''
    case 'failed':
    case 'refused':
      return result?.facts?.line || oneLine(result?.text.split('\n', 1)[0] ?? '', 300)
    case 'stopped':
      return result?.facts?.line ?? ''
    default:
      return ''
  }
}

/* The length of a result whose facts contain no count. Notebooks of earlier
   versions have no counts for ls and glob: the lines of their results are counted. */
function lengthOf(result: string, truncated: boolean): string {
  const n = linesOf(result)
  return result === '' ? t`no output` : truncated ? t`${count(n)}+ lines` : plural(n, 'line')
}

/** linesOf counts the lines of a text. */
export function linesOf(text: string): number {
  let n = 0
  for (const _ of text.matchAll(/\n(?!$)|$/g)) n++
  return n
}

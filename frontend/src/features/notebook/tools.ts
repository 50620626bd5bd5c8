import type { Component } from 'svelte'
import type { chat, notebook } from '$lib/backend/backend'
import { count, plural } from '$lib/format/number'
import { took } from '$lib/format/time'
import { diffTexts, type DiffLine } from '$lib/ui/diff'
import Archive from '@lucide/svelte/icons/archive'
import CircleQuestionMark from '@lucide/svelte/icons/circle-question-mark'
import Cpu from '@lucide/svelte/icons/cpu'
import FilePen from '@lucide/svelte/icons/file-pen'
import FilePlus from '@lucide/svelte/icons/file-plus'
import FileText from '@lucide/svelte/icons/file-text'
import Flag from '@lucide/svelte/icons/flag'
import FolderPlus from '@lucide/svelte/icons/folder-plus'
import FolderTree from '@lucide/svelte/icons/folder-tree'
import GitFork from '@lucide/svelte/icons/git-fork'
import Info from '@lucide/svelte/icons/info'
import List from '@lucide/svelte/icons/list'
import MessageSquare from '@lucide/svelte/icons/message-square'
import Search from '@lucide/svelte/icons/search'
import SquareTerminal from '@lucide/svelte/icons/square-terminal'
import Wrench from '@lucide/svelte/icons/wrench'
import { visible } from '$lib/ui/visible'

/** A tool call in one line: "Read `a.go:1:9`", "Searched `x` in src". */
export interface ToolLine {
  icon: Component
  verb: string
  /** Its subject, in the code font. */
  subject: string
  rest: string
}

interface Look {
  icon: Component
  /** The verbs for done, running and failed calls. */
  verb: string
  doing: string
  noun: string
  /** Names of the arguments that may be the subject; the first that is there is taken. */
  subject?: string[]
  rest?: (args: Record<string, unknown>) => string
}

const path = ['uri', 'path', 'file', 'dir', 'directory']
const looks: Record<string, Look> = {
  read_file: { icon: FileText, verb: 'Read', doing: 'Reading', noun: 'Read', subject: path },
  ls: { icon: List, verb: 'Listed', doing: 'Listing', noun: 'Listing', subject: path },
  glob: {
    icon: Search,
    verb: 'Found files',
    doing: 'Looking for files',
    noun: 'Search for files',
    subject: ['pattern', 'glob'],
    rest: inPath,
  },
  grep: {
    icon: Search,
    verb: 'Searched',
    doing: 'Searching',
    noun: 'Search',
    subject: ['keyword', 'pattern', 'query', 'regex'],
    rest: inPath,
  },
  project_outline: { icon: FolderTree, verb: 'Outlined', doing: 'Outlining', noun: 'Outline', subject: path },
  system_info: { icon: Info, verb: 'Looked up the system', doing: 'Looking up the system', noun: 'Look at the system' },
  get_available_models: { icon: Cpu, verb: 'Listed models', doing: 'Listing models', noun: 'List of models' },
  write_file: { icon: FilePlus, verb: 'Wrote', doing: 'Writing', noun: 'Write', subject: path },
  edit_file: { icon: FilePen, verb: 'Edited', doing: 'Editing', noun: 'Edit', subject: path },
  mkdir: { icon: FolderPlus, verb: 'Made folder', doing: 'Making folder', noun: 'Folder', subject: path },
  shell: { icon: SquareTerminal, verb: 'Ran', doing: 'Running', noun: 'Command', subject: ['command', 'cmd'] },
  shell_output: { icon: SquareTerminal, verb: 'Read output of', doing: 'Reading output of', noun: 'Output', subject: ['id', 'task'] },
  shell_kill: { icon: SquareTerminal, verb: 'Ended', doing: 'Ending', noun: 'End', subject: ['id', 'task'] },
  self_fork: {
    icon: GitFork,
    verb: 'Started',
    doing: 'Starting',
    noun: 'Start',
    rest: (a) => (Array.isArray(a.children) && a.children.length !== 1 ? plural(a.children.length, 'agent') : 'an agent'),
  },
  task_finish: { icon: Flag, verb: 'Finished', doing: 'Finishing', noun: 'Finish' },
  finish_task: { icon: Flag, verb: 'Finished', doing: 'Finishing', noun: 'Finish' },
  call_agent: {
    icon: MessageSquare,
    verb: 'Asked agent',
    doing: 'Asking agent',
    noun: 'Question',
    subject: ['agent', 'name', 'agentType'],
    rest: (a) => oneLine(text(a.question)),
  },
  ask_user: { icon: CircleQuestionMark, verb: 'Asked you', doing: 'Asking you', noun: 'Question', rest: (a) => oneLine(text(a.question)) },
  compact_chat_history: { icon: Archive, verb: 'Shortened the history', doing: 'Shortening the history', noun: 'Shortening' },
}

function inPath(args: Record<string, unknown>): string {
  const where = first(args, ['uri', 'path', 'dir', 'include'])
  return where && where !== '.' ? `in ${where}` : ''
}

const text = (v: unknown): string => (typeof v === 'string' ? v : typeof v === 'number' ? String(v) : '')

function first(args: Record<string, unknown>, names: string[]): string {
  for (const name of names) if (text(args[name]) !== '') return text(args[name])
  return ''
}

/** oneLine shortens text to one line. */
export function oneLine(s: string, most = 160): string {
  const line = s
    .slice(0, most * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return visible(line.length > most ? `${line.slice(0, most)}…` : line)
}

/** The state of a call. Pending: it is being written, or waits for earlier ones; started: it continues in the background. */
export type CallState = 'pending' | 'running' | 'started' | 'ran' | 'failed' | 'rejected' | 'refused' | 'stopped' | 'unknown'

type Ended = { isError?: boolean; facts?: chat.CallFacts }

/** callState reads how a call ended off its result. */
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

/** Tools that change nothing: they run in parallel. */
const reading = new Set(['read_file', 'ls', 'glob', 'grep', 'project_outline', 'system_info', 'get_available_models', 'shell_output'])

/** pendingFrom is the index of the first call of a message that waits for earlier ones without a result. */
export function pendingFrom(names: readonly string[], open: (i: number) => boolean): number {
  let first = -1
  for (let i = 0; i < names.length; i++) {
    if (!open(i)) continue
    if (first >= 0 && !(reading.has(names[first]!) && reading.has(names[i]!))) return i
    if (first < 0) first = i
  }
  return names.length
}

function verbOf(look: Pick<Look, 'verb' | 'doing' | 'noun'>, state: CallState): string {
  switch (state) {
    case 'running':
      return look.doing
    case 'pending':
      return look.noun
    case 'started':
      return 'Started'
    case 'unknown':
      return 'Interrupted'
    case 'rejected':
      return 'Rejected'
    case 'stopped':
      return 'Stopped'
    case 'failed':
    case 'refused':
      return `${look.noun} failed`
    default:
      return look.verb
  }
}

/** toolLine describes a call in one line. Of broken or streaming arguments it uses the readable part. */
export function toolLine(call: Pick<notebook.ToolCallView, 'name' | 'arguments'>, state: CallState = 'ran'): ToolLine {
  const args = parse(call.arguments)
  const look = Object.hasOwn(looks, call.name) ? looks[call.name] : undefined
  if (!look) {
    const name = call.name || 'Tool'
    return {
      icon: Wrench,
      verb: verbOf({ verb: name, doing: name, noun: name }, state),
      subject: '',
      rest: args ? oneLine(Object.values(args).map(text).filter(Boolean).join(' ')) : '',
    }
  }
  let subject = args ? first(args, look.subject ?? []) : peek(call.arguments, look.subject ?? [])
  if (args && call.name === 'read_file') {
    const [from, to] = [args.start ?? args.start_line ?? args.from, args.end ?? args.end_line ?? args.to].map(text)
    if (from) subject += `:${from}${to ? `:${to}` : ''}`
  }
  const rest = args && look.rest ? look.rest(args) : ''
  return {
    icon: look.icon,
    verb: `${verbOf(look, state)}${isBackground(call, args) ? ' in the background' : ''}`,
    subject: oneLine(subject.replace(/^file:\/\//, '')),
    rest,
  }
}

/** isBackground reports whether a call leaves its command running. */
export function isBackground(
  call: Pick<notebook.ToolCallView, 'name' | 'arguments'>,
  args = call.name === 'shell' ? parse(call.arguments) : undefined,
): boolean {
  return call.name === 'shell' && args !== undefined && [args.background, args.run_in_background, args.is_background].includes(true)
}

/** commandOf gives the command of a call as it is written, and how it is to run. */
export function commandOf(call: Pick<notebook.ToolCallView, 'name' | 'arguments'>): { text: string; how: string } | undefined {
  const args = call.name === 'shell' ? parse(call.arguments) : undefined
  const said = args ? first(args, ['command', 'cmd', 'script']) : ''
  if (!args || said === '') return undefined
  const folder = first(args, ['folder', 'cwd', 'dir', 'workdir', 'working_directory', 'directory'])
  const seconds = first(args, ['timeout_seconds', 'timeout'])
  return {
    text: said,
    how: [
      folder && folder !== '.' ? `in ${oneLine(folder)}` : '',
      isBackground(call, args) ? 'in the background' : '',
      seconds ? `at most ${seconds} s` : '',
    ]
      .filter(Boolean)
      .join(' · '),
  }
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** peek reads a string argument out of JSON that is not whole yet. */
function peek(json: string, names: string[]): string {
  for (const name of names) {
    const at = json.slice(0, 4000).match(new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`))
    if (at?.[1]) return at[1].replace(/\\(.)/g, '$1')
  }
  return ''
}

/** changesOf returns a call's changes, as far as its arguments show: the whole new content, or old and new text of each replacement. */
export function changesOf(call: Pick<notebook.ToolCallView, 'name' | 'arguments'>): { path: string; lines: DiffLine[]; note: string }[] {
  const args = call.name === 'write_file' || call.name === 'edit_file' ? parse(call.arguments) : undefined
  const file = args ? first(args, path).replace(/^file:\/\//, '') : ''
  if (!args || !file) return []
  if (call.name === 'write_file')
    return typeof args.content === 'string' ? [{ path: file, lines: diffTexts('', args.content), note: 'as written' }] : []
  const edits: unknown[] = Array.isArray(args.edits) ? args.edits : [args]
  const lines = edits.flatMap((edit, i) => {
    const { old, new: now } = (edit ?? {}) as Record<string, unknown>
    if (typeof old !== 'string' || typeof now !== 'string') return []
    // The arguments do not contain positions in the file: the hunks are separated, not placed.
    const stretch = diffTexts(old, now).filter((l) => l.op !== '@')
    return i > 0 && stretch.length > 0 ? [{ op: '@', text: '' }, ...stretch] : stretch
  })
  return lines.length > 0 ? [{ path: file, lines, note: '' }] : []
}

/** prettyArguments formats the arguments of a call; invalid JSON stays as it is. */
export function prettyArguments(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** resultSummary is the summary of a result at the right: "79 lines · 12 ms". */
export function resultSummary(name: string, result: string, truncated: boolean, tookMs: number, facts?: chat.CallFacts): string {
  return [summaryOf(facts) || (acting.has(name) ? '' : found(name, result, truncated)), ...(tookMs > 0 ? [took(tookMs)] : [])]
    .filter(Boolean)
    .join(' · ')
}

/** Tools whose result is a report: its length means nothing. */
const acting = new Set([
  'write_file',
  'edit_file',
  'mkdir',
  'shell_kill',
  'self_fork',
  'task_finish',
  'finish_task',
  'call_agent',
  'ask_user',
  'compact_chat_history',
])

/** The tool's own numbers: "+4 −2", "12 matches". */
function summaryOf(facts: chat.CallFacts | undefined): string {
  if (facts?.added || facts?.removed)
    return [facts.added ? `+${facts.added}` : '', facts.removed ? `−${facts.removed}` : ''].filter(Boolean).join(' ')
  if (facts?.matches !== undefined) return facts.matches === 0 ? 'no matches' : plural(facts.matches, 'match', 'matches')
  return ''
}

/** asideOf is the text at the right of a call about its result. */
export function asideOf(
  name: string,
  state: CallState,
  result: { text: string; truncated: boolean; tookMs: number; facts?: chat.CallFacts } | undefined,
): string {
  if (!result) return state === 'running' || state === 'pending' ? '' : 'no result'
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

/** exitOf is the end of a command: "exit 2", "signal 9"; "" for one that went well. */
export function exitOf(status: number): string {
  return status === 0 ? '' : status > 128 ? `signal ${status - 128}` : `exit ${status}`
}

/** toldOf is the text below a call: the person's reason for a rejection, or the most informative line of a failure. */
export function toldOf(state: CallState, result: { text: string; facts?: chat.CallFacts } | undefined): string {
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

/** The number of a tool's findings in its result: a note to the model is neither a match nor an entry. */
function found(name: string, result: string, truncated: boolean): string {
  const some = (n: number, more: boolean, one: string, many: string) => `${count(n)}${more ? '+' : ''} ${n === 1 && !more ? one : many}`
  switch (name) {
    case 'grep': {
      if (result.startsWith('No line matches')) return 'no matches'
      const said = /^\[(The first )?(\d+) matching lines? in /m.exec(result)
      if (said) return some(Number(said[2]), said[1] !== undefined, 'match', 'matches')
      return some(timesIn(result, /^\d+:/gm), truncated, 'match', 'matches')
    }
    case 'ls':
    case 'glob': {
      if (result.startsWith('[The folder is empty.]') || result.startsWith('No file matches')) return name === 'ls' ? 'empty' : 'no matches'
      const list = result.split('\n\n[', 1)[0]!
      const [one, many] = name === 'ls' ? (['entry', 'entries'] as const) : (['file', 'files'] as const)
      return some(timesIn(list, /^./gm), truncated || list.length < result.length, one, many)
    }
  }
  return result === '' ? 'no output' : some(linesOf(result), truncated, 'line', 'lines')
}

/** linesOf counts the lines of a text. */
export const linesOf = (text: string): number => timesIn(text, /\n(?!$)|$/g)

function timesIn(text: string, what: RegExp): number {
  let n = 0
  for (const _ of text.matchAll(what)) n++
  return n
}

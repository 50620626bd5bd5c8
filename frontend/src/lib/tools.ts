/* The one table of the tools of agents: what the page shows of a call, and how
   it treats it. A tool that is not in it is shown by its name and arguments. */
import type { Component } from 'svelte'
import CircleQuestionMark from '@lucide/svelte/icons/circle-question-mark'
import Cpu from '@lucide/svelte/icons/cpu'
import FilePen from '@lucide/svelte/icons/file-pen'
import FilePlus from '@lucide/svelte/icons/file-plus'
import FileText from '@lucide/svelte/icons/file-text'
import FoldVertical from '@lucide/svelte/icons/fold-vertical'
import Flag from '@lucide/svelte/icons/flag'
import FolderPlus from '@lucide/svelte/icons/folder-plus'
import FolderTree from '@lucide/svelte/icons/folder-tree'
import GitFork from '@lucide/svelte/icons/git-fork'
import Info from '@lucide/svelte/icons/info'
import List from '@lucide/svelte/icons/list'
import MessageSquare from '@lucide/svelte/icons/message-square'
import Search from '@lucide/svelte/icons/search'
import SquareTerminal from '@lucide/svelte/icons/square-terminal'
import { plural } from '$lib/format/number'
import { visible } from '$lib/ui/visible'

export interface Tool {
  icon: Component
  /** What a finished and a running call did and does, and a noun for one that waits or failed. */
  verb: string
  doing: string
  noun: string
  /** The heading of a card that asks for it: "Run a command". Without one it is "Use" and the name. */
  ask?: string
  /** Names of the arguments that may be the subject; the first that is there is taken. */
  subject?: readonly string[]
  /** What follows the subject at once: ":10:20". */
  tail?: (args: Arguments) => string
  /** What is said behind the subject. */
  rest?: (args: Arguments) => string
  /** It changes nothing: such calls run at the same time. */
  reads?: boolean
  /** Rules of approval are about it, by its command or its path; with its icon that says what it does. */
  rules?: 'command' | 'path'
  /** It writes a file: its whole content, or old and new text of each replacement. */
  writes?: 'content' | 'edits'
  /** Its result is a report, whose length means nothing. */
  report?: boolean
  /** What its result counts: one, many, and the words for none. */
  finds?: readonly [one: string, many: string, none: string]
  /** How the page shows its calls, where not as a line with a result. */
  as?: 'command' | 'fork' | 'question' | 'finish'
}

export type Arguments = Record<string, unknown>

const path = ['uri', 'path', 'file', 'dir', 'directory']
const finish: Tool = { icon: Flag, verb: 'Finished', doing: 'Finishing', noun: 'Finish', report: true }

/** In the order in which a person is offered them. */
const tools: Record<string, Tool> = {
  read_file: { icon: FileText, verb: 'Read', doing: 'Reading', noun: 'Read', subject: path, tail: range, reads: true },
  ls: {
    icon: List,
    verb: 'Listed',
    doing: 'Listing',
    noun: 'Listing',
    subject: path,
    reads: true,
    finds: ['entry', 'entries', 'empty'],
  },
  glob: {
    icon: Search,
    verb: 'Found files',
    doing: 'Looking for files',
    noun: 'Search for files',
    subject: ['pattern', 'glob'],
    rest: inPath,
    reads: true,
    finds: ['file', 'files', 'no matches'],
  },
  grep: {
    icon: Search,
    verb: 'Searched',
    doing: 'Searching',
    noun: 'Search',
    subject: ['keyword', 'pattern', 'query', 'regex'],
    rest: inPath,
    reads: true,
    finds: ['match', 'matches', 'no matches'],
  },
  project_outline: { icon: FolderTree, verb: 'Outlined', doing: 'Outlining', noun: 'Outline', subject: path, reads: true },
  system_info: { icon: Info, verb: 'Looked up the system', doing: 'Looking up the system', noun: 'Look at the system', reads: true },
  get_available_models: { icon: Cpu, verb: 'Listed models', doing: 'Listing models', noun: 'List of models', reads: true },
  shell: {
    icon: SquareTerminal,
    verb: 'Ran',
    doing: 'Running',
    noun: 'Command',
    ask: 'Run a command',
    subject: ['command', 'cmd'],
    rules: 'command',
    as: 'command',
  },
  shell_output: {
    icon: SquareTerminal,
    verb: 'Read output of',
    doing: 'Reading output of',
    noun: 'Output',
    subject: ['id', 'task'],
    reads: true,
  },
  shell_kill: {
    icon: SquareTerminal,
    verb: 'Ended',
    doing: 'Ending',
    noun: 'End',
    ask: 'End a command',
    subject: ['id', 'task'],
    report: true,
  },
  write_file: {
    icon: FilePlus,
    verb: 'Wrote',
    doing: 'Writing',
    noun: 'Write',
    ask: 'Write a file',
    subject: path,
    rules: 'path',
    writes: 'content',
    report: true,
  },
  edit_file: {
    icon: FilePen,
    verb: 'Edited',
    doing: 'Editing',
    noun: 'Edit',
    ask: 'Edit a file',
    subject: path,
    rules: 'path',
    writes: 'edits',
    report: true,
  },
  mkdir: {
    icon: FolderPlus,
    verb: 'Made folder',
    doing: 'Making folder',
    noun: 'Folder',
    ask: 'Make a folder',
    subject: path,
    rules: 'path',
    report: true,
  },
  self_fork: {
    icon: GitFork,
    verb: 'Started',
    doing: 'Starting',
    noun: 'Start',
    ask: 'Start agents',
    rest: (a) => (Array.isArray(a.children) && a.children.length !== 1 ? plural(a.children.length, 'agent') : 'an agent'),
    report: true,
    as: 'fork',
  },
  task_finish: { ...finish, as: 'finish' },
  finish_task: finish,
  call_agent: {
    icon: MessageSquare,
    verb: 'Asked agent',
    doing: 'Asking agent',
    noun: 'Question',
    ask: 'Ask another agent',
    subject: ['agent', 'name', 'agentType'],
    rest: (a) => oneLine(textOf(a.question)),
    report: true,
  },
  ask_user: {
    icon: CircleQuestionMark,
    verb: 'Asked you',
    doing: 'Asking you',
    noun: 'Question',
    ask: 'Question',
    rest: (a) => oneLine(textOf(a.question)),
    report: true,
    as: 'question',
  },
  compact_chat_history: {
    icon: FoldVertical,
    verb: 'Compacted the conversation',
    doing: 'Compacting the conversation',
    noun: 'Compaction',
    reads: true,
    report: true,
  },
}

/** The tool of a name; undefined for one that the page does not know. */
export const toolOf = (name: string): Tool | undefined => (Object.hasOwn(tools, name) ? tools[name] : undefined)

/** The names of the tools that rules of approval can name. */
export const ruledTools: readonly string[] = Object.keys(tools).filter((name) => tools[name]!.rules)

function inPath(args: Arguments): string {
  const where = firstOf(args, ['uri', 'path', 'dir', 'include'])
  return where && where !== '.' ? `in ${where}` : ''
}

function range(args: Arguments): string {
  const [from, to] = [args.start ?? args.start_line ?? args.from, args.end ?? args.end_line ?? args.to].map(textOf)
  return from ? `:${from}${to ? `:${to}` : ''}` : ''
}

/** An argument as text: "" unless it is a text or a number. */
export const textOf = (v: unknown): string => (typeof v === 'string' ? v : typeof v === 'number' ? String(v) : '')

/** The first of the named arguments that is there; "" when there is none. */
export function firstOf(args: Arguments, names: readonly string[]): string {
  for (const name of names) if (textOf(args[name]) !== '') return textOf(args[name])
  return ''
}

/** oneLine shortens text to one line. */
export function oneLine(s: string, maxChars = 160): string {
  const line = s
    .slice(0, maxChars * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return visible(line.length > maxChars ? `${line.slice(0, maxChars)}…` : line)
}

/* The table of agents' tools: what the page shows of a call, and how it treats
   it. A tool that is not in it is shown by its name and arguments. */
import BookOpen from '@lucide/svelte/icons/book-open'
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
import { count, plural } from '$lib/format/number'
import { visible } from '$lib/ui/visible'
import { acpTools } from '$lib/acpTools'
import type { Arguments, Tool } from '$lib/tool'
import { t } from '$lib/language/language'

export type { Arguments, Tool }

const entriesFound = (n: number, more: boolean): string =>
  n === 0 ? t`empty` : more ? t`${count(n)}+ entries` : plural(n, 'entry', 'entries')
const filesFound = (n: number, more: boolean): string => (n === 0 ? t`no matches` : more ? t`${count(n)}+ files` : plural(n, 'file'))
/** Including the count of a tool that is not in the table. */
export const matchesFound = (n: number, more: boolean): string =>
  n === 0 ? t`no matches` : more ? t`${count(n)}+ matches` : plural(n, 'match', 'matches')

const path = ['uri', 'path', 'file', 'dir', 'directory']
const finish: Tool = { icon: Flag, verb: t`Finished`, doing: t`Finishing`, noun: t`Finish`, report: true }

/** In the order in which a person is offered them. */
const tools: Record<string, Tool> = {
  read_file: { icon: FileText, verb: t`Read`, doing: t`Reading`, noun: t`Read`, subject: path, tail: range, reads: true },
  ls: {
    icon: List,
    verb: t`Listed`,
    doing: t`Listing`,
    noun: t`Listing`,
    subject: path,
    reads: true,
    finds: entriesFound,
  },
  glob: {
    icon: Search,
    verb: t`Found files`,
    doing: t`Looking for files`,
    noun: t`Search for files`,
    subject: ['pattern', 'glob'],
    rest: inPath,
    reads: true,
    finds: filesFound,
  },
  grep: {
    icon: Search,
    verb: t`Searched`,
    doing: t`Searching`,
    noun: t`Search`,
    subject: ['keyword', 'pattern', 'query', 'regex'],
    rest: inPath,
    reads: true,
    finds: matchesFound,
  },
  project_outline: { icon: FolderTree, verb: t`Outlined`, doing: t`Outlining`, noun: t`Outline`, subject: path, reads: true },
  system_info: { icon: Info, verb: t`Looked up the system`, doing: t`Looking up the system`, noun: t`Look at the system`, reads: true },
  get_available_models: { icon: Cpu, verb: t`Listed models`, doing: t`Listing models`, noun: t`List of models`, reads: true },
  use_skill: { icon: BookOpen, verb: t`Read skill`, doing: t`Reading skill`, noun: t`Skill`, subject: ['name'], reads: true },
  search_tools: {
    icon: Search,
    verb: t`Searched tools`,
    doing: t`Searching tools`,
    noun: t`Search for tools`,
    subject: ['query'],
    reads: true,
    report: true,
  },
  shell: {
    icon: SquareTerminal,
    verb: t`Ran`,
    doing: t`Running`,
    noun: t`Command`,
    ask: t`Run a command`,
    subject: ['command', 'cmd'],
    rules: 'command',
    as: 'command',
  },
  shell_output: {
    icon: SquareTerminal,
    verb: t`Read output of`,
    doing: t`Reading output of`,
    noun: t`Output`,
    subject: ['id', 'task'],
    reads: true,
  },
  shell_kill: {
    icon: SquareTerminal,
    verb: t`Ended`,
    doing: t`Ending`,
    noun: 'End',
    ask: 'End a command',
    subject: ['id', 'task'],
    report: true,
  },
  write_file: {
    icon: FilePlus,
    verb: t`Wrote`,
    doing: t`Writing`,
    noun: t`Write`,
    ask: t`Write a file`,
    subject: path,
    rules: 'path',
    writes: 'content',
    report: true,
  },
  edit_file: {
    icon: FilePen,
    verb: t`Edited`,
    doing: t`Editing`,
    noun: t`Edit`,
    ask: t`Edit a file`,
    subject: path,
    rules: 'path',
    writes: 'edits',
    report: true,
  },
  mkdir: {
    icon: FolderPlus,
    verb: t`Made folder`,
    doing: t`Making folder`,
    noun: t`Folder`,
    ask: t`Make a folder`,
    subject: path,
    rules: 'path',
    report: true,
  },
  self_fork: {
    icon: GitFork,
    verb: t`Started`,
    doing: t`Starting`,
    noun: t`Start`,
    ask: t`Start agents`,
    rest: (a) => (Array.isArray(a.children) && a.children.length !== 1 ? plural(a.children.length, 'agent') : t`an agent`),
    report: true,
    as: 'fork',
  },
  task_finish: { ...finish, as: 'finish' },
  finish_task: finish,
  call_agent: {
    icon: MessageSquare,
    verb: t`Asked agent`,
    doing: t`Asking agent`,
    noun: t`Question`,
    ask: t`Ask another agent`,
    subject: ['agent', 'name', 'agentType'],
    rest: (a) => oneLine(textOf(a.question)),
    report: true,
  },
  ask_user: {
    icon: CircleQuestionMark,
    verb: t`Asked you`,
    doing: t`Asking you`,
    noun: t`Question`,
    ask: t`Question`,
    rest: (a) => oneLine(textOf(a.question)),
    report: true,
    as: 'question',
  },
  compact_chat_history: {
    icon: FoldVertical,
    verb: t`Compacted the conversation`,
    doing: t`Compacting the conversation`,
    noun: t`Compaction`,
    reads: true,
    report: true,
  },
  ...acpTools,
}

/** The tool with a name; undefined if the page does not know it. */
export const toolOf = (name: string): Tool | undefined => (Object.hasOwn(tools, name) ? tools[name] : undefined)

/** The tools that approval rules can name. */
export const ruledTools: readonly string[] = Object.keys(tools).filter((name) => tools[name]!.rules)

function inPath(args: Arguments): string {
  const where = firstOf(args, ['uri', 'path', 'dir', 'include'])
  return where && where !== '.' ? t`in ${where}` : ''
}

function range(args: Arguments): string {
  const [from, to] = [args.start ?? args.start_line ?? args.from, args.end ?? args.end_line ?? args.to].map(textOf)
  return from ? `:${from}${to ? `:${to}` : ''}` : ''
}

/** An argument as text: "" unless it is a text or a number. */
export const textOf = (v: unknown): string => (typeof v === 'string' ? v : typeof v === 'number' ? String(v) : '')

/** The first of the named arguments that is present; "" if there is none. */
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

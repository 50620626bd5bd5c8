/* What the page shows of the calls of other agents (SPEC 14.2). Their arguments are
   {title, locations, input}: a line of the agent, the places that the call concerns,
   and the arguments of the agent's own tool, of which any member may be anything. */
import Brain from '@lucide/svelte/icons/brain'
import FilePen from '@lucide/svelte/icons/file-pen'
import FileSymlink from '@lucide/svelte/icons/file-symlink'
import FileText from '@lucide/svelte/icons/file-text'
import FileX from '@lucide/svelte/icons/file-x'
import Globe from '@lucide/svelte/icons/globe'
import ListChecks from '@lucide/svelte/icons/list-checks'
import Search from '@lucide/svelte/icons/search'
import SquareTerminal from '@lucide/svelte/icons/square-terminal'
import ToggleLeft from '@lucide/svelte/icons/toggle-left'
import Wrench from '@lucide/svelte/icons/wrench'
import { t } from '$lib/language/language'
import type { Arguments, Tool } from './tool'

/** Whether a call is one of another agent, with a tool of its own. */
export const isAcp = (name: string): boolean => name.startsWith('acp_')

const objectOf = (v: unknown): Arguments => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Arguments) : {})
const textOf = (v: unknown): string => (typeof v === 'string' ? v : '')
const firstOf = (args: Arguments, names: readonly string[]): string => names.map((name) => textOf(args[name])).find(Boolean) ?? ''

/** The arguments of the agent's own tool, with its title and places; a command given as a list is one line. */
export function acpArguments(args: Arguments): Arguments {
  const input = objectOf(args.input)
  return { ...input, command: commandOf(input.command ?? input.cmd), title: args.title, locations: args.locations }
}

/** A command as a person would type it: of ["bash", "-lc", "make"] it is what the shell runs. */
function commandOf(given: unknown): unknown {
  if (!Array.isArray(given)) return given
  const words = given.slice(0, 1000).map(String)
  if (words.length === 3 && /^(.*\/)?(ba|z|da)?sh$/.test(words[0]!) && /^-l?c$/.test(words[1]!)) return words[2]
  return words.map((word) => (/[\s"'$`\\]/.test(word) || word === '' ? `'${word.replaceAll("'", "'\\''")}'` : word)).join(' ')
}

const placesOf = (args: Arguments): string[] =>
  Array.isArray(args.locations) ? args.locations.filter((place): place is string => typeof place === 'string' && place !== '') : []

/** Its title without the marks of code around it. */
const titleOf = (args: Arguments): string => textOf(args.title).replace(/^`([^`]+)`$/, '$1')

const paths = ['file_path', 'path', 'filePath', 'abs_path', 'absolute_path', 'notebook_path', 'uri']

/** The place of a call on files, and how many more there are. */
function place(args: Arguments): { subject: string; rest: string; title: string } {
  const places = placesOf(args)
  const files = new Set(places.map((at) => at.replace(/:\d+$/, '')))
  return {
    subject: places[0] ?? firstOf(args, paths),
    rest: files.size > 1 ? t`and ${files.size - 1} more` : '',
    title: titleOf(args),
  }
}

/** Its subject in the first of some arguments. */
const named =
  (names: readonly string[], rest: (args: Arguments) => string = () => '') =>
  (args: Arguments): { subject: string; rest: string; title: string } => ({
    subject: firstOf(args, names),
    rest: rest(args),
    title: titleOf(args),
  })

const within = (args: Arguments): string => {
  const where = firstOf(args, ['path', 'dir', 'dir_path', 'include'])
  return where && where !== '.' ? t`in ${where}` : ''
}

/** The tools of other agents by kind. An agent may make several calls at the same time. */
export const acpTools: Record<string, Tool> = {
  acp_read: { icon: FileText, verb: t`Read`, doing: t`Reading`, noun: t`Read`, ask: t`Read a file`, about: place, reads: true },
  acp_edit: {
    icon: FilePen,
    verb: t`Edited`,
    doing: t`Editing`,
    noun: t`Edit`,
    ask: t`Edit a file`,
    about: place,
    reads: true,
    report: true,
  },
  acp_delete: {
    icon: FileX,
    verb: t`Deleted`,
    doing: t`Deleting`,
    noun: t`Deletion`,
    ask: t`Delete a file`,
    about: place,
    reads: true,
    report: true,
  },
  acp_move: {
    icon: FileSymlink,
    verb: t`Moved`,
    doing: t`Moving`,
    noun: t`Move`,
    ask: t`Move a file`,
    about: place,
    reads: true,
    report: true,
  },
  acp_search: {
    icon: Search,
    verb: t`Searched`,
    doing: t`Searching`,
    noun: t`Search`,
    ask: t`Search`,
    about: named(['pattern', 'query', 'regex'], within),
    reads: true,
  },
  acp_execute: {
    icon: SquareTerminal,
    verb: t`Ran`,
    doing: t`Running`,
    noun: t`Command`,
    ask: t`Run a command`,
    about: (args) => ({ subject: firstOf(args, ['command']) || titleOf(args), rest: '', title: '' }),
    reads: true,
    as: 'command',
  },
  acp_think: { icon: Brain, verb: t`Thought`, doing: t`Thinking`, noun: t`Thought`, about: named([]), reads: true, report: true },
  acp_fetch: {
    icon: Globe,
    verb: t`Fetched`,
    doing: t`Fetching`,
    noun: t`Fetch`,
    ask: t`Fetch a page`,
    about: named(['url', 'query']),
    reads: true,
  },
  acp_switch_mode: {
    icon: ToggleLeft,
    verb: t`Switched mode`,
    doing: t`Switching mode`,
    noun: t`Switch of mode`,
    ask: t`Switch mode`,
    about: named([]),
    reads: true,
    report: true,
  },
  acp_other: {
    icon: Wrench,
    verb: t`Used a tool`,
    doing: t`Using a tool`,
    noun: t`Tool`,
    ask: t`Use a tool`,
    about: named([]),
    reads: true,
  },
  acp_plan: { icon: ListChecks, verb: t`Planned`, doing: t`Planning`, noun: t`Plan`, reads: true, report: true, as: 'plan' },
}

import type { Extension } from '@codemirror/state'
import { createContext, type Snippet } from 'svelte'
import type { summaries } from '$lib/backend/backend'
import type { Relative } from './agentCalls'

/** A running command of an agent, or a background command that has ended. */
export interface RunningCommand {
  id: string
  text: string
  startedMs: number
  /** 0 while it runs. */
  endedMs: number
  /** -1: it was stopped; more than 128: a signal. */
  exitCode: number
}

/**
 * The functions of the window that cells of a notebook use. Set once, above all notebooks, with
 * setNotebookHost.
 */
export interface NotebookHost {
  /** Added to every editor of a prompt, before its own keys. path returns the path of the notebook, which may be renamed. */
  editor(path: () => string): Extension
  /** The open folder, absolute. */
  folder(): string
  /** Opens the target of a chip: the text inside its brackets, in a cell with its typed prompt. */
  open(path: string, cell: { id: string; text: string }, kind: 'reference' | 'tool', text: string): void
  /** Opens a file that an answer names, `src/a.go:10:20`, as the notebook's agent would read it. */
  file(path: string, ref: string): void
  /** Asks what to restore to before a prompt: files, conversation, or both. */
  back(path: string, cell: string, number: number): void
  /** Shows the forks and branches of a notebook. */
  branches(path: string): void
  /** Shows the earlier texts of a prompt that were sent. */
  history(path: string, cell: string, number: number): void
  /** Stops the run of a notebook and drops its queue. */
  stop(path: string): void
  /**
   * Whether a tool call of a notebook waits for the person; with callId "", whether its next request does because a budget is
   * spent.
   */
  waits(path: string, callId: string): boolean
  /** Whether a cell of a notebook waits for the person. */
  asks(path: string, cell: string): boolean
  /** Whether the person holds all agents before their next request. */
  paused(): boolean
  /** Shows the request of such a call. */
  request(): Snippet<[path: string, callId: string]>
  /** The command of a call by a notebook's agent, by the notebook's uuid. */
  command(notebook: string, callId: string): RunningCommand | undefined
  /** The running commands of its prompts. */
  typed(notebook: string): readonly RunningCommand[]
  /** Shows the output of a command: its last lines, or all of it. */
  terminal(): Snippet<[id: string, whole: boolean]>
  /** The current time, updated once a second while something runs. */
  now(): number
  /** The agents among the given uuids that the tree knows as children of a notebook's agent. */
  relatives(path: string, uuids: readonly string[]): readonly Relative[]
  /** Saves the text typed into a notebook whose file is gone as a new notebook. */
  rescue(path: string): Promise<void>
  /** Whether the list of agents keeps the focus although a notebook is shown. */
  keyboardStays(): boolean
  /** Renames the agent of a notebook. */
  rename(path: string, name: string): void
  /** Opens another notebook. */
  show(file: string): void
  /** Whether messages that the program added to conversations are unfolded. */
  internalShown(): boolean
  /** Unfolds them in all notebooks, or folds them. */
  showInternal(on: boolean): void

  // Summaries.

  /** What is known about a summary: the lengths of its parts, and what they leave out. */
  summary(path: string, cell: string): summaries.Details | undefined
  /** Finds that out for a version of the summary. */
  watchSummary(path: string, cell: string, rev: number): void
  /** What a summary leaves out, in a few words. */
  lostWords(details: summaries.Details): string
  /** Shows what a summary leaves out. */
  showLost(path: string, cell: string): void
  /** Whether a summary of a notebook is being made. */
  compacting(path: string): boolean
  /** Makes a summary. */
  compact(path: string, wanted: Partial<summaries.Wanted>): void
  /** Sends a summary instead of its cells, or the cells again. */
  useSummary(path: string, cell: string, on: boolean): void
}

export const [notebookHost, setNotebookHost] = createContext<NotebookHost>()

import type { Extension } from '@codemirror/state'
import { createContext, type Snippet } from 'svelte'
import type { Relative } from './family'

/**
 * What the cells of a notebook take from the rest of the window. Given once,
 * above all notebooks, with setOutside.
 */
export interface Outside {
  /** Goes into every editor of a prompt, before its own keys. */
  editor(path: string): Extension
  /** Opens what a chip stands for: the text inside its brackets, in a cell with its prompt as typed. */
  open(path: string, cell: { id: string; text: string }, kind: 'reference' | 'tool', text: string): void
  /** Asks what is to go back to before a prompt: files, conversation, or both. */
  back(path: string, cell: string, number: number): void
  /** Stops what runs in a notebook and drops what is queued there. */
  stop(path: string): void
  /** Whether a tool call of a notebook waits for the person, or with callId "" its next request: a budget is spent. */
  waits(path: string, callId: string): boolean
  /** Whether a cell of a notebook does. */
  asks(path: string, cell: string): boolean
  /** Whether the person holds all agents before their next request. */
  paused(): boolean
  /** Shows what such a call asks. */
  request(): Snippet<[path: string, callId: string]>
  /** Those of some agents, by uuid, that the tree knows as children of a notebook's agent. */
  relatives(path: string, uuids: readonly string[]): readonly Relative[]
  /** Makes a new notebook of what was typed into one whose file is gone. */
  rescue(path: string): Promise<void>
  /** Opens another notebook. */
  show(file: string): void
}

export const [outside, setOutside] = createContext<Outside>()

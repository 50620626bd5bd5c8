import type { Component } from 'svelte'
import type { DotKind } from '$lib/ui/dot'

/** What the palette finds, in the order of its groups. */
export const kinds = ['command', 'agent', 'cell', 'file', 'setting'] as const
export type Kind = (typeof kinds)[number]

/** A line of the palette. */
export interface Entry {
  /** What the list of recent ones keeps: "command window.open", "agent a.mtm". */
  id: string
  kind: Kind
  label: string
  /** Beside the label. */
  detail?: string
  /** At the right. */
  aside?: string
  /** The person is waited for: aside says so in colour. */
  waits?: boolean
  keys?: string
  icon?: Component
  dot?: DotKind
  /** It is found by these words too. */
  words?: string
  /** Why it cannot be chosen now. */
  off?: string
  run?: () => void
  /** Where Tab leads to: one of several choices. */
  step?: () => Step
  /** What the right side shows of it. */
  look: () => Look | Promise<Look>
}

/** One of the choices of a step. */
export interface Choice {
  id: string
  label: string
  /** It holds now. */
  now?: boolean
  /** Behind its name. */
  note?: string
  /** A text for each of the step's columns. */
  columns?: readonly string[]
  off?: string
  run?: () => void
  /** What is asked next; nothing is done yet. */
  next?: () => Step
}

/** The second step of a command, or a later one. */
export interface Step {
  /** In the field: "Model". */
  crumb: string
  /** In the empty field: "Search models". */
  search: string
  /** What the choice is for: "for this notebook". */
  of: string
  columns: readonly string[]
  choices: readonly Choice[]
  /** The choice that what is typed is, before all others: the step takes any text. */
  typed?: (text: string) => Choice
  /** Asks for choices that fit what is typed, in place of those above. */
  ask?: (text: string) => Promise<readonly Choice[]>
  /** What a choice leads to. */
  about: (choice: Choice | undefined) => string
}

/** The right side of an entry without a step. */
export interface Look {
  title: string
  of?: string
  parts: readonly { label?: string; text: string; mono?: boolean }[]
  about?: string
}

/** What was found by others: the first ones, and how many there are. */
export interface FoundEntries {
  entries: readonly Entry[]
  total: number
  /** There may be more in a moment. */
  reading?: boolean
}

/** Where the palette gets its entries from. */
export interface Sources {
  /** Those that are known here: commands, agents, settings. */
  here: () => readonly Entry[]
  /** Those that have to be asked for. The signal says that nobody waits any more. */
  cells: (query: string, signal: AbortSignal) => Promise<FoundEntries>
  files: (query: string, signal: AbortSignal) => Promise<FoundEntries>
  /** What was chosen last, the last one first; null for what is gone. */
  recent: () => readonly (Entry | Promise<Entry | null>)[]
  /** Notes that an entry was chosen. */
  chosen: (entry: Entry) => void
}

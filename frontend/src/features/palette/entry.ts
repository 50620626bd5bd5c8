import type { Component } from 'svelte'
import type { DotKind } from '$lib/ui/dot'

/** The kinds of things that the palette finds, in the order of its groups. */
export const kinds = ['command', 'agent', 'cell', 'file', 'setting'] as const
export type Kind = (typeof kinds)[number]

/** A line of the palette. */
export interface Entry {
  /** Its key in the list of recent entries: "command window.open", "agent a.mtm". */
  id: string
  kind: Kind
  label: string
  /** The text next to the label. */
  detail?: string
  /** The text at the right. */
  aside?: string
  /** It waits for the person: aside is coloured. */
  waits?: boolean
  keys?: string
  icon?: Component
  dot?: DotKind
  /** Other words by which it is found. */
  words?: string
  /** Why it cannot be chosen now. */
  off?: string
  run?: () => void
  /** The step to which Tab leads, with its choices. */
  step?: () => Step
  /** What the right side shows of it. */
  look: () => Look | Promise<Look>
}

/** One of the choices of a step. */
export interface Choice {
  id: string
  label: string
  /** It is the current value. */
  now?: boolean
  /** The text after its name. */
  note?: string
  /** One text for each column of the step. */
  columns?: readonly string[]
  off?: string
  run?: () => void
  /** The next question; nothing is done yet. */
  next?: () => Step
}

/** The second step of a command, or a later one. */
export interface Step {
  /** The text in front of the field: "Model". */
  crumb: string
  /** The placeholder of the field: "Search models". */
  search: string
  /** What the choice is for: "for this notebook". */
  of: string
  columns: readonly string[]
  choices: readonly Choice[]
  /** The choice made of the typed text, before all others: the step accepts any text. */
  typed?: (text: string) => Choice
  /** Requests choices that match the typed text, to replace those above. */
  ask?: (text: string) => Promise<readonly Choice[]>
  /** Describes what a choice leads to. */
  about: (choice: Choice | undefined) => string
}

/** The right side of an entry without a step. */
export interface Look {
  title: string
  of?: string
  parts: readonly { label?: string; text: string; mono?: boolean }[]
  about?: string
}

/** Results of a search: the first ones, and their total number. */
export interface FoundEntries {
  entries: readonly Entry[]
  total: number
  /** More may follow in a moment. */
  reading?: boolean
}

/** The sources of the palette's entries. */
export interface Sources {
  /** Entries that are known here: commands, agents, settings. */
  here: () => readonly Entry[]
  /** Entries that have to be requested. The signal aborts when nobody waits any more. */
  cells: (query: string, signal: AbortSignal) => Promise<FoundEntries>
  files: (query: string, signal: AbortSignal) => Promise<FoundEntries>
  /** The recently chosen entries, latest first; null if one is gone. */
  recent: () => readonly (Entry | Promise<Entry | null>)[]
  /** Notes that an entry was chosen. */
  chosen: (entry: Entry) => void
}

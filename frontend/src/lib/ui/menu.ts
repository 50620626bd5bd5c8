import type { Component } from 'svelte'

/** A row of a Menu: something to do, a heading, or a line between groups. */
export type MenuEntry = MenuItem | { heading: string } | 'line'

export interface MenuItem {
  label: string
  icon?: Component
  /** The keys that do the same. */
  keys?: string
  /** An explanation in small text below. */
  more?: string
  /** Small text at the right. */
  detail?: string
  /** Set for a choice: whether it is the current one. */
  checked?: boolean
  danger?: boolean
  disabled?: boolean
  /** Why it is disabled, or more about it. */
  title?: string
  /** Small icons at the right, each with a name. */
  marks?: { icon: Component; label: string }[]
  run: () => void
}

/** Where a menu opens: at a point, or below an element. */
export type MenuPlace = { x: number; y: number } | { element: Element; end?: boolean }

export const isItem = (entry: MenuEntry): entry is MenuItem => typeof entry === 'object' && 'run' in entry

/** The next item that can be chosen, going by step from index and round. */
export function nextItem(entries: MenuEntry[], index: number, step: 1 | -1): number {
  for (let n = 1; n <= entries.length; n++) {
    const at = (index + step * n + entries.length * n) % entries.length
    const entry = entries[at]!
    if (isItem(entry) && !entry.disabled) return at
  }
  return -1
}

/** The next item whose label starts with text. */
export function findItem(entries: MenuEntry[], index: number, text: string): number {
  for (let n = 1; n <= entries.length; n++) {
    const at = (index + n) % entries.length
    const entry = entries[at]!
    if (isItem(entry) && !entry.disabled && entry.label.toLowerCase().startsWith(text.toLowerCase())) return at
  }
  return -1
}

/** How soon a letter has to follow another one to be searched together with it, in milliseconds. */
const soon = 700

/**
 * TypeAhead finds items by the beginnings of their labels. The first letter finds the first one, the same letter
 * again the next one, and letters that follow each other quickly are searched together.
 */
export class TypeAhead {
  #typed = ''
  #at = -Infinity

  /** The item for a letter typed at a time in milliseconds; -1 for none. index: the item that is on. */
  find(entries: MenuEntry[], index: number, letter: string, at: number): number {
    const first = this.#at === -Infinity
    const typed = (this.#typed = (at - this.#at < soon ? this.#typed : '') + letter.toLowerCase())
    this.#at = at
    if ([...typed].some((c) => c !== typed[0])) return findItem(entries, index - 1, typed)
    return findItem(entries, first ? -1 : index, letter)
  }
}

/** The left and top that keep a box of a size within the window, flipped to the other side where it must. */
export function placeBox(
  anchor: { left: number; top: number; right: number; bottom: number },
  box: { width: number; height: number },
  window: { width: number; height: number },
  end = false,
): { left: number; top: number } {
  const margin = 6
  const wanted = end ? anchor.right - box.width : anchor.left
  const left = Math.max(margin, Math.min(wanted, window.width - box.width - margin))
  const below = anchor.bottom + 2
  const above = anchor.top - box.height - 2
  const fits = below + box.height <= window.height - margin
  const top = fits || above < margin ? Math.max(margin, Math.min(below, window.height - box.height - margin)) : above
  return { left, top }
}

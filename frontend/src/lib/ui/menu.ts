import type { Component } from 'svelte'

/** A row of a Menu: an action, a heading, or a line between groups. */
export type MenuEntry = MenuItem | { heading: string } | 'line'

export interface MenuItem {
  label: string
  icon?: Component
  /** The keys with the same effect. */
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

/** The place of a menu: at a point, or below an element. */
export type MenuPlace = { x: number; y: number } | { element: Element; end?: boolean }

export const isItem = (entry: MenuEntry): entry is MenuItem => typeof entry === 'object' && 'run' in entry

/** The next item that can be chosen, moving by step from index and wrapping around. */
export function nextItem(entries: MenuEntry[], index: number, step: 1 | -1): number {
  for (let n = 1; n <= entries.length; n++) {
    const at = (index + step * n + entries.length * n) % entries.length
    const entry = entries[at]!
    if (isItem(entry) && !entry.disabled) return at
  }
  return -1
}

/** The next item whose label begins with text. */
export function findItem(entries: MenuEntry[], index: number, text: string): number {
  for (let n = 1; n <= entries.length; n++) {
    const at = (index + n) % entries.length
    const entry = entries[at]!
    if (isItem(entry) && !entry.disabled && entry.label.toLowerCase().startsWith(text.toLowerCase())) return at
  }
  return -1
}

/** The longest pause between letters that are searched together, in milliseconds. */
const soon = 700

/**
 * TypeAhead finds items by the beginnings of their labels. The first letter finds the first match, the same
 * letter again the next one, and letters typed quickly are searched together.
 */
export class TypeAhead {
  #typed = ''
  #at = -Infinity

  /** The item for a letter typed at a time in milliseconds; -1 for none. index: the active item. */
  find(entries: MenuEntry[], index: number, letter: string, at: number): number {
    const first = this.#at === -Infinity
    const typed = (this.#typed = (at - this.#at < soon ? this.#typed : '') + letter.toLowerCase())
    this.#at = at
    if ([...typed].some((c) => c !== typed[0])) return findItem(entries, index - 1, typed)
    return findItem(entries, first ? -1 : index, letter)
  }
}

/** The left and top that keep a box of a size inside the window, flipped to the other side if necessary. */
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

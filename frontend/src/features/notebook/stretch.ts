import type { CellState } from './cell.svelte'
import type { MessageState } from './message.svelte'

/** How many messages of an answer are drawn, or left out, together. */
export const STRETCH = 6
/** What a line of a tool call takes, and a character of text at most widths, in pixels. */
const LINE = 26
const CHAR = 0.34

/** Where the stretches of an answer begin. */
export function stretches(messages: number): number[] {
  return Array.from({ length: Math.ceil(messages / STRETCH) }, (_, i) => i * STRETCH)
}

/** Where the stretch of a message begins. */
export function stretchOf(index: number): number {
  return index - (index % STRETCH)
}

/** The height, in pixels, of messages that were never drawn. */
export function guessHeight(messages: readonly MessageState[]): number {
  return messages.reduce((sum, m) => (m.role === 'tool' ? sum : sum + m.toolCalls.length * LINE + (m.reasoning ? LINE : 0) + Math.round(m.doc.length * CHAR)), 0)
}

/**
 * Heights remembers how high the stretches of a cell's answer were, while its
 * row is out of the page: a list that comes back must not jump. Another width
 * breaks lines anew, and what was measured counts no more.
 */
export class Heights {
  static readonly #all = new WeakMap<CellState, Heights>()
  #width = 0
  #known = new Map<number, number>()

  static of(cell: CellState): Heights {
    let heights = Heights.#all.get(cell)
    if (!heights) Heights.#all.set(cell, (heights = new Heights()))
    return heights
  }

  get(from: number, width: number): number | undefined {
    return width === this.#width ? this.#known.get(from) : undefined
  }

  set(from: number, width: number, height: number): void {
    if (width !== this.#width) this.#known.clear()
    this.#width = width
    this.#known.set(from, height)
  }
}

/** Whether a stretch stays in the page though it is far away: it holds what would be lost, or somebody is in it. */
export function stays(node: HTMLElement): boolean {
  if (node.contains(document.activeElement) || node.querySelector('[aria-expanded="true"], [data-approval]')) return true
  const selected = getSelection()
  return selected !== null && !selected.isCollapsed && selected.containsNode(node, true)
}

import type { CellState } from './cell.svelte'
import type { MessageState } from './message.svelte'

/** The number of messages of an answer that are drawn, or left out, together. */
export const BATCH = 6
/** The height of a tool call's line, and the area of a character at most widths, in pixels. */
const LINE = 26
const CHAR = 0.34

/** The first message of each batch of an answer. */
export function batchStarts(messages: number): number[] {
  return Array.from({ length: Math.ceil(messages / BATCH) }, (_, i) => i * BATCH)
}

/** The first message of the batch that contains a message. */
export function batchStart(index: number): number {
  return index - (index % BATCH)
}

/** The estimated height, in pixels, of messages that were never drawn. */
export function guessHeight(messages: readonly MessageState[]): number {
  return messages.reduce(
    (sum, m) => (m.role === 'tool' ? sum : sum + m.toolCalls.length * LINE + (m.reasoning ? LINE : 0) + Math.round(m.doc.length * CHAR)),
    0,
  )
}

/**
 * Heights remembers the heights of the message batches of a cell's answer while its row is out of
 * the page: a list that comes back must not jump. Another width changes the line breaks and
 * invalidates the measured heights.
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

/** Whether a batch stays in the page although it is far away: it has state that would be lost. */
export const stays = (node: HTMLElement): boolean => node.querySelector('[aria-expanded="true"], [data-approval]') !== null

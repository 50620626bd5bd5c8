import { afterTurns } from './frame'
import type { HeightMap } from './virtual'

/** What RowSizes asks of its list. */
interface List {
  /** Reads the list's own size again: whether that changed, and whether its width did, so that lines break elsewhere. */
  resized: () => { changed: boolean; width: boolean }
  /** Puts the rows where they belong by their heights; width: after a change of the list's width. */
  arrange: (width: boolean) => void
}

/** A list of rows for what has rows of it drawn that are not near the view. */
export interface RowList {
  /** The element whose children are the rows. */
  element(): HTMLElement | undefined
  /** All rows, by name, in order. */
  ids(): readonly string[]
  sizes(): RowSizes
}

/**
 * RowSizes measures the drawn rows of a list: whenever their size changes, and at once after text has streamed in, since
 * the observer comes after the layout of a frame and would need a second one.
 */
export class RowSizes {
  readonly #map: HeightMap
  readonly #list: List
  readonly #rows = new Map<string, HTMLElement>()
  #node: HTMLElement | undefined
  readonly #observer = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver((entries) => this.#observed(entries))

  constructor(map: HeightMap, list: List) {
    this.#map = map
    this.#list = list
  }

  /** The element of a row; undefined if it is not drawn. */
  row(id: string): HTMLElement | undefined {
    return this.#rows.get(id)
  }

  /** Watches the element of a row, which has its id as data-row; returns a function that ends it. */
  watchRow(node: HTMLElement): () => void {
    const id = node.dataset.row!
    this.#rows.set(id, node)
    this.#observer?.observe(node)
    return () => {
      this.#observer?.unobserve(node)
      if (this.#rows.get(id) === node) this.#rows.delete(id)
    }
  }

  /** Watches the size of the list; returns a function that ends it. */
  watchList(node: HTMLElement): () => void {
    this.#node = node
    this.#observer?.observe(node)
    return () => this.#observer?.unobserve(node)
  }

  /** Measures after each turn of Frames; returns a function that ends it. */
  followTurns(): () => void {
    return afterTurns(() => this.measure())
  }

  /** Measures the drawn rows at once. */
  measure(): void {
    let changed = false
    for (const [id, row] of this.#rows) {
      const { height } = row.getBoundingClientRect()
      // Zoomed, it is not in the pixels of the list: the observer's is.
      if (height > 0 && Math.abs(height - row.offsetHeight) <= 0.5) changed = this.#map.measure(id, height) || changed
    }
    if (changed) this.#list.arrange(false)
  }

  disconnect(): void {
    this.#observer?.disconnect()
  }

  #observed(entries: readonly ResizeObserverEntry[]): void {
    // First, whatever the order of the entries: another width forgets heights, even of rows that did not change.
    const { changed, width } = entries.some(({ target }) => target === this.#node) ? this.#list.resized() : { changed: false, width: false }
    let any = changed
    if (width) for (const [id, row] of this.#rows) if (row.offsetHeight > 0) any = this.#map.measure(id, row.offsetHeight) || any
    for (const { target, borderBoxSize } of entries) {
      const row = target as HTMLElement
      const id = row.dataset.row
      const height = borderBoxSize[0]?.blockSize ?? row.offsetHeight
      if (id !== undefined && this.#rows.get(id) === row && height > 0) any = this.#map.measure(id, height) || any
    }
    if (any) this.#list.arrange(width)
  }
}

/**
 * The arithmetic of a long list of rows with different heights: the position of a
 * row, the row at a point, and where to scroll so that the content that the
 * person reads stays in place when heights or rows change.
 *
 * Pure: it knows no DOM. VirtualList.svelte is its caller.
 */
import type { Place } from './readingPosition'

/** A point of the content that should stay in place on the screen. */
export interface Anchor {
  /** The row's key. */
  key: string
  /** Pixels from the row's top edge to the viewport's top edge; negative if the row starts below it. */
  into: number
}

/**
 * HeightMap keeps the height of every row, measured or estimated, in a Fenwick tree: a change or a
 * query costs O(log n). Replacing the rows costs O(n).
 */
export class HeightMap {
  #keys: readonly string[] = []
  #index = new Map<string, number>()
  #heights = new Float64Array(0)
  #tree = new Float64Array(1)
  /** Measured heights by key: they outlive a row that leaves and comes back. */
  #measured = new Map<string, number>()

  get length(): number {
    return this.#keys.length
  }

  get total(): number {
    return this.offset(this.#keys.length)
  }

  /**
   * setRows sets the current rows, in order. Measured rows keep their height; guess estimates the
   * others.
   */
  setRows(keys: readonly string[], guess: (index: number) => number): void {
    const n = keys.length
    this.#keys = keys
    this.#index = new Map()
    this.#heights = new Float64Array(n)
    this.#tree = new Float64Array(n + 1)
    for (let i = 0; i < n; i++) {
      const key = keys[i]!
      this.#index.set(key, i)
      const height = this.#measured.get(key) ?? guess(i)
      this.#heights[i] = height
      this.#tree[i + 1] = height
    }
    for (let i = 1; i <= n; i++) {
      const up = i + (i & -i)
      if (up <= n) this.#tree[up]! += this.#tree[i]!
    }
  }

  /** measure sets the height of a row and returns whether that changed anything. */
  measure(key: string, height: number): boolean {
    this.#measured.set(key, height)
    const i = this.#index.get(key)
    if (i === undefined) return false
    const by = height - this.#heights[i]!
    if (Math.abs(by) < 0.01) return false
    this.#heights[i] = height
    for (let j = i + 1; j < this.#tree.length; j += j & -j) this.#tree[j]! += by
    return true
  }

  /** forget drops the measured heights, for a new width: the next setRows estimates them again. */
  forget(): void {
    this.#measured.clear()
  }

  height(index: number): number {
    return this.#heights[index] ?? 0
  }

  /** offset returns the distance from the top of the list to the top of row index. */
  offset(index: number): number {
    let sum = 0
    for (let j = Math.min(index, this.#keys.length); j > 0; j -= j & -j) sum += this.#tree[j]!
    return sum
  }

  indexOf(key: string): number {
    return this.#index.get(key) ?? -1
  }

  /** at returns the row at the point y; the first or last one if y is outside. */
  at(y: number): number {
    const n = this.#keys.length
    let i = 0
    let rest = y
    for (let step = 1 << (31 - Math.clz32(n || 1)); step > 0; step >>= 1) {
      const next = i + step
      if (next <= n && this.#tree[next]! <= rest) {
        i = next
        rest -= this.#tree[next]!
      }
    }
    return Math.max(0, Math.min(i, n - 1))
  }

  /** range returns the rows that touch [top, bottom), as [first, last] inclusive; [0, -1] if there are none. */
  range(top: number, bottom: number): [number, number] {
    if (this.#keys.length === 0) return [0, -1]
    return [this.at(Math.max(0, top)), this.at(Math.max(0, bottom))]
  }

  /**
   * spread returns the indices of the rows that touch [top, bottom) and of the rows with these keys, in order and each once.
   */
  spread(top: number, bottom: number, keys: readonly string[]): number[] {
    const [first, last] = this.range(top, bottom)
    const rows = [...new Set(keys)].map((key) => this.indexOf(key)).filter((i) => i >= 0 && (i < first || i > last))
    for (let i = first; i <= last; i++) rows.push(i)
    return rows.sort((a, b) => a - b)
  }

  /** anchorAt returns the point of the content at the viewport's top edge. */
  anchorAt(scrollTop: number): Anchor | undefined {
    if (this.#keys.length === 0) return undefined
    const i = this.at(scrollTop)
    return { key: this.#keys[i]!, into: scrollTop - this.offset(i) }
  }

  /** scrollFor returns the scroll position that restores an anchor; undefined if its row is gone. */
  scrollFor(anchor: Anchor): number | undefined {
    const i = this.indexOf(anchor.key)
    return i < 0 ? undefined : this.offset(i) + anchor.into
  }
}

/** A row to draw. */
export interface Row<T> {
  readonly item: T
  readonly index: number
}

/**
 * keepEqual returns the rows of now. A row that did not change is the object from before, so that Svelte
 * does not update it; if none changed, the result is before itself.
 */
export function keepEqual<T>(before: readonly Row<T>[], now: readonly Row<T>[]): readonly Row<T>[] {
  const known = new Map(before.map((row) => [row.item, row]))
  const rows = now.map((row) => {
    const old = known.get(row.item)
    return old?.index === row.index ? old : row
  })
  return rows.length === before.length && rows.every((row, i) => row === before[i]) ? before : rows
}

/** The state of a hidden list: pass it back to show the list as it was left. */
export class ListMemory {
  readonly map = new HeightMap()
  width = 0
  #place: Place | undefined
  readonly #left: (place: Place | undefined) => void

  /** left is called with the reading position; undefined: at the end. */
  constructor(left: (place: Place | undefined) => void = () => undefined) {
    this.#left = left
  }

  /** The reading position; undefined: at the end, where a list begins. */
  get place(): Place | undefined {
    return this.#place
  }
  get atEnd(): boolean {
    return this.#place === undefined
  }

  /** start sets the first position of a list that was not shown yet. */
  start(place: Place | undefined): void {
    this.#place = place
  }

  leave(place: Place | undefined): void {
    this.#place = place
    this.#left(place)
  }
}

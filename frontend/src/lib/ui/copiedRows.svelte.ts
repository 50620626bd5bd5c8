import { flushSync } from 'svelte'
import { rowsWithin } from './inUse'
import type { RowList } from './rowSizes'
import type { LateCopy, Take } from './selectedText'

/** Rows whose content is fetched when they come near the view. */
export interface FetchedRows {
  /** Whether the content of one of these rows is not there. */
  lacks(ids: readonly string[]): boolean
  /** Fetches it; false if that failed. */
  fetch(ids: readonly string[]): Promise<boolean>
  /** Copies the text of a number of rows once it is there; undefined: some of it cannot be had. Says why if that fails. */
  copy(rows: number, text: Promise<string | undefined>, current: () => boolean): Promise<void>
}

/** The list whose rows are copied. */
interface CopiedList extends RowList {
  fetched(): FetchedRows | undefined
}

/** The most rows that a copy draws at the same time: many would take more memory than a page has. */
const MOST = 60
/** How many rows are fetched, drawn and read in one go. */
const BATCH = 40

/** CopiedRows has the rows of a list drawn that somebody copies, wherever they are. */
export class CopiedRows {
  readonly #list: CopiedList
  #drawn = $state.raw<readonly string[]>([])
  /** The rows at the ends of a range that is read part by part: the range would be lost with them. */
  #ends = $state.raw<readonly string[]>([])

  constructor(list: CopiedList) {
    this.#list = list
  }

  /** The rows that stay drawn. */
  get stay(): readonly string[] {
    return [...this.#ends, ...this.#drawn]
  }

  /** draw draws the rows of a range; see drawsForCopy. Rows that are not there yet, and a great many, are read part by part. */
  readonly draw = (range: Range): boolean | LateCopy => {
    const list = this.#list
    const ends = rowsWithin(list.element(), range)
    if (!ends) return false
    const between = this.#between(ends)
    const absent = between.filter((id) => !list.sizes().row(id))
    const rows = list.fetched()
    if (rows && (absent.length > MOST || rows.lacks(between)))
      return (kept, take, current) => {
        void rows.copy(between.length, this.#read(rows, ends, kept, take, current), current)
      }
    if (absent.length === 0) return false
    this.#drawn = between
    setTimeout(() => (this.#drawn = []))
    return true
  }

  #between([first, last]: readonly string[]): readonly string[] {
    const ids = this.#list.ids()
    return ids.slice(ids.indexOf(first!), ids.indexOf(last!) + 1)
  }

  /** Reads a range part by part; undefined if some of it cannot be had. */
  async #read(rows: FetchedRows, ends: readonly string[], range: Range, take: Take, current: () => boolean): Promise<string | undefined> {
    this.#ends = ends
    try {
      const parts: string[] = []
      const between = this.#between(ends)
      for (let at = 0; at < between.length; at += BATCH) {
        let batch = between.slice(at, at + BATCH)
        // eslint-disable-next-line no-restricted-syntax -- a rest, so that the page answers meanwhile: a hidden page has no frames to wait for
        await new Promise((rested) => setTimeout(rested))
        // Right before they are read: bodies that nobody sees may be dropped.
        if (rows.lacks(batch) && !(await rows.fetch(batch))) return undefined
        if (!current()) return undefined
        const left = new Set(this.#list.ids()) // rows may be removed meanwhile
        batch = batch.filter((id) => left.has(id))
        if (batch.length === 0) continue
        this.#drawn = batch
        flushSync()
        const part = this.#part(batch, ends, range)
        if (!part) return undefined
        const read = take(part)
        // Not laid out where they are: only their copies are.
        this.#drawn = []
        flushSync()
        parts.push(read())
      }
      return parts.join('\n\n')
    } finally {
      if (this.#ends === ends) [this.#ends, this.#drawn] = [[], []]
    }
  }

  /**
   * The part of a range in some of its rows; undefined if the rows are gone. Rows between its ends are in it as a whole,
   * wherever the range is now: if the last row is removed, it ends before those that are drawn later.
   */
  #part(ids: readonly string[], ends: readonly string[], range: Range): Range | undefined {
    const [first, last] = [ids.at(0)!, ids.at(-1)!].map((id) => {
      const row = this.#list.sizes().row(id)
      return row && ends.includes(id) && !range.intersectsNode(row) ? undefined : row
    })
    if (!first || !last) return undefined
    const part = document.createRange()
    part.setStart(first, 0)
    part.setEnd(last, last.childNodes.length)
    if (first.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset)
    if (last.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset)
    return part
  }
}

import type { Wanted } from './selection.svelte'

/**
 * ScrollToChange scrolls to cells that the person moved, or changed by undo or redo, once both the
 * call's answer and its event have arrived, whichever comes first.
 */
export class ScrollToChange {
  readonly #show: (cell: string, part: Wanted['part']) => void
  #asked: { seq: number; part: Wanted['part']; cell: string | undefined } | undefined
  #spliced: { seq: number; cell: string } | undefined

  constructor(show: (cell: string, part: Wanted['part']) => void) {
    this.#show = show
  }

  /** asked notes that the event with this number belongs to the person's action, on this cell if known. */
  asked(seq: number, part: Wanted['part'], cell?: string): void {
    this.#asked = { seq, part, cell }
    this.#meet()
  }

  /** spliced notes which cell an event changed. */
  spliced(seq: number, cell: string | undefined): void {
    this.#spliced = cell === undefined ? undefined : { seq, cell }
    this.#meet()
  }

  #meet(): void {
    if (!this.#asked || this.#asked.seq !== this.#spliced?.seq) return
    this.#show(this.#asked.cell ?? this.#spliced.cell, this.#asked.part)
    this.#asked = this.#spliced = undefined
  }
}

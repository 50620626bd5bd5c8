import { Fault } from '$lib/backend/fault'
import type { FetchedRows } from '$lib/ui/copiedRows.svelte'
import type { NotebookState } from './notebook.svelte'
import { t } from '$lib/language/language'

/** Copying copies selected cells whose bodies must be fetched first, or that are very many. */
export class Copying implements FetchedRows {
  readonly #book: NotebookState
  #waiting = $state.raw(0)
  /** The number of copies so far. */
  #copies = 0

  constructor(book: NotebookState) {
    this.#book = book
  }

  /** The number of cells that are being copied; 0 when nothing waits. */
  get waiting(): number {
    return this.#waiting
  }

  lacks(ids: readonly string[]): boolean {
    return ids.some((id) => this.#book.cell(id)?.loaded === false)
  }

  fetch(ids: readonly string[]): Promise<boolean> {
    return this.#book.fetchedAll(ids)
  }

  async copy(rows: number, text: Promise<string | undefined>, current: () => boolean): Promise<void> {
    const mine = ++this.#copies
    this.#waiting = rows
    try {
      const copied = await text
      if (!current()) return
      if (copied === undefined)
        throw new Fault('internal', t`Nothing was copied: some of the selected cells could not be loaded. Copy them again.`)
      await this.#book.backend.copyText(copied)
    } catch (thrown) {
      if (current()) this.#book.say(thrown)
    } finally {
      if (mine === this.#copies) this.#waiting = 0
    }
  }
}

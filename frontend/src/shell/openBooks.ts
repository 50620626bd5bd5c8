import { SvelteMap } from 'svelte/reactivity'
import type { Backend } from '$lib/backend/backend'
import { newID } from '../features/notebook/cells.svelte'
import { NotebookState } from '../features/notebook/notebook.svelte'

/**
 * OpenBooks are the notebooks that have a tab. One is loaded when it comes to
 * the front for the first time, and let go of with its tab.
 */
export class OpenBooks {
  readonly #backend: Backend
  readonly #lost: (path: string, texts: readonly string[]) => void
  readonly #clientId = newID()
  readonly #books = new SvelteMap<string, NotebookState>()

  /** lost is told the texts that a notebook took with it, as they could not be sent. */
  constructor(backend: Backend, lost: (path: string, texts: readonly string[]) => void) {
    this.#backend = backend
    this.#lost = lost
  }

  get(path: string): NotebookState | undefined {
    return this.#books.get(path)
  }

  /** Takes which tabs there are, and the path of the notebook in front; "" while there is none. */
  follow(tabs: readonly string[], front: string): void {
    const open = new Set(tabs)
    for (const [path, book] of this.#books) {
      if (open.has(path)) continue
      this.#books.delete(path)
      void book.dispose().then((texts) => texts.length > 0 && this.#lost(path, texts))
      // Behind what was typed: calls about a notebook keep their order.
      void this.#backend.call.CloseNotebook(path, this.#backend.window).catch(() => undefined)
    }
    if (!front || this.#books.has(front)) return
    const book = new NotebookState(this.#backend, front, this.#clientId)
    this.#books.set(front, book)
    void book.load()
  }

  /** Loads all of them again, since events were missed; what is typed stays. */
  async load(): Promise<void> {
    await Promise.all([...this.#books.values()].map((book) => book.reload()))
  }

  dispose(): void {
    for (const book of this.#books.values()) void book.dispose()
  }
}

import { Fault, type Backend } from '$lib/backend/backend'
import type { Toasts } from '$lib/ui/toasts.svelte'
import type { OpenBooks } from './openBooks'

/** What a rescue asks of the window. */
export interface RescueHost {
  books: () => OpenBooks
  toasts: Toasts
  nameOf(path: string): string
  copy(text: string): Promise<void>
  /** Shows a notebook in the place of another one. */
  replace(path: string, by: string): void
}

/** Rescue keeps what was typed when there is no notebook any more that could hold it. */
export class Rescue {
  readonly #backend: Backend
  readonly #host: RescueHost

  constructor(backend: Backend, host: RescueHost) {
    this.#backend = backend
    this.#host = host
  }

  /** anew makes a new notebook of what was typed into one whose file is gone, and closes that. */
  async anew(path: string): Promise<void> {
    const drafts = this.#host.books().get(path)?.drafts
    if (!drafts) return
    try {
      const made = await this.#backend.call.CreateNotebook({ name: this.#host.nameOf(path) })
      await this.#backend.call.Edit(made, drafts.unsaved.map((text) => ({ kind: 'insert', text })), '')
      drafts.abandon()
      this.#host.replace(path, made)
    } catch (thrown) {
      this.#host.toasts.failed('Could not save what you typed as a new notebook', `${Fault.from(thrown).message} It is still in this window: try again, or copy it.`)
    }
  }

  /** lost offers one last time what was typed into a notebook that is closed and did not take it. */
  lost(path: string, texts: readonly string[]): void {
    this.#host.toasts.failed(`Could not save what you typed in “${this.#host.nameOf(path)}”`, 'Its tab was closed, so it is nowhere else. Copy it before you close this notice.', {
      label: 'Copy what you typed',
      run: () => void this.#host.copy(texts.join('\n\n')),
    })
  }
}

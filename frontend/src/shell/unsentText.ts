import { Fault, type Backend } from '$lib/backend/backend'
import { sentence } from '$lib/format/sentence'
import type { Toasts } from '$lib/ui/toasts.svelte'
import type { OpenBooks } from './openBooks'
import { t } from '$lib/language/language'

/** The functions of the window that Rescue uses. */
export interface RescueHost {
  books: () => OpenBooks
  toasts: Toasts
  nameOf(path: string): string
  copy(text: string): Promise<void>
  /** Shows a notebook in another notebook's tab. */
  replace(path: string, by: string): void
}

/** Rescue keeps typed text whose notebook no longer exists. */
export class Rescue {
  readonly #backend: Backend
  readonly #host: RescueHost

  constructor(backend: Backend, host: RescueHost) {
    this.#backend = backend
    this.#host = host
  }

  /** Saves the text typed into a notebook whose file is gone as a new notebook, and closes the old one. */
  async anew(path: string): Promise<void> {
    const drafts = this.#host.books().get(path)?.drafts
    if (!drafts) return
    try {
      const made = await this.#backend.call.CreateNotebook({ name: this.#host.nameOf(path) })
      await this.#backend.call.Edit(
        made,
        drafts.unsaved.map((text) => ({ kind: 'insert', text })),
        '',
      )
      drafts.abandon()
      this.#host.replace(path, made)
    } catch (thrown) {
      this.#host.toasts.failed(
        t`Could not save what you typed as a new notebook`,
        t`${sentence(Fault.from(thrown).message)} It is still in this window: try again, or copy it.`,
      )
    }
  }

  /** Offers typed text that a closed notebook did not accept, for the last time. */
  lost(path: string, texts: readonly string[]): void {
    this.#host.toasts.failed(
      t`Could not save what you typed in “${this.#host.nameOf(path)}”`,
      t`Its tab was closed, so it is nowhere else. Copy it before you close this notice.`,
      {
        label: t`Copy what you typed`,
        run: () => void this.#host.copy(texts.join('\n\n')),
      },
    )
  }
}

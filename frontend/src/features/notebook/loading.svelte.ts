import type { notebook } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import { Retry } from './retry'
import type { NotebookEvent } from './notebookEvent'
import { t } from '$lib/language/language'

export type Status = 'loading' | 'ready' | 'problem' | 'failed'

/** The functions of the notebook that Loading uses. */
export interface Loads {
  fetch(): Promise<notebook.View>
  /** Takes the loaded notebook. */
  take(view: notebook.View): void
  /** Applies an event that waited. */
  apply(e: NotebookEvent): void
  /** Shows a lasting failure; undefined clears it. */
  say(text: string | undefined): void
}

/**
 * Loading loads a notebook, initially and again. Events that arrive during a load wait. A failed
 * reload is retried later; the old state stays.
 */
export class Loading {
  readonly #does: Loads
  #status = $state.raw<Status>('loading')
  #fault = $state.raw<Fault | undefined>()
  #kept: NotebookEvent[] | undefined = []
  /** Events were missed: the state is too old for later ones until it is reloaded. */
  #stale = false
  #loads = 0
  #stopped = false
  readonly #again = new Retry(() => void this.load())

  constructor(does: Loads) {
    this.#does = does
  }

  get status(): Status {
    return this.#status
  }
  /** Why the notebook could not be loaded. */
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** holds reports whether an event must not be applied now: it waits, or the next load contains it. */
  holds(e: NotebookEvent): boolean {
    if (this.#kept) {
      this.#kept.push(e)
      return true
    }
    return this.#stale && e.type !== 'pathsDropped' && e.type !== 'notebookSaved' && e.type !== 'diskConflict'
  }

  /** load loads the notebook. A newer load replaces an older one; a failed one is retried. */
  async load(): Promise<void> {
    const mine = ++this.#loads
    this.#again.cancel()
    this.#kept ??= []
    try {
      const view = await this.#does.fetch()
      if (mine !== this.#loads || this.#stopped) return
      this.#again.worked()
      this.#does.say(undefined)
      this.#does.take(view)
      this.#fault = undefined
      this.#stale = false
      this.#status = view.problem ? 'problem' : 'ready'
      this.#release()
    } catch (thrown) {
      if (mine !== this.#loads || this.#stopped) return
      this.#fault = Fault.from(thrown)
      if (this.#status !== 'ready') {
        this.#status = 'failed'
        this.#kept = undefined
        return
      }
      this.#does.say(
        t`Could not load the notebook again: ${this.#fault.message} This view may be older than the file; Mutsumi tries again.`,
      )
      this.#again.failed()
      this.#release()
    }
  }

  /** reload loads after events were missed: no event is applied before the notebook is loaded. */
  reload(): Promise<void> {
    this.#stale = true
    return this.load()
  }

  #release(): void {
    const kept = this.#kept ?? []
    this.#kept = undefined
    for (const e of kept) this.#does.apply(e)
  }

  stop(): void {
    this.#stopped = true
    this.#again.cancel()
  }
}

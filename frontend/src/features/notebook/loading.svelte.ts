import type { notebook } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import { Again } from './again'
import type { NotebookEvent } from './notebook.svelte'

export type Status = 'loading' | 'ready' | 'problem' | 'failed'

/** What loading does to the notebook. */
export interface Loads {
  fetch(): Promise<notebook.View>
  /** Takes what was fetched. */
  take(view: notebook.View): void
  /** Applies an event that waited. */
  apply(e: NotebookEvent): void
  /** Says what does not work as long as it does not; undefined: it works again. */
  say(text: string | undefined): void
}

/**
 * Loading fetches a notebook, at first and again. Events that come meanwhile
 * wait. A notebook that cannot be fetched again is asked for again later; what
 * was there stays.
 */
export class Loading {
  readonly #does: Loads
  #status = $state.raw<Status>('loading')
  #fault = $state.raw<Fault | undefined>()
  #kept: NotebookEvent[] | undefined = []
  /** Events were missed: what is here is older than they take for granted, until it is loaded. */
  #stale = false
  #loads = 0
  #stopped = false
  readonly #again = new Again(() => void this.load())

  constructor(does: Loads) {
    this.#does = does
  }

  get status(): Status { return this.#status }
  /** Why it could not be loaded. */
  get fault(): Fault | undefined { return this.#fault }

  /** holds says whether an event is not to be applied now: it waits, or the load that is to come holds it. */
  holds(e: NotebookEvent): boolean {
    if (this.#kept) {
      this.#kept.push(e)
      return true
    }
    return this.#stale && e.type !== 'pathsDropped' && e.type !== 'notebookSaved' && e.type !== 'diskConflict'
  }

  /** load fetches the notebook. A newer load wins over an older one; one that fails is tried again. */
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
      this.#does.say(`Could not load the notebook again: ${this.#fault.message} What is shown may be older than the file; it is tried again.`)
      this.#again.failed()
      this.#release()
    }
  }

  /** reload loads after events were missed: none is applied before the notebook is there. */
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

import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend, type BackendEvent, type summaries, type workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Follower } from '$lib/follow/follower'
import { Recent } from '$lib/follow/recent'
import { changedMs } from '$lib/follow/refreshDelays'
import { t } from '$lib/language/language'

/** The summary that the person wants. */
export type Wanted = Omit<summaries.Wanted, 'keep'> & { keep?: number }

/** The callbacks of SummariesState. */
export interface SummariesHost {
  failed(title: string, fault: Fault): void
  /** A summary that the person asked for is ready. */
  made(path: string, cell: string): void
}

/** How many summaries and notebooks are cached. */
const maxKept = 24
/** The share of the trigger from which a summary is offered. */
const offeredFrom = 0.75
/** After "Later", the growth, as a share of the trigger, until it is offered again. */
const laterShare = 0.1

/**
 * SummariesState knows what a summary of the notebook on view would do, which summaries are being
 * made, and what existing ones leave out.
 */
export class SummariesState implements Feature {
  readonly #backend: Backend
  readonly #host: SummariesHost
  readonly #running = new SvelteSet<string>()
  readonly #offers = new Recent<summaries.Offer>(maxKept)
  readonly #details = new Recent<summaries.Details>(maxKept)
  /** By notebook, the tokens from which it is offered again. */
  readonly #later = new SvelteMap<string, number>()
  readonly #asked = new SvelteSet<string>()
  readonly #offerOf: Follower<string, summaries.Offer>
  /** The versions of summaries that were, or are being, compared. */
  readonly #compared = new Map<string, number>()
  #path = $state.raw<string>()
  #fault = $state.raw<Fault>()

  constructor(backend: Backend, host: SummariesHost) {
    this.#backend = backend
    this.#host = host
    this.#offerOf = new Follower({
      ask: (path) => backend.call.Compaction(path),
      subject: (path) => path,
      answered: (offer, path) => {
        this.#offers.set(path, offer)
        if (offer.running) this.#running.add(path)
      },
      failed: () => undefined, // if the notebook cannot be read, its view says why
    })
  }

  /** Why the comparison of the summary failed. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** Whether the person's summary of a notebook is being made. */
  isRunning(path: string): boolean {
    return this.#running.has(path)
  }
  /** What a summary of a notebook would do, as far as known. */
  offer(path: string): summaries.Offer | undefined {
    return this.#offers.get(path)
  }
  /** Whether to offer a summary: the conversation is long, or the person asked. */
  isOffered(path: string): boolean {
    const o = this.#offers.get(path)
    if (!o || o.covers.length === 0) return false
    return this.#asked.has(path) || (o.trigger > 0 && o.tokens >= Math.max(o.trigger * offeredFrom, this.#later.get(path) ?? 0))
  }
  /** What a summary leaves out, and the lengths of its parts. */
  details(path: string, cell: string): summaries.Details | undefined {
    return this.#details.get(`${path}#${cell}`)
  }

  /** follow sets the notebook on view. */
  follow(path: string | undefined): void {
    this.#path = path
    if (path === undefined) this.#offerOf.stop()
    else this.#offerOf.ask(path)
  }
  /** look finds out, once per version of its cell, what a summary leaves out. */
  async look(path: string, cell: string, rev: number): Promise<void> {
    const key = `${path}#${cell}`
    if (this.#compared.get(key) === rev) return
    this.#compared.set(key, rev)
    try {
      const details = await this.#backend.call.SummaryDetails(path, cell)
      if (this.#compared.get(key) !== rev) return // a newer version is being compared
      this.#fault = undefined
      this.#details.set(key, details)
    } catch (thrown) {
      if (this.#compared.get(key) === rev) this.#compared.delete(key)
      const fault = Fault.from(thrown)
      if (fault.kind !== 'notFound') this.#fault = fault // it was deleted in the meantime
    }
  }

  load(_snapshot: workspace.Snapshot, again: boolean): void {
    if (!again) return
    this.#running.clear() // the event that one ended may be lost; the offer says if it still runs
    this.#offerOf.again()
  }
  apply(e: BackendEvent): void {
    switch (e.type) {
      case 'compaction': {
        const { path, running, cell, fault } = e.data
        if (running) {
          this.#running.add(path)
          return
        }
        this.#running.delete(path)
        if (fault) this.#host.failed(t`Could not make a summary`, Fault.of(fault))
        else if (cell) {
          this.#asked.delete(path)
          this.#host.made(path, cell)
        }
        if (path === this.#path) this.#offerOf.again()
        return
      }
      case 'runFinished':
      case 'contextChanged':
      case 'notebookReloaded':
        if (e.data.path === this.#path || e.data.path === '') this.#offerOf.again(changedMs)
        return
      case 'settingsChanged':
        this.#offerOf.again(changedMs)
        return
      default: // concerns no summary
    }
  }
  stop(): void {
    this.#offerOf.stop()
  }

  /** ask offers a summary because the person wants to see one. */
  ask(path: string): void {
    this.#asked.add(path)
    this.#later.delete(path)
    if (path === this.#path) this.#offerOf.again()
  }
  /** later postpones the offer until the conversation has grown. */
  later(path: string): void {
    const o = this.#offers.get(path)
    this.#asked.delete(path)
    if (o) this.#later.set(path, o.tokens + o.trigger * laterShare)
  }

  compact(path: string, wanted: Wanted = {}): Promise<boolean> {
    return this.#do(t`Could not make a summary`, () => this.#backend.call.Compact(path, { keep: 0, ...wanted }))
  }
  cancel(path: string): Promise<boolean> {
    return this.#do(t`Could not stop the summary`, () => this.#backend.call.StopCompaction(path))
  }
  /** use sends a summary instead of its cells, or the cells again. */
  use(path: string, cell: string, on: boolean): Promise<boolean> {
    return this.#do(on ? t`Could not use the summary` : t`Could not undo the summary`, () =>
      this.#backend.call.SwitchSummary(path, cell, on),
    )
  }
  /** pin adds texts to a summary word for word, or removes them. */
  pin(path: string, cell: string, texts: string[], on: boolean): Promise<boolean> {
    return this.#do(t`Could not change the summary`, () => this.#backend.call.PinInSummary(path, cell, texts, on))
  }

  async #do(title: string, call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call()
      return true
    } catch (thrown) {
      this.#host.failed(title, Fault.from(thrown))
      return false
    }
  }
}

import type { BackendEvent, Fault } from '$lib/backend/backend'
import { Follower } from './follower'
import { changedMs, requestAfter, typedMs, type Target } from './refreshDelays'

/** The requests of a CellFollower, and the receiver of the answers. */
export interface CellFollowing<A> {
  ask(target: Target, signal: AbortSignal): Promise<A>
  answered(answer: A, target: Target): void
  /** Another notebook, with this path, is followed from now on. */
  moved?(path: string): void
}

/**
 * CellFollower keeps an answer about the next request of the current cell: it asks again while the
 * person types, and when an event changes the request.
 */
export class CellFollower<A> {
  readonly #of: CellFollowing<A>
  readonly #follower: Follower<Target, A>
  #target = $state.raw<Target>()
  #fault = $state.raw<Fault>()

  constructor(of: CellFollowing<A>) {
    this.#of = of
    this.#follower = new Follower({
      ask: (t, signal) => of.ask(t, signal),
      subject: (t) => t.path,
      answered: (answer, t) => {
        of.answered(answer, t)
        this.#fault = undefined
      },
      failed: (fault) => {
        if (fault.kind !== 'canceled') this.#fault = fault
      },
    })
  }

  /** The cell that is followed; undefined for none. */
  get target(): Target | undefined {
    return this.#target
  }
  /** Why the last request failed. */
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** follow sets the cell; undefined for none. */
  follow(target: Target | undefined): void {
    const before = this.#target
    this.#target = target
    if (!target) {
      this.#follower.stop()
      return
    }
    if (before?.path !== target.path) {
      this.#fault = undefined
      this.#of.moved?.(target.path)
    }
    this.#follower.ask(target, before?.cell === target.cell ? typedMs : changedMs)
  }

  apply(e: BackendEvent): void {
    if (!this.#target) return
    const afterMs = requestAfter(e, this.#target.path)
    if (afterMs !== undefined) this.#follower.again(afterMs)
  }

  /** Asks the same again. */
  again(): void {
    this.#follower.again()
  }

  /** Retries after a failure. */
  retry(): void {
    this.#fault = undefined
    this.#follower.again()
  }

  stop(): void {
    this.#follower.stop()
  }
}

import type { BackendEvent, Fault } from '$lib/backend/backend'
import { Follower } from './follower'
import { changedMs, requestAfter, typedMs, type Target } from './refreshDelays'

/** What a CellFollower asks, and who gets the answers. */
export interface CellFollowing<A> {
  ask(target: Target, signal: AbortSignal): Promise<A>
  answered(answer: A, target: Target): void
  /** Another notebook is followed from now on, whose path is given. */
  moved?(path: string): void
}

/**
 * CellFollower keeps an answer about the next request of the current cell: it asks
 * again while the person types, and when an event says that the request changed.
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
  /** Why the last question was not answered. */
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

  /** Asks the same once more. */
  again(): void {
    this.#follower.again()
  }

  /** Asks once more, after a failure. */
  retry(): void {
    this.#fault = undefined
    this.#follower.again()
  }

  stop(): void {
    this.#follower.stop()
  }
}

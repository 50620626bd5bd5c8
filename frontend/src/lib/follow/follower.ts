import { Fault } from '$lib/backend/fault'

/** The requests of a Follower, and the receiver of the answers. */
export interface Following<Q, A> {
  ask(question: Q, signal: AbortSignal): Promise<A>
  /** Questions about the same subject wait for each other; one about another subject does not wait. */
  subject(question: Q): string
  answered(answer: A, question: Q): void
  failed(fault: Fault, question: Q): void
}

/**
 * Follower keeps an answer up to date with a question that changes while a person types or files
 * change. It sends one request at a time, so that slow answers never pile up; a late answer to an
 * earlier question is dropped.
 */
export class Follower<Q, A> {
  readonly #of: Following<Q, A>
  #question: Q | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #flight: AbortController | undefined
  #stale = false

  constructor(of: Following<Q, A>) {
    this.#of = of
  }

  /** ask changes the question. If the subject is the same, it waits until the question has not changed for afterMs. */
  ask(question: Q, afterMs = 0): void {
    const before = this.#question
    this.#question = question
    if (before === undefined || this.#of.subject(before) !== this.#of.subject(question)) {
      this.#drop()
      this.#go()
    } else {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#go(), afterMs)
    }
  }

  /** again repeats the request because the answer may have changed. Several calls in a row cause one request. */
  again(afterMs = 0): void {
    if (this.#question === undefined) return
    this.#timer ??= setTimeout(() => this.#go(), afterMs)
  }

  /** stop forgets the question; a pending answer is dropped. */
  stop(): void {
    this.#question = undefined
    this.#drop()
  }

  #drop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#flight?.abort()
    this.#flight = undefined
    this.#stale = false
  }

  #go(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#flight) {
      this.#stale = true
      return
    }
    void this.#fly(this.#question!)
  }

  async #fly(question: Q): Promise<void> {
    const mine = new AbortController()
    this.#flight = mine
    let deliver: () => void
    try {
      const answer = await this.#of.ask(question, mine.signal)
      deliver = () => this.#of.answered(answer, question)
    } catch (thrown) {
      deliver = () => this.#of.failed(Fault.from(thrown), question)
    }
    if (this.#flight !== mine) return // late: the question has changed
    this.#flight = undefined
    deliver()
    if (!this.#stale) return
    this.#stale = false
    if (this.#question !== undefined && !this.#flight) this.#go()
  }
}

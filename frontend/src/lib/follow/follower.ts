import { Fault } from '$lib/backend/fault'

/** How a Follower asks, and who gets the answers. */
export interface Following<Q, A> {
  ask(question: Q, signal: AbortSignal): Promise<A>
  /** Questions about the same thing wait for each other; one about another thing does not wait. */
  subject(question: Q): string
  answered(answer: A, question: Q): void
  failed(fault: Fault, question: Q): void
}

/**
 * Follower keeps an answer true to a question that changes while a person
 * types or files change. One question is under way at a time, so that a slow
 * answer never piles up more; a late answer to an earlier question is dropped.
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

  /** ask changes the question. About the same thing it waits until it has not changed for afterMs. */
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

  /** again asks the same once more, because the answer may be another now. Several in a row are one. */
  again(afterMs = 0): void {
    if (this.#question === undefined) return
    this.#timer ??= setTimeout(() => this.#go(), afterMs)
  }

  /** stop forgets the question; an answer that is under way is dropped. */
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
    if (this.#flight !== mine) return // late: another thing is asked for now
    this.#flight = undefined
    deliver()
    if (!this.#stale) return
    this.#stale = false
    if (this.#question !== undefined && !this.#flight) this.#go()
  }
}

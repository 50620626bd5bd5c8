import { wait } from '$lib/backend/wait'

const FIRST_MS = 1000
const MOST_MS = 30_000

/** Retry repeats something later, with longer and longer waits, until it works. */
export class Retry {
  readonly #what: () => void
  #waiting: AbortController | undefined
  #failures = 0

  constructor(what: () => void) {
    this.#what = what
  }

  /** failed schedules another try. */
  failed(): void {
    this.cancel()
    const mine = (this.#waiting = new AbortController())
    void wait(Math.min(MOST_MS, FIRST_MS * 2 ** this.#failures++), mine.signal).then(() => {
      if (!mine.signal.aborted) this.#what()
    })
  }

  /** worked resets the waits. */
  worked(): void {
    this.#failures = 0
  }

  cancel(): void {
    this.#waiting?.abort()
  }
}

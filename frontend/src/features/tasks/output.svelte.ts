import { Fault, type Backend } from '$lib/backend/backend'
import { wait } from '$lib/backend/wait'
import { Screen } from './ansi'

/** Between two questions, so that a command that prints a lot does not hold up the window. */
const restMs = 120

/** Output is what one task printed, taken in pieces as it comes; one question is under way at a time. */
export class Output {
  readonly screen = new Screen()
  readonly #backend: Backend
  readonly #stopped = new AbortController()
  #next = 0
  #asking = false
  #again = false
  #version = $state(0)
  #fault = $state.raw<Fault>()
  #missed = $state(0)
  #loaded = $state(false)

  constructor(
    backend: Backend,
    readonly id: string,
  ) {
    this.#backend = backend
  }

  /** Grows whenever the screen changed. */
  get version(): number {
    return this.#version
  }
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** Bytes that the program does not keep any more. */
  get missed(): number {
    return this.#missed
  }
  get loaded(): boolean {
    return this.#loaded
  }

  /** Says that there may be more. */
  more(): void {
    this.#again = true
    if (!this.#asking) void this.#ask()
  }

  stop(): void {
    this.#stopped.abort()
  }

  async #ask(): Promise<void> {
    this.#asking = true
    try {
      while (this.#again && !this.#stopped.signal.aborted) {
        this.#again = false
        const { raw, begin, next } = await this.#backend.call.TaskOutput(this.id, this.#next)
        if (this.#stopped.signal.aborted) return
        if (begin > this.#next) this.#missed += begin - this.#next
        this.#next = next
        this.screen.write(raw)
        this.#loaded = true
        this.#fault = undefined
        this.#version++
        await wait(restMs, this.#stopped.signal)
      }
    } catch (thrown) {
      const fault = Fault.from(thrown)
      // A task that has left the list takes its output along; what came of it stays.
      const over = fault.kind === 'canceled' || (fault.kind === 'notFound' && this.#loaded)
      if (!this.#stopped.signal.aborted && !over) this.#fault = fault
    } finally {
      this.#asking = false
    }
  }
}

import { Fault, type Backend } from '$lib/backend/backend'
import { wait } from '$lib/backend/wait'
import type { TerminalOutput } from '$lib/terminal/terminalOutput'
import { Screen } from '$lib/terminal/screen'

/** The pause between two requests, so that a command that prints a lot does not block the window. */
const restMs = 120
/** The pause between two requests while there is more output: each takes a frame and leaves one for other work. */
const frameMs = 32
/** The size of one request in bytes: its content is drawn within a frame. */
const step = 24 << 10
/** The size of the end of the output from which the last lines are read, in bytes. */
const tail = 16 << 10

/**
 * Output is the output of one task. It is fetched in pieces, with one request at a time. If only
 * the last lines of a task are shown, it skips earlier output.
 */
export class Output implements TerminalOutput {
  readonly #backend: Backend
  readonly #lastLines: boolean
  readonly #stopped = new AbortController()
  #screen = new Screen()
  #next = 0
  #total = 0
  #drawnMs = 0
  #asking = false
  #again = false
  #version = $state(0)
  #fault = $state.raw<Fault>()
  #missed = $state(0)
  #loaded = $state(false)

  constructor(
    backend: Backend,
    readonly id: string,
    lastLines = false,
  ) {
    this.#backend = backend
    this.#lastLines = lastLines
  }

  get screen(): Screen {
    return this.#screen
  }
  get version(): number {
    return this.#version
  }
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** The number of bytes that the program dropped. */
  get missed(): number {
    return this.#missed
  }
  get loaded(): boolean {
    return this.#loaded
  }

  /** Notes that there may be more, and the total size in bytes. */
  more(total = 0): void {
    this.#total = Math.max(this.#total, total)
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
        const from = this.#lastLines ? Math.max(this.#next, this.#total - tail) : this.#next
        const { raw, begin, next } = await this.#backend.call.TaskOutput(this.id, from, step)
        if (this.#stopped.signal.aborted) return
        if (begin > this.#next) this.#skip(begin - this.#next)
        this.#next = next
        this.#screen.write(raw)
        this.#loaded = true
        this.#fault = undefined
        const behind = raw !== '' && next < this.#total
        if (behind) this.#again = true
        if (!behind || Date.now() - this.#drawnMs >= restMs) this.#draw()
        await wait(behind ? frameMs : restMs, this.#stopped.signal)
      }
    } catch (thrown) {
      const fault = Fault.from(thrown)
      // The output of a removed task is gone; the loaded part stays.
      const over = fault.kind === 'canceled' || (fault.kind === 'notFound' && (this.#loaded || this.#lastLines))
      if (!this.#stopped.signal.aborted && !over) this.#fault = fault
    } finally {
      this.#asking = false
    }
  }

  #draw(): void {
    this.#drawnMs = Date.now()
    this.#version++
  }

  #skip(bytes: number): void {
    if (this.#lastLines) this.#screen = new Screen()
    else if (this.#next > 0) this.#screen.write('\x1b[m\r\n')
    if (!this.#lastLines) this.#missed += bytes
  }
}

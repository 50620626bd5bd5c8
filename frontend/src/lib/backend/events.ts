import type { event } from '$wails/go/models'
import { Fault } from './fault'
import { request } from './request'
import { wait } from './wait'
import { t } from '$lib/language/language'

/** One event of the backend: a union over event.Catalog, discriminated by type. */
export type BackendEvent = {
  [K in keyof Required<event.Catalog>]: { seq: number; type: K; data: NonNullable<event.Catalog[K]> }
}[keyof event.Catalog]

/** The state of the stream. lost has the reason, the time, and the time of the next attempt (0: now). */
export type Connection =
  { state: 'connecting' } | { state: 'open' } | { state: 'lost'; reason: string; code?: string; sinceMs: number; retryAtMs: number }

export interface FollowOptions {
  /**
   * Loads the whole state and returns the number of the last event that it includes. Called before
   * the stream is first followed, and again whenever events were missed. It may be called again
   * after it threw.
   */
  load(): Promise<number>
  /** Gets every event once, in order, except those that the loaded state includes. */
  onEvent(event: BackendEvent): void
  onConnection(connection: Connection): void
  /** The name of this window. */
  window?: string
  /** Opens the stream after event `since`; only tests replace it. */
  open?(since: number, signal: AbortSignal, window?: string): Promise<ReadableStream<Uint8Array>>
}

/** Without a line for this long, the connection counts as dead; heartbeats come every 5 s. */
export const silenceMs = 15_000
const firstWaitMs = 250
const longestWaitMs = 5_000

/** Splits a byte stream into lines, wherever the chunks end. The last line needs its newline. */
export class LineSplitter {
  readonly #decoder = new TextDecoder()
  #pieces: string[] = []

  /** Returns the lines that chunk completes, without empty ones. */
  push(chunk: Uint8Array): string[] {
    const text = this.#decoder.decode(chunk, { stream: true })
    const lines: string[] = []
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.#pieces.push(text.slice(from, at))
      const line = this.#pieces.join('').trim()
      this.#pieces = []
      if (line) lines.push(line)
      from = at + 1
    }
    if (from < text.length) this.#pieces.push(text.slice(from))
    return lines
  }
}

/** Thrown internally if events were missed: the state is reloaded. */
class Missed extends Error {}

/**
 * Follows the backend's event stream until stop is called: first the state, then events. It
 * reconnects by itself, and reloads the state after a gap.
 */
export class EventStream {
  readonly #options: FollowOptions
  readonly #stop = new AbortController()
  #nudge = new AbortController()
  #seq = -1 // number of the last event in the page's state; -1: nothing is loaded
  #lostSince = 0

  constructor(options: FollowOptions) {
    this.#options = options
  }

  /** Runs until stop; it never rejects. */
  async follow(): Promise<void> {
    const stopped = this.#stop.signal
    let failures = 0
    this.#options.onConnection({ state: 'connecting' })
    while (!stopped.aborted) {
      let reason: string
      let code = ''
      try {
        if (this.#seq < 0) this.#seq = await this.#options.load()
        if (stopped.aborted) return
        await this.#read(() => (failures = 0))
        reason = t`The program closed the connection.`
      } catch (thrown) {
        if (stopped.aborted) return
        if (thrown instanceof Missed) {
          this.#seq = -1
          // The first time at once; a stream with endless gaps must not spin.
          if (failures++ === 0) continue
        }
        ;({ message: reason, code } = Fault.from(thrown))
      }
      if (stopped.aborted) return
      this.#lostSince ||= Date.now()
      const ms = Math.min(longestWaitMs, firstWaitMs * 2 ** failures++) * (0.8 + Math.random() * 0.4)
      this.#options.onConnection({ state: 'lost', reason, ...(code ? { code } : {}), sinceMs: this.#lostSince, retryAtMs: Date.now() + ms })
      this.#nudge = new AbortController()
      await wait(ms, this.#nudge.signal, stopped)
    }
  }

  /** Ends the wait before the next attempt. */
  retryNow(): void {
    this.#nudge.abort()
  }

  /** Ends following for good. */
  stop(): void {
    this.#stop.abort()
  }

  /** Reads one connection to its end; calls alive at its first line. */
  async #read(alive: () => void): Promise<void> {
    const connection = new AbortController()
    const end = () => connection.abort()
    this.#stop.signal.addEventListener('abort', end)
    const silence = new Silence(connection.signal)
    try {
      await Promise.race([this.#pump(connection.signal, silence, alive), silence.broken])
    } finally {
      this.#stop.signal.removeEventListener('abort', end)
      connection.abort()
      silence.stop()
    }
  }

  /** Handles the events of one connection until it ends or signal is aborted. */
  async #pump(signal: AbortSignal, silence: Silence, alive: () => void): Promise<void> {
    const reader = (await (this.#options.open ?? openStream)(this.#seq, signal, this.#options.window)).getReader()
    // On wails:// an abort may have no effect: cancel the reader as well, and wait for neither.
    const cancel = () => void reader.cancel().catch(() => undefined)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel)
    silence.heard()
    this.#lostSince = 0
    this.#options.onConnection({ state: 'open' })
    const splitter = new LineSplitter()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      silence.heard()
      for (const line of splitter.push(value)) {
        if (signal.aborted) return
        this.#take(line)
        alive()
      }
    }
  }

  #take(line: string): void {
    let event: { seq: number; type: string; data?: unknown }
    try {
      event = JSON.parse(line) as typeof event
    } catch {
      throw new Missed(t`The event stream carried a line that is not JSON.`)
    }
    if (event.type === 'heartbeat') return
    if (event.type === 'reset') throw new Missed(t`Events were missed; everything is loaded again.`)
    if (event.seq <= this.#seq) return
    if (event.seq !== this.#seq + 1)
      throw new Missed(t`Events ${this.#seq + 1} to ${event.seq - 1} were missed; everything is loaded again.`)
    this.#seq = event.seq
    try {
      this.#options.onEvent(event as BackendEvent)
    } catch (thrown) {
      // A state that could not apply an event is wrong from then on: reload it.
      console.error(thrown)
      throw new Missed(t`The page could not take a “${event.type}” event: ${Fault.from(thrown).message}`)
    }
  }
}

async function openStream(since: number, signal: AbortSignal, window = ''): Promise<ReadableStream<Uint8Array>> {
  const { body } = await request(`/api/events?since=${since}&window=${window}`, { signal })
  if (!body) throw new Fault('internal', t`The event stream came without a body.`)
  return body
}

/**
 * Silence closes a connection if nothing arrives for silenceMs, or when signal is aborted. One
 * timer serves a whole connection: a stream brings hundreds of pieces a second, and a timer for
 * each would pile up until the browser's next full garbage collection.
 */
class Silence {
  /** Rejects when it breaks off; never resolves. */
  readonly broken: Promise<never>
  #heardAt = performance.now()
  #timer: ReturnType<typeof setTimeout> | undefined
  #break!: (why: Fault) => void

  constructor(signal: AbortSignal) {
    this.broken = new Promise((_, reject) => (this.#break = reject))
    signal.addEventListener('abort', () => this.#break(new Fault('canceled', t`Stopped.`)))
    this.#watch(silenceMs)
  }

  heard(): void {
    this.#heardAt = performance.now()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #watch(ms: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#heardAt + silenceMs - performance.now()
      if (left > 0) this.#watch(left)
      else this.#break(new Fault('internal', t`No event arrived for ${silenceMs / 1000} seconds.`))
    }, ms)
  }
}

/**
 * The time from which ages on the screen are counted. It ticks once a second while something needs
 * seconds, otherwise twice a minute, so that an idle window does nothing.
 */
export class Clock {
  #now = $state(Date.now())
  #timer: ReturnType<typeof setInterval> | undefined
  #seconds = false
  readonly #minute = $derived(this.#now - (this.#now % 60_000))

  constructor() {
    this.#start()
  }

  /** Unix time in milliseconds. */
  get now(): number {
    return this.#now
  }

  /** The time of the last full minute, for displays that need not change every second. */
  get minute(): number {
    return this.#minute
  }

  /** Whether something on the screen counts seconds. */
  set seconds(wanted: boolean) {
    if (wanted === this.#seconds) return
    this.#seconds = wanted
    this.#start()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #start(): void {
    clearInterval(this.#timer)
    this.#now = Date.now()
    this.#timer = setInterval(() => (this.#now = Date.now()), this.#seconds ? 1000 : 30_000)
  }
}

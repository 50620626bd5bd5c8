const keptAfterMs = 500

/**
 * Look has how the window looks kept for the next time, a moment after the
 * last change. While it is taken over from the last time nothing is kept.
 */
export class Look {
  readonly #keep: () => Promise<void>
  #timer: ReturnType<typeof setTimeout> | undefined
  /** What is on view may be kept. */
  known = false

  constructor(keep: () => Promise<void>) {
    this.#keep = keep
  }

  changed = (): void => {
    if (!this.known) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.keep(), keptAfterMs)
  }

  /** Keeps it now. */
  async keep(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.known) await this.#keep()
  }
}

/**
 * Frame collects work until the next frame. A minimised window draws no frames, so a timer replaces
 * a missing one.
 */
export class Frame {
  readonly #work: () => void
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(work: () => void) {
    this.#work = work
  }

  /** Requests one call of the work, soon; repeated requests before it change nothing. */
  ask(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(this.now, 80)
    if (typeof requestAnimationFrame === 'function') this.#frame = requestAnimationFrame(this.now)
  }

  /** Does the work at once if it was asked for. */
  now = (): void => {
    if (this.#timer === undefined) return
    this.cancel()
    this.#work()
  }

  cancel(): void {
    clearTimeout(this.#timer)
    if (this.#frame) cancelAnimationFrame(this.#frame)
    this.#timer = undefined
    this.#frame = 0
  }
}

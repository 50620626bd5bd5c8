/** How long the pointer or the keyboard rests on a row before its card comes, and how long it stays behind. */
const restMs = 450
const lingerMs = 90

/** Which row's card is on view. The first comes after a rest; while one is there, the next comes at once. */
export class CardState {
  #file = $state('')
  #timer: ReturnType<typeof setTimeout> | undefined

  /** The file of the row, or "". */
  get file(): string {
    return this.#file
  }

  /** The pointer or the keyboard came to a row. */
  over(file: string): void {
    clearTimeout(this.#timer)
    if (this.#file) this.#file = file
    else this.#timer = setTimeout(() => (this.#file = file), restMs)
  }

  /** It left. */
  out(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#file = ''), lingerMs)
  }

  /** Something else began: no card stands in its way. */
  hide(): void {
    clearTimeout(this.#timer)
    this.#file = ''
  }
}

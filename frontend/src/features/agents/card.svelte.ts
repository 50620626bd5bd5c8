/** How long the pointer rests on a row before its card appears, and how long the card stays afterwards. */
const restMs = 600
const lingerMs = 90

/**
 * The row whose card is visible. The card appears when the pointer is moved to a row and rests
 * there, or on request. A row that moves under a resting pointer shows none, and the next key
 * closes it.
 */
export class CardState {
  #file = $state('')
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The position of the pointer, and its row. */
  #at = { file: '', x: NaN, y: NaN }

  /** The file of the row, or "". */
  get file(): string {
    return this.#file
  }

  /** Notes that the pointer is over a row, at a place in the window. */
  over(file: string, x: number, y: number): void {
    const rests = this.#at.x === x && this.#at.y === y
    const moved = this.#at.file !== file
    this.#at = { file, x, y }
    if (rests && moved) this.hide() // the list moved under it
    if (rests) return
    if (this.#file === file) return this.#clear()
    this.hide()
    this.#timer = setTimeout(() => (this.#file = file), restMs)
  }

  /** Notes that the pointer left. */
  out(): void {
    this.#clear()
    this.#timer = setTimeout(() => (this.#file = ''), lingerMs)
  }

  /** Shows the card of a row on request. */
  ask(file: string): void {
    this.#clear()
    this.#file = file
  }

  /** Closes the card because something else begins. */
  hide(): void {
    this.#clear()
    this.#file = ''
  }

  #clear(): void {
    clearTimeout(this.#timer)
  }
}

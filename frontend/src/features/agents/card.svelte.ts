/** How long the pointer rests on a row before its card appears, and how long the card stays afterwards. */
const restMs = 600
const lingerMs = 90

/**
 * Which row's card is visible. It appears when the pointer was moved to a row and
 * rests there, or on request; a row that moves under a resting pointer
 * shows none, and the next key closes it.
 */
export class CardState {
  #file = $state('')
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Where the pointer is, and on which row. */
  #at = { file: '', x: NaN, y: NaN }

  /** The file of the row, or "". */
  get file(): string {
    return this.#file
  }

  /** The pointer is on a row, at a place of the window. */
  over(file: string, x: number, y: number): void {
    const rests = this.#at.x === x && this.#at.y === y
    const moved = this.#at.file !== file
    this.#at = { file, x, y }
    if (rests && moved) this.hide() // the list moved below it
    if (rests) return
    if (this.#file === file) return this.#clear()
    this.hide()
    this.#timer = setTimeout(() => (this.#file = file), restMs)
  }

  /** It left. */
  out(): void {
    this.#clear()
    this.#timer = setTimeout(() => (this.#file = ''), lingerMs)
  }

  /** Somebody asks for the card of a row. */
  ask(file: string): void {
    this.#clear()
    this.#file = file
  }

  /** Closes the card because something else began. */
  hide(): void {
    this.#clear()
    this.#file = ''
  }

  #clear(): void {
    clearTimeout(this.#timer)
  }
}

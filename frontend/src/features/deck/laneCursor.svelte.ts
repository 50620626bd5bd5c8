import type { Lane } from './deck.svelte'

/** LaneCursor is the keyboard position in the lanes: on the name of an agent (span -1), or on one of its spans. */
export class LaneCursor {
  readonly #lanes: () => readonly Lane[]
  #path = $state('')
  #span = $state(-1)
  /** The index of its lane; the first one while it is on none. */
  readonly row: number = $derived.by(() =>
    Math.max(
      0,
      this.#lanes().findIndex((l) => l.path === this.#path),
    ),
  )

  constructor(lanes: () => readonly Lane[]) {
    this.#lanes = lanes
  }

  get lane(): Lane | undefined {
    return this.#lanes()[this.row]
  }
  get span(): number {
    return this.#span
  }

  /** Handles a key that moves it; page is the number of visible lanes. False for any other key. */
  move(key: string, page: number): boolean {
    const { row, lane } = this
    if (!lane) return false
    switch (key) {
      case 'ArrowDown':
        return this.#toLane(row + 1)
      case 'ArrowUp':
        return this.#toLane(row - 1)
      case 'PageDown':
        return this.#toLane(row + page)
      case 'PageUp':
        return this.#toLane(row - page)
      case 'ArrowRight':
        return this.#to(lane, this.#span + 1)
      case 'ArrowLeft':
        return this.#to(lane, this.#span - 1)
      case 'Home':
        return this.#to(lane, -1)
      case 'End':
        return this.#to(lane, lane.spans.length - 1)
      default:
        return false
    }
  }

  /** Moves to another lane, at most the last; from a span to the span at the same time. */
  #toLane(row: number): true {
    const lanes = this.#lanes()
    const to = lanes[Math.max(0, Math.min(lanes.length - 1, row))]!
    const from = this.lane?.spans[this.#span]
    if (!from) return this.#to(to, -1)
    const beside = to.spans.findIndex((s) => (s.endMs || Infinity) > from.startMs)
    return this.#to(to, beside < 0 ? to.spans.length - 1 : beside)
  }

  #to(lane: Lane, span: number): true {
    this.#path = lane.path
    this.#span = Math.max(-1, Math.min(span, lane.spans.length - 1))
    return true
  }
}

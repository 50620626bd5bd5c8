/** The values of --row in tokens.css, comfortable and compact. */
const listPx = { comfortable: 28, compact: 24 }
let list = $state(listPx.comfortable)

/** Sets the density of lists; tokens.css has the same numbers. */
export function setDensity(density: keyof typeof listPx): void {
  list = listPx[density]
}

/** Heights of rows that are drawn only near the view, in pixels. */
export const rowPx = {
  get list(): number {
    return list
  },
  code: 19,
  terminal: 18,
} as const

/** RowWindow computes which of many rows of equal height are near the view of their scroller. */
export class RowWindow {
  readonly #px: () => number
  readonly #over: number
  readonly #count: () => number
  #top = $state.raw(0)
  #tall = $state.raw(400)

  /** px is the height of a row, over the number of rows drawn beyond each side of the view. */
  constructor(px: () => number, over: number, count: () => number) {
    this.#px = px
    this.#over = over
    this.#count = count
  }

  /** The first row to draw. */
  get first(): number {
    return Math.max(0, Math.min(Math.floor(this.#top / this.#px()) - this.#over, this.#count() - 1))
  }

  /** The row after the last one to draw. */
  get last(): number {
    return Math.min(this.#count(), Math.ceil((this.#top + this.#tall) / this.#px()) + this.#over)
  }

  /** The rows to draw. */
  get rows(): number[] {
    return Array.from({ length: Math.max(0, this.last - this.first) }, (_, n) => this.first + n)
  }

  /** The number of whole rows that fit into the view; at least one. */
  get page(): number {
    return Math.max(1, Math.floor(this.#tall / this.#px()))
  }

  /** To attach to the scrolling element. */
  readonly attach = (node: HTMLElement): (() => void) => {
    const scrolled = () => {
      this.#top = node.scrollTop
    }
    const observer = new ResizeObserver(() => {
      this.#tall = node.clientHeight || 400
    })
    observer.observe(node)
    node.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      observer.disconnect()
      node.removeEventListener('scroll', scrolled)
    }
  }
}

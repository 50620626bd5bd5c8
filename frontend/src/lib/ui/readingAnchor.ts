import { characterAt, findWay, innermost, wayTo, type Place } from './readingPosition'
import type { Anchor } from './virtual'

/** Returns a function for where an element is now: how far its top edge is below that of the scroller, and its height, in the scroller's pixels at any zoom. */
function placesIn(scroller: HTMLElement): (el: Element | Range) => { top: number; height: number } {
  const box = scroller.getBoundingClientRect()
  const scale = scroller.offsetHeight / (box.height || 1)
  return (el) => {
    const { top, height } = el.getBoundingClientRect()
    return { top: (top - box.top) * scale, height: height * scale }
  }
}

/** How far an element's top edge is below that of its scroller, in the scroller's pixels, at any zoom. */
export const topIn = (scroller: HTMLElement, el: Element | Range): number => placesIn(scroller)(el).top

/** The height of an element in the same pixels. */
export const heightIn = (scroller: HTMLElement, el: Element): number => placesIn(scroller)(el).height

/**
 * ReadingAnchor is the part of a row that stays in place while things around it change. If the part
 * itself is removed, its ancestors still tell the position; of a long paragraph one line stays in
 * place, not its beginning.
 */
export class ReadingAnchor {
  readonly #scroller: HTMLElement
  readonly #anchor: Anchor
  /** The part and its ancestors up to the row, from the inside out. */
  #chain: { el: Element; top: number; height: number }[] = []
  #line: { at: Range; top: number } | undefined
  /** The path to the part, or to its nearest ancestor with a lasting name, for when it is drawn again. */
  #named: { way: string; top: number; height: number } | undefined

  private constructor(scroller: HTMLElement, anchor: Anchor) {
    this.#scroller = scroller
    this.#anchor = anchor
  }

  /** at holds the part of a row at a height of the screen: the innermost block; or the row if it is not drawn. */
  static at(scroller: HTMLElement, anchor: Anchor, row: HTMLElement | undefined, y: number): ReadingAnchor {
    const hold = new ReadingAnchor(scroller, anchor)
    if (!row) return hold
    const inner = innermost(row, y)
    hold.#take(row, inner)
    const { top, left, right } = inner.getBoundingClientRect()
    if (top > y - 30) return hold
    const at = characterAt(inner, left + 4, y + 4) ?? characterAt(inner, right - 4, y + 4)
    if (at) hold.#line = { at, top: topIn(scroller, at) }
    return hold
  }

  /** of holds a part of a row where it is, or at a wanted distance below the top of the view. */
  static of(scroller: HTMLElement, row: HTMLElement, part: Element, wanted = topIn(scroller, part)): ReadingAnchor {
    const hold = new ReadingAnchor(scroller, { key: row.dataset.row!, into: -topIn(scroller, row) })
    hold.#take(row, part, wanted)
    return hold
  }

  #take(row: Element, part: Element, wanted = topIn(this.#scroller, part)): void {
    const place = placesIn(this.#scroller)
    const by = wanted - place(part).top
    this.#chain = []
    for (let el: Element | null = part; el; el = el === row ? null : el.parentElement) {
      const { top, height } = place(el)
      this.#chain.push({ el, top: top + by, height })
    }
    const named = this.#chain.find(({ el }) => !el.parentElement?.closest('[data-whole]'))
    if (named) this.#named = { way: wayTo(row, named.el), top: named.top, height: named.height }
  }

  /** The row and the offset in it at the time of picking. */
  get anchor(): Anchor {
    return this.#anchor
  }

  /** Whether the part is still in the page. */
  get there(): boolean {
    return this.#chain[0]?.el.isConnected ?? false
  }

  /**
   * strayed returns how far it has moved down. A block that was drawn again is found by its start
   * in the text, and held from then on. For a row that is no longer drawn, now gives the position;
   * undefined if that is gone.
   */
  strayed(now: (anchor: Anchor) => number | undefined): number | undefined {
    const { at, top } = this.#line ?? {}
    if (at?.startContainer.isConnected && !at.collapsed) return topIn(this.#scroller, at) - top!
    const row = this.#chain.at(-1)?.el
    if (!this.there && row?.isConnected && this.#named?.way.includes('@')) {
      const { found, whole } = findWay(row as HTMLElement, this.#named.way)
      if (whole && found !== row) this.#take(row, found, this.#named.top)
    }
    const link = this.#chain.find(({ el }) => el.isConnected)
    return link ? topIn(this.#scroller, link.el) - link.top : now(this.#anchor)
  }

  /** scrolled notes that the person scrolled by a number of pixels. */
  scrolled(by: number): void {
    for (const link of this.#chain) link.top -= by
    if (this.#line) this.#line.top -= by
    if (this.#named) this.#named.top -= by
  }

  /** place returns its position for storing; indexOf gives a row's index in its list. */
  place(indexOf: (key: string) => number): Place | undefined {
    const { key, into } = this.#anchor
    return this.#named && { key, index: indexOf(key), into, ...this.#named }
  }
}

import { getContext } from 'svelte'
import { SvelteMap } from 'svelte/reactivity'
import { inUse } from './inUse'
import { makesWhenSought } from './readingPosition'
import { drawsForCopy } from './selectedText'
import { scrollerContext, type Scroller } from './virtualScroller'

/** How far outside the view a piece is already drawn, in pixels. */
const MARGIN = 1500

/**
 * Proximity reports which pieces of long content are near the view, inside a VirtualList. Create it
 * during the setup of a component, pass `watch` to each piece (LazyPiece.svelte), and call `stop`
 * when the component is destroyed.
 */
export class Proximity {
  /** The list around it; undefined outside a list. */
  readonly scroller = getContext<Scroller | undefined>(scrollerContext)
  readonly #near = new SvelteMap<number, boolean>()
  readonly #stays: (node: HTMLElement) => boolean
  readonly #nodes = new Set<HTMLElement>()
  readonly #forget: () => void
  #observer: IntersectionObserver | undefined

  /** stays: whether a piece that leaves the view should stay drawn all the same; one that is in use always does. */
  constructor(stays: (node: HTMLElement) => boolean = () => false) {
    this.#stays = stays
    this.#forget = drawsForCopy((range) => {
      const absent = [...this.#nodes].filter((node) => node.childElementCount === 0 && range.intersectsNode(node))
      for (const node of absent) this.draw(Number(node.dataset.piece))
      return absent.length > 0
    })
  }

  /** of reports whether a piece is near the view, or the default before it was measured. */
  of(piece: number, unseen: boolean): boolean {
    return this.#near.get(piece) ?? unseen
  }

  /** draw draws a piece before it comes near the view, because the list is about to scroll there. */
  draw(piece: number): void {
    this.#near.set(piece, true)
  }

  /**
   * watch observes a piece, whose number is in data-piece; returns a function that stops this. It is an attachment: a piece
   * that is there before its list is mounted is attached again, since the margin counts around the list's own view.
   */
  watch = (node: HTMLElement): (() => void) | undefined => {
    const root = this.scroller?.element
    if (this.scroller && !root) return
    this.#observer ??= new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const node = target as HTMLElement
          this.#near.set(Number(node.dataset.piece), isIntersecting || (node.childElementCount > 0 && (inUse(node) || this.#stays(node))))
        }
      },
      { root: root ?? null, rootMargin: `${MARGIN}px 0px` },
    )
    this.#observer.observe(node)
    this.#nodes.add(node)
    const forget = makesWhenSought(node, () => this.draw(Number(node.dataset.piece)))
    return () => {
      this.#observer?.unobserve(node)
      this.#nodes.delete(node)
      forget()
    }
  }

  stop(): void {
    this.#observer?.disconnect()
    this.#forget()
  }
}

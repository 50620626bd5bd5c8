import { flushSync } from 'svelte'

/**
 * ScrollPort is what scrolls a list: which part of the list is in view, and the
 * room added behind its end, so that what is left stays where it is when
 * something there goes. VirtualList.svelte is its caller.
 */
export class ScrollPort {
  /** The element that scrolls; undefined until it is mounted. */
  element = $state.raw<HTMLElement>()
  /** The part of it that holds the rows. */
  sizer = $state.raw<HTMLElement>()
  /** What is in view, in pixels from the top of the list. */
  view = $state.raw({ top: 0, height: 0 })
  #slack = $state.raw(0)
  #expected = -1
  #lastTop = 0

  /** The room behind the end, in pixels. */
  get slack(): number {
    return this.#slack
  }
  /** How far the list begins below the top of what scrolls. */
  get lead(): number {
    return this.sizer?.offsetTop ?? 0
  }
  /** The scroll position at which the end stands at the bottom of the view. */
  get end(): number {
    return this.element ? this.element.scrollHeight - this.#slack - this.element.clientHeight : 0
  }
  /** How far the end is below the view. */
  get toGo(): number {
    return this.element ? this.end - this.element.scrollTop : 0
  }

  /** look takes the view from the element as it is now. */
  look(): void {
    const { element } = this
    if (element) this.view = { top: element.scrollTop - this.lead, height: element.clientHeight }
  }

  /** viewEnd takes the end of rows of that height into view before anything is scrolled: what stands above is not drawn on the way. */
  viewEnd(total: number): void {
    const { height } = this.view
    this.view = { top: Math.max(0, total - height), height }
    if (height > 0) flushSync()
  }

  /** Whether it was scrolled since scrolled or scrollTo was called. */
  get unseen(): boolean {
    return this.element !== undefined && Math.abs(this.element.scrollTop - this.#lastTop) > 0.5
  }

  /** scrolled takes in a scroll event: by how many pixels, and whether scrollTo did it. */
  scrolled(): { by: number; ours: boolean } {
    const top = this.element?.scrollTop ?? 0
    const by = top - this.#lastTop
    this.#lastTop = top
    this.look()
    return { by, ours: Math.abs(top - this.#expected) < 1.5 }
  }

  /** scrollTo scrolls; beyond: also to where there is too little behind, with room added. */
  scrollTo(top: number, beyond = false): void {
    const { element } = this
    if (!element) return
    const room = element.clientHeight
    this.makeRoom(beyond ? Math.min(top + room - (element.scrollHeight - this.#slack), room - 120) : 0)
    element.scrollTop = top
    this.#lastTop = this.#expected = element.scrollTop
    if (Math.abs(this.view.top - (this.#expected - this.lead)) > 0.5) this.look()
  }

  /** makeRoom sets the room behind the end; less than none is none. */
  makeRoom(behind: number): void {
    const room = Math.max(0, behind)
    if (Math.abs(room - this.#slack) > 0.5)
      flushSync(() => {
        this.#slack = room
      })
  }
}

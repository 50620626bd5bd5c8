import { flushSync } from 'svelte'

/**
 * ScrollPort scrolls a list: it knows which part of the list is in view, and the room added after
 * the end so that the rest stays in place when something there is removed. VirtualList.svelte is
 * its caller.
 */
export class ScrollPort {
  /** The scrolling element; undefined until mounted. */
  element = $state.raw<HTMLElement>()
  /** The part of it with the rows. */
  sizer = $state.raw<HTMLElement>()
  /** The visible part, in pixels from the top of the list. */
  view = $state.raw({ top: 0, height: 0 })
  #slack = $state.raw(0)
  /** Where scrollTo scrolled to, until something else scrolls. */
  #expected = NaN
  #lastTop = 0

  /** The room added after the end, in pixels. */
  get slack(): number {
    return this.#slack
  }
  /** How far the list begins below the top of the scrolling element. */
  get lead(): number {
    return this.sizer?.offsetTop ?? 0
  }
  /** The scroll position at which the end is at the bottom of the view. */
  get end(): number {
    return this.element ? this.element.scrollHeight - this.#slack - this.element.clientHeight : 0
  }
  /** How far the end is below the view. */
  get toGo(): number {
    return this.element ? this.end - this.element.scrollTop : 0
  }

  /** look reads the view from the element. */
  look(): void {
    const { element } = this
    if (element) this.view = { top: element.scrollTop - this.lead, height: element.clientHeight }
  }

  /** viewEnd moves the view to the end of rows of that height before anything scrolls, so that rows above are not drawn on the way. */
  viewEnd(total: number): void {
    const { height } = this.view
    this.view = { top: Math.max(0, total - height), height }
    if (height > 0) flushSync()
  }

  /** Whether it was scrolled since the last call of scrolled or scrollTo. */
  get unseen(): boolean {
    return this.element !== undefined && Math.abs(this.element.scrollTop - this.#lastTop) > 0.5
  }

  /** Whether somebody else scrolled it since; not the browser, because the list became shorter or is not shown. */
  get scrolledByOthers(): boolean {
    const { element } = this
    if (!element || !this.unseen || element.clientHeight === 0) return false
    return element.scrollTop > this.#lastTop || element.scrollTop + element.clientHeight < element.scrollHeight - 1.5
  }

  /** scrolled handles a scroll event: it returns the number of pixels, and whether scrollTo did it. */
  scrolled(): { by: number; ours: boolean } {
    const top = this.element?.scrollTop ?? 0
    const by = top - this.#lastTop
    this.#lastTop = top
    this.look()
    const ours = Math.abs(top - this.#expected) < 1.5
    // Somebody who comes back to the same position scrolls there.
    if (!ours) this.#expected = NaN
    return { by, ours }
  }

  /** scrollTo scrolls; with beyond it adds room if there is too little after the target. */
  scrollTo(top: number, beyond = false): void {
    const { element } = this
    if (!element) return
    const room = element.clientHeight
    this.makeRoom(beyond ? Math.min(top + room - (element.scrollHeight - this.#slack), room - 120) : 0)
    element.scrollTop = top
    this.#lastTop = this.#expected = element.scrollTop
    if (Math.abs(this.view.top - (this.#expected - this.lead)) > 0.5) this.look()
  }

  /** makeRoom sets the room after the end; a negative number means none. */
  makeRoom(behind: number): void {
    const room = Math.max(0, behind)
    if (Math.abs(room - this.#slack) > 0.5)
      flushSync(() => {
        this.#slack = room
      })
  }
}

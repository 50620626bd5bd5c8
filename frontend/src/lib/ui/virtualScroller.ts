import { setContext } from 'svelte'

/** The context by which VirtualList offers its scroller to its content. */
export const scrollerContext = Symbol('scroller')

/** The element that scrolls; undefined until it is mounted. */
export interface Scroller {
  readonly element: HTMLElement | undefined
  /** Whether the list is visible; while it is not, growing content need not be drawn. */
  readonly visible: boolean
}

/** offerScroller offers a scroller to what is inside of the component that calls it. */
export function offerScroller(element: () => HTMLElement | undefined, visible: () => boolean): void {
  setContext<Scroller>(scrollerContext, {
    get element() {
      return element()
    },
    get visible() {
      return visible()
    },
  })
}

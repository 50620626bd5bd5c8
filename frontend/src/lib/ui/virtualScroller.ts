import { setContext } from 'svelte'

/** The context in which VirtualList offers its scroller to its content. */
export const scrollerContext = Symbol('scroller')

/** The scrolling element; undefined until mounted. */
export interface Scroller {
  readonly element: HTMLElement | undefined
  /** Whether the list is visible; while it is not, growing content need not be drawn. */
  readonly visible: boolean
}

/** offerScroller offers a scroller to the descendants of the calling component. */
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

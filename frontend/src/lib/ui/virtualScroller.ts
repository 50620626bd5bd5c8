/** The context under which VirtualList offers its scroller to what stands in it. */
export const scrollerContext = Symbol('scroller')

/** The element that scrolls; undefined until it is mounted. */
export interface Scroller {
  readonly element: HTMLElement | undefined
  /** Whether the list is before the person; while it is not, what grows in it need not be drawn. */
  readonly visible: boolean
}

/** The context by which VirtualList offers its scroller to its content. */
export const scrollerContext = Symbol('scroller')

/** The element that scrolls; undefined until it is mounted. */
export interface Scroller {
  readonly element: HTMLElement | undefined
  /** Whether the list is visible; while it is not, growing content need not be drawn. */
  readonly visible: boolean
}

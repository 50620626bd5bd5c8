/* The wheel over the timeline and over the graph. */

/** The zoom factor of a turn of the wheel: > 1 zooms in. */
export const closerBy = (e: WheelEvent): number => Math.exp(-Math.max(-120, Math.min(120, e.deltaY)) * 0.004)

/** Attaches a non-passive wheel listener, so that the page itself does not zoom. */
export const onWheel = (listen: (e: WheelEvent) => void) => (node: HTMLElement) => {
  node.addEventListener('wheel', listen, { passive: false })
  return () => node.removeEventListener('wheel', listen)
}

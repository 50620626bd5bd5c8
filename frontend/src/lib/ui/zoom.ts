/* The window is zoomed or scaled by CSS on #app. Pointer positions and, in most
   engines, getBoundingClientRect are in screen pixels; these functions convert them
   to the pixels of styles inside #app. */

const root = () => document.getElementById('app') ?? document.documentElement

/** The current zoom: 1 is 100 %. */
export function zoom(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--zoom')) || 1
}

/** The width and height of the window. */
export function windowSize(): { width: number; height: number } {
  return { width: innerWidth / zoom(), height: innerHeight / zoom() }
}

/** The position of a pointer, from its clientX and clientY. */
export function pointAt(clientX: number, clientY: number): { x: number; y: number } {
  return { x: clientX / zoom(), y: clientY / zoom() }
}

/** The position and size of an element. */
export function rectOf(element: Element): { left: number; top: number; right: number; bottom: number; width: number; height: number } {
  const app = root()
  // Dialogs and popovers are zoomed where the page is scaled, and the engine gives their pixels before the zoom.
  const before = 'scaled' in document.documentElement.dataset && element.closest('dialog, [popover]') !== null
  const ratio = app.offsetWidth && !before ? app.getBoundingClientRect().width / app.offsetWidth : 1
  const r = element.getBoundingClientRect()
  return {
    left: r.left / ratio,
    top: r.top / ratio,
    right: r.right / ratio,
    bottom: r.bottom / ratio,
    width: r.width / ratio,
    height: r.height / ratio,
  }
}

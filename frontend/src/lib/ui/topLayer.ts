import { topModal } from './modal'

/**
 * bringForward takes an element out of where it was written, to the end of the
 * page or of the modal dialog on top: it is cut off by nothing, lies over what
 * is there, and inherits no font, colour or state of what it belongs to. The
 * returned function takes it away: what it was written in does not find it any
 * more when that goes.
 */
export function bringForward(element: HTMLElement): () => void {
  const to = topModal() ?? document.getElementById('app') ?? document.body
  if (element.parentElement !== to) to.append(element)
  return () => element.remove()
}

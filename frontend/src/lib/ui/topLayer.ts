import { topModal } from './modal'

/**
 * bringForward moves an element to the end of the page, or of the topmost modal dialog: there
 * nothing cuts it off, it is above everything, and it inherits no font, colour or state from its
 * old place. The returned function removes it, because the old parent no longer finds it when it is
 * destroyed.
 */
export function bringForward(element: HTMLElement): () => void {
  const to = topModal() ?? document.getElementById('app') ?? document.body
  if (element.parentElement !== to) to.append(element)
  return () => element.remove()
}

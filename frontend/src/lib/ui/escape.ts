import { composing } from './composing'

/** closedBy closes a form in a dialog with Escape; the dialog closes with the next one. */
export function closedBy(event: KeyboardEvent, close: () => void): void {
  if (event.key !== 'Escape' || event.defaultPrevented || composing(event)) return
  event.preventDefault()
  event.stopPropagation()
  close()
}

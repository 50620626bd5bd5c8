import { composing } from './composing'

/* Modal dialogs make the rest of the page inert. Elements that must stay reachable
   are moved into the topmost of them: see ToastList. */

/** Sent by the document when a modal dialog opens or closes. */
export const modalsChanged = 'modalschanged'

const shown = new Set<HTMLDialogElement>()

/** The open modal dialogs, the topmost last. Each key asks for them, so that it does not search the whole page. */
const modals = (): HTMLDialogElement[] => [...shown].filter((d) => d.open && d.isConnected)

/** Whether a modal dialog is open. */
export const modalOpen = (): boolean => modals().length > 0

/** The dialog that gets the pointer and the keyboard now. */
export const topModal = (): HTMLDialogElement | undefined => modals().at(-1)

/** Page styles depend on data-modal: see app.css. */
function announce(): void {
  document.documentElement.toggleAttribute('data-modal', modalOpen())
  document.dispatchEvent(new Event(modalsChanged))
}

/** showModal opens a dialog; the returned function closes it and restores the focus, whether in view or not. */
export function showModal(dialog: HTMLDialogElement): () => void {
  const before = document.activeElement
  // Some web views close a dialog on the Escape that ends a composition in one of its fields.
  const keep = (e: KeyboardEvent) => e.key === 'Escape' && composing(e) && e.preventDefault()
  dialog.addEventListener('keydown', keep, true)
  dialog.showModal()
  shown.add(dialog)
  announce()
  return () => {
    shown.delete(dialog)
    dialog.removeEventListener('keydown', keep, true)
    giveFocusBack(before, () => {
      dialog.close()
      announce()
    })
  }
}

/**
 * giveFocusBack removes a focused element and returns the focus to the element that had it before.
 * It restores scroll positions: WebKit scrolls to the caret of a focused text even with
 * preventScroll.
 */
export function giveFocusBack(before: Element | null, away: () => void = () => undefined): void {
  const scrolled: [Element, number, number][] = []
  for (let e = before?.parentElement; e; e = e.parentElement)
    if (e.scrollTop !== 0 || e.scrollLeft !== 0) scrolled.push([e, e.scrollTop, e.scrollLeft])
  away()
  if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
  for (const [e, top, left] of scrolled) if (e.scrollTop !== top || e.scrollLeft !== left) e.scrollTo({ top, left, behavior: 'instant' })
}

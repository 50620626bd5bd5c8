/* Modal dialogs make the rest of the page inert. What has to be reached all the
   same goes into the topmost of them: see ToastList. */

/** Sent by the document when a modal dialog opened or closed. */
export const modalsChanged = 'modalschanged'

/** The modal dialogs that are open, in the order of the page. */
function modals(): HTMLDialogElement[] {
  return [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')]
}

/** Whether a modal dialog is open, whoever opened it. */
export const modalOpen = (): boolean => modals().length > 0

/** The dialog that takes the pointer and the keyboard now. */
export const topModal = (): HTMLDialogElement | undefined => modals().at(-1)

/** showModal opens a dialog; what it gives closes it, and gives the focus back to where it was. */
export function showModal(dialog: HTMLDialogElement): () => void {
  const before = document.activeElement
  dialog.showModal()
  document.dispatchEvent(new Event(modalsChanged))
  return () => {
    dialog.close()
    document.dispatchEvent(new Event(modalsChanged))
    if (before instanceof HTMLElement && before.isConnected) before.focus()
  }
}

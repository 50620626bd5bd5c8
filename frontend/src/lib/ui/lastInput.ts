/* Whether the keyboard or the pointer was used last, for elements that either can open. */

let pointed = false
if (typeof window !== 'undefined') {
  addEventListener('keydown', () => (pointed = false), { capture: true, passive: true })
  addEventListener('pointerdown', () => (pointed = true), { capture: true, passive: true })
}

/** Whether a pointer button was pressed since the last key. */
export const byPointer = (): boolean => pointed

/* Which of keyboard and pointer was used last, for what opens by either. */

let pointed = false
if (typeof window !== 'undefined') {
  addEventListener('keydown', () => (pointed = false), { capture: true, passive: true })
  addEventListener('pointerdown', () => (pointed = true), { capture: true, passive: true })
}

/** Whether the person pressed a button of the pointer since the last key. */
export const byPointer = (): boolean => pointed

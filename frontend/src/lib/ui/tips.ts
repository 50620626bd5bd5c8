/*
 * The text and position of a tooltip. An element with data-tip has a tooltip, which also shows keys
 * if it has data-keys; Tips.svelte draws the visible one.
 */

export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** Sent by the document when keys alone point at something. */
export const tipAsked = 'tipasked'

/** Requests the tooltip of an element that keys alone point at, such as the active line of a menu. */
export function askTip(element: Element | null | undefined): void {
  document.dispatchEvent(new CustomEvent(tipAsked, { detail: element ?? null }))
}

/** The element to which the tooltip at a place belongs. */
export const tipOwner = (at: EventTarget | null): HTMLElement | null =>
  at instanceof Element ? at.closest<HTMLElement>('[data-tip]:not([data-tip=""])') : null

const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Whether any text of an element is cut off. */
function cutOff(element: Element): boolean {
  if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible') return true
  return [...element.children].some(cutOff)
}

/** Whether a tooltip adds something to the visible text. */
export function saysMore(owner: HTMLElement): boolean {
  if (owner.dataset.keys) return true
  return plain(owner.dataset.tip ?? '') !== plain(owner.textContent ?? '') || cutOff(owner)
}

/** Whether a screen reader has already announced it with the name of the element. */
export function saidAlready(owner: HTMLElement): boolean {
  const name = plain(owner.getAttribute('aria-label') ?? owner.textContent ?? '').toLowerCase()
  return name.includes(plain(owner.dataset.tip ?? '').toLowerCase())
}

const overlaps = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/**
 * placeTip returns the left and top of a tooltip of a size: below its owner, otherwise above,
 * otherwise beside, and always inside the window; undefined if it would cover the field in which
 * the person types.
 */
export function placeTip(
  owner: Box,
  size: { width: number; height: number },
  window: { width: number; height: number },
  free?: Box,
): { left: number; top: number } | undefined {
  const margin = 6
  const gap = 6
  const narrow = owner.right - owner.left < 80
  const middle = (owner.left + owner.right - size.width) / 2
  const left = Math.max(margin, Math.min(narrow ? middle : owner.left, window.width - size.width - margin))
  const level = Math.max(margin, Math.min((owner.top + owner.bottom - size.height) / 2, window.height - size.height - margin))
  const places = [
    { left, top: owner.bottom + gap },
    { left, top: owner.top - gap - size.height },
    { left: owner.right + gap, top: level },
    { left: owner.left - gap - size.width, top: level },
  ]
  return places.find(({ left, top }) => {
    const box = { left, top, right: left + size.width, bottom: top + size.height }
    const inside = box.left >= margin && box.top >= margin && box.right <= window.width - margin && box.bottom <= window.height - margin
    return inside && !(free && overlaps(box, free))
  })
}

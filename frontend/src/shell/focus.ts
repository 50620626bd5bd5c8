/* Keeps the keyboard focus. The focused element may leave the page, be
   disabled or be covered: a stopped agent's Stop button, the last card, a closed
   tab, a submitted form. The engine then moves the focus to the body, where
   keys do nothing. */
import { tick } from 'svelte'
import { topModal } from '$lib/ui/modal'

/** The number of remembered places. */
const maxTrail = 12
const tabbable = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]'

/** Whether an element can hold the focus now. */
function holds(element: Element): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    element.isConnected &&
    element.matches(tabbable) &&
    !element.matches(':disabled') &&
    !element.closest('[inert]') &&
    shown(element)
  )
}
// jsdom has no layout.
const shown = (element: HTMLElement): boolean => element.checkVisibility?.({ visibilityProperty: true }) ?? true

/** The first focusable element inside an element. */
const firstIn = (element: Element | null | undefined): HTMLElement | undefined =>
  [...(element?.querySelectorAll<HTMLElement>(tabbable) ?? [])].find((e) => e.tabIndex >= 0 && holds(e))

/** An element that had the focus, with its ancestors from the inside out. */
interface Place {
  element: HTMLElement
  around: readonly Element[]
}

function placeOf(element: HTMLElement): Place {
  const around: Element[] = []
  for (let up = element.parentElement; up; up = up.parentElement) around.push(up)
  return { element, around }
}

/**
 * Restores the focus whenever it is lost, until the returned function is called. In this order: a
 * composite around the element that had it, such as the list of agents; for an element in
 * [data-focus="home"] that home, which is the current notebook; for one in [data-focus="near"] or a
 * dialog the first place of the nearest part that still exists; its previous place; home.
 */
export function keepFocus(home: () => void): () => void {
  const trail: Place[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const lost = () => {
    const at = document.activeElement
    return (
      !at ||
      at === document.body ||
      at === document.documentElement ||
      (at instanceof HTMLElement && (at.matches(':disabled') || at.closest('[inert]') !== null))
    )
  }

  function mend() {
    if (!lost()) return
    const modal = topModal()
    const reachable = (e: Element | undefined): e is HTMLElement => e !== undefined && holds(e) && (!modal || modal.contains(e))
    const last = trail.at(-1)
    const around = last?.around ?? []
    const region = around.find((e) => e.matches('[data-focus], dialog'))
    const near =
      region && region.matches('dialog, [data-focus="near"]')
        ? around.slice(0, around.indexOf(region) + 1).find((e) => e.isConnected)
        : undefined
    const steps: (() => HTMLElement | undefined)[] = [
      () => around.find((e): e is HTMLElement => e instanceof HTMLElement && e.tabIndex >= 0 && reachable(e)),
      () => (!modal && region?.matches('[data-focus="home"]') ? undefined : firstIn(near)),
      () =>
        !modal && region?.matches('[data-focus="home"]') ? undefined : trail.findLast((p) => p !== last && reachable(p.element))?.element,
      () => firstIn(modal),
    ]
    for (const step of steps) {
      const found = step()
      if (!reachable(found)) continue
      found.focus({ preventScroll: true })
      if (!lost()) return
    }
    if (!modal) home()
  }

  /* A little later, so that the code that removed the element can first choose where the focus goes. */
  const look = () => {
    if (timer !== undefined || !lost()) return
    timer = setTimeout(() => {
      timer = undefined
      mend()
    })
  }
  const came = (e: FocusEvent) => {
    if (!(e.target instanceof HTMLElement) || e.target === document.body) return
    const at = trail.findIndex((p) => p.element === e.target)
    if (at >= 0) trail.splice(at, 1)
    trail.push(placeOf(e.target))
    if (trail.length > maxTrail) trail.shift()
  }

  const observer = new MutationObserver(look)
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled', 'inert', 'hidden', 'open'] })
  document.addEventListener('focusin', came)
  document.addEventListener('focusout', look)
  return () => {
    clearTimeout(timer)
    observer.disconnect()
    document.removeEventListener('focusin', came)
    document.removeEventListener('focusout', look)
  }
}

/**
 * Keeps the focus where it is if the pressed element can neither take it nor be selected: the bars
 * of the window, the space next to a list.
 */
export function pressKeepsFocus(e: MouseEvent): void {
  const { target } = e
  if (
    e.button !== 0 ||
    !(target instanceof Element) ||
    target.closest(`label, ${tabbable.replace('[tabindex]', '[tabindex]:not([data-focus])')}`)
  )
    return
  const style = getComputedStyle(target)
  if ((style.userSelect || style.webkitUserSelect) === 'none') e.preventDefault()
}

/** Whether the list of agents has the focus: it keeps it while the person moves through the agents. */
export const listKeeps = (): boolean => Boolean(document.activeElement?.closest('[role="tree"]'))

/** The current view of the active group of tabs. */
export const frontView = (): HTMLElement | null => document.querySelector<HTMLElement>('[data-view="front"]')

/** Removes the focus from a list that would keep it, so that the new view can take it. */
export function leaveList(): void {
  if (listKeeps()) frontView()?.focus({ preventScroll: true })
}

/** Focuses a view when it comes to the front, unless something in view has the focus. */
export function takeFocus(node: HTMLElement): () => void {
  const take = () => {
    const { activeElement } = document
    if (!activeElement || activeElement.contains(node) || activeElement.closest('[inert]')) node.focus({ preventScroll: true })
  }
  let gone = false
  void tick().then(() => gone || take()) // the next key is for the view
  const frame = requestAnimationFrame(take) // if it could not have the focus yet
  return () => {
    gone = true
    cancelAnimationFrame(frame)
  }
}

/**
 * Ignores a held key once the focus has moved: the Enter that ended a rename must not write empty
 * lines into the prompt that gets the focus back. Listens in the capture phase.
 */
export function heldKeys(): (e: KeyboardEvent) => void {
  const pressed = new Map<string, EventTarget | null>()
  return (e) => {
    if (!/^(Enter| |Delete|Backspace)$/.test(e.key)) return
    if (!e.repeat) pressed.set(e.key, e.target)
    else if (pressed.get(e.key) !== e.target) {
      e.preventDefault()
      e.stopImmediatePropagation()
    }
  }
}

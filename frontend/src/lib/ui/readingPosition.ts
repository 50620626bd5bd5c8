/*
 * A reading position in a long list: not in pixels, which differ in
 * another window, but by the row and its innermost block at
 * the top edge of the view.
 *
 * Rows name parts of theirs by attributes: data-from (a number that grows from
 * sibling to sibling: the message, the character a block starts at), data-piece
 * (a box that has its content only near the view, see Proximity), data-whole
 * (nothing inside has a name that lasts), data-absent (a placeholder for text not
 * fetched yet), data-beside (stands beside the next, as long as that).
 */
import { flushSync } from 'svelte'

/** A position in a list. It can be stored, and found again in another window and another session. */
export interface Place {
  /** The row's key, and its index in the list in case the key is gone. */
  key: string
  index: number
  /** Pixels from the row's top edge to that of the view. */
  into: number
  /** The path from the row to the block; see wayTo. */
  way: string
  /** The distance of the block's start below the view's top edge, negative above it, and its height, in pixels. */
  top: number
  height: number
}

/** Stores the positions of several lists, each under its own name. */
export interface KeptPlaces {
  get(name: string): Place | undefined
  set(name: string, place: Place | undefined): void
}

/**
 * topAgain returns how far below the view's top edge a block of a given height should be. With an
 * unchanged height it returns to its place; if its lines break differently, the same share of it is
 * above the edge.
 */
export function topAgain(place: Pick<Place, 'top' | 'height'>, height: number): number {
  const same = Math.abs(height - place.height) < 1
  return place.top >= 0 || place.height === 0 || same ? place.top : (place.top * height) / place.height
}

const makers = new WeakMap<Element, (from: number) => void>()

/**
 * makesWhenSought makes an element draw the part that starts at a number when that is sought; returns a function that stops
 * this.
 */
export function makesWhenSought(node: Element, make: (from: number) => void): () => void {
  makers.set(node, make)
  return () => {
    makers.delete(node)
  }
}

/** drawPart draws a part that has its content only near the view, or when it is sought; returns whether there is such a one. */
export function drawPart(node: Element): boolean {
  const make = makers.get(node)
  make?.(Number(node.getAttribute('data-from')))
  return make !== undefined
}

/** innermost returns the deepest block of a row at a height of the screen. */
export function innermost(row: HTMLElement, y: number): HTMLElement {
  let inner = row
  for (let depth = 0; depth < 14 && inner.offsetHeight > 40; depth++) {
    const next = firstBelow(inner, y)
    if (!next) break
    inner = next
  }
  return inner
}

/** The first child that reaches below y; children are in order, so a binary search finds it. */
function firstBelow(el: HTMLElement, y: number): HTMLElement | undefined {
  let low = 0
  let high = el.children.length
  while (low < high) {
    const mid = (low + high) >> 1
    if (el.children[mid]!.getBoundingClientRect().bottom > y) high = mid
    else low = mid + 1
  }
  let child = el.children[low]
  while (child?.hasAttribute('data-beside') && child.nextElementSibling) child = child.nextElementSibling
  return child instanceof HTMLElement ? child : undefined
}

/** wayTo names the path from a row to a part of it: the index among siblings, or @ and its data-from; '' if it is not in the row. */
export function wayTo(row: Element, part: Element): string {
  const steps: string[] = []
  for (let at = part; at !== row;) {
    const parent = at.parentElement
    if (!parent) return ''
    const from = at.getAttribute('data-from')
    // A piece may or may not be drawn and may be cut differently: the part inside it identifies the place on its own.
    if (at === part || !at.hasAttribute('data-piece')) steps.push(from === null ? String([...parent.children].indexOf(at)) : `@${from}`)
    at = parent
  }
  return steps.reverse().join('/')
}

/**
 * findWay follows a path as far as it leads, and draws what is not drawn; whole is false if something on it is not loaded yet.
 */
export function findWay(row: HTMLElement, way: string): { found: HTMLElement; whole: boolean } {
  let found: HTMLElement = row
  if (row.querySelector('[data-absent]')) return { found, whole: false }
  for (const step of way === '' ? [] : way.split('/')) {
    const next = step.startsWith('@') ? partAt(found, Number(step.slice(1))) : found.children[Number(step)]
    if (!(next instanceof HTMLElement)) break
    found = next
  }
  return { found, whole: true }
}

/** arrived reports whether the pictures in an element have loaded, or never will: until then its height is not final. */
export function arrived(el: Element): boolean {
  const pictures = el instanceof HTMLImageElement ? [el] : [...el.querySelectorAll('img')]
  return pictures.every((img) => img.complete)
}

/**
 * partAt draws the part that starts at a number and returns its last child that starts there or before; for a piece, the one
 * inside it.
 */
export function partAt(el: Element, from: number): Element | undefined {
  const make = makers.get(el)
  if (make) {
    make(from)
    flushSync()
  }
  let found: Element | undefined
  for (const child of el.children) {
    const at = child.getAttribute('data-from')
    if (at === null) continue
    if (Number(at) > from) break
    found = child
  }
  return found?.hasAttribute('data-piece') ? (partAt(found, from) ?? found) : found
}

/**
 * The character at a point of the screen, if it is inside an element: where the reader's eye is when lines break differently.
 */
export function characterAt(within: Element, x: number, y: number): Range | undefined {
  const at = document.caretRangeFromPoint?.(x, y)
  if (!at || at.startContainer.nodeType !== Node.TEXT_NODE || !within.contains(at.startContainer)) return undefined
  const length = at.startContainer.textContent?.length ?? 0
  if (length === 0) return undefined
  at.setStart(at.startContainer, Math.min(at.startOffset, length - 1))
  at.setEnd(at.startContainer, at.startOffset + 1)
  return at
}

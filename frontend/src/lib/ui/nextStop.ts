import { flushSync } from 'svelte'
import { drawPart } from './readingPosition'

/*
 * The browser gives the keyboard to the next stop in the page. In a list, rows and pieces of rows far from the view are not in the
 * page: those between the keyboard and its next stop are drawn before Tab is acted upon, so that it passes over none.
 */

/** What can be a stop of Tab. */
const stop = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]'

/** The most elements looked at, and parts drawn, for one Tab: a person waits for it. */
const MAX_LOOKS = 20_000
const MAX_DRAWN = 60

const isStop = (el: Element): boolean =>
  el instanceof HTMLElement && el.tabIndex >= 0 && el.matches(stop) && !el.matches(':disabled') && (el.checkVisibility?.() ?? true)

/**
 * drawNextStop draws what is missing in a list between an element and the stop after it, or before it. The children of rows are
 * the rows, with their names in data-row; drawRow draws the row beside a drawn one and returns whether there is a new one. Returns
 * whether anything was drawn.
 */
export function drawNextStop(rows: HTMLElement, from: Element, by: 1 | -1, drawRow: (key: string, by: 1 | -1) => boolean): boolean {
  const walker = document.createTreeWalker(rows, NodeFilter.SHOW_ELEMENT)
  walker.currentNode = from
  let row = rowOf(rows, from)
  let drawn = 0
  for (let looks = 0; looks < MAX_LOOKS && drawn < MAX_DRAWN; looks++) {
    const here = walker.currentNode
    const next = (by === 1 ? walker.nextNode() : walker.previousNode()) as Element | null
    const of = next && next !== rows ? rowOf(rows, next) : undefined
    if (of !== row && row && drawRow(row.dataset.row!, by)) {
      drawn++
      walker.currentNode = here
      continue
    }
    if (!next || !of) break
    row = of
    if (next.hasAttribute('data-piece') && next.childElementCount === 0 && drawPart(next)) {
      drawn++
      flushSync()
      // Its content is what comes next.
      walker.currentNode = by === 1 ? next : (lastIn(next) ?? next)
      if (by === 1) continue
    }
    if (isStop(walker.currentNode as Element)) break
  }
  return drawn > 0
}

function lastIn(el: Element): Element | undefined {
  let last: Element | undefined
  for (let at = el.lastElementChild; at; at = at.lastElementChild) last = at
  return last
}

const rowOf = (rows: HTMLElement, el: Element): HTMLElement | undefined => {
  let at: Element | null = el
  while (at && at.parentElement !== rows) at = at.parentElement
  return at instanceof HTMLElement && at.dataset.row !== undefined ? at : undefined
}

import { flushSync } from 'svelte'
import { contentOf, copyWithSources } from './MarkdownCopy'
import { drawPart } from './readingPosition'

/* Selected parts of a long text that are far from the view are drawn before a copy, so that none is missing in it. */

/** Draws and keeps what a range holds; the result gives its text, even if the range is no longer drawn. */
export type Take = (range: Range) => () => string

/** Copies a range that cannot be drawn at once, part by part; current reports whether nothing else was copied meanwhile. */
export type LateCopy = (range: Range, take: Take, current: () => boolean) => void

/** Draws what is in a range and not drawn; returns whether there was any, or how to copy what cannot be drawn at once. */
type Draw = (range: Range) => boolean | LateCopy

const drawers = new Set<Draw>()

/** The most rounds of drawing: what is drawn may have parts that are not. */
const ROUNDS = 8

/** The number of copies and cuts so far: one that is late gives way to the next. */
let copies = 0
const counted = () => copies++

/** drawsForCopy has a function called before each copy, which then takes all that is selected; returns a function that stops this. */
export function drawsForCopy(draw: Draw): () => void {
  if (drawers.size === 0) {
    document.addEventListener('copy', copySelected, true)
    document.addEventListener('cut', counted, true)
    document.addEventListener('copy', copyWithSources)
  }
  drawers.add(draw)
  return () => {
    drawers.delete(draw)
    if (drawers.size > 0) return
    document.removeEventListener('copy', copySelected, true)
    document.removeEventListener('cut', counted, true)
    document.removeEventListener('copy', copyWithSources)
  }
}

function copySelected(event: ClipboardEvent): void {
  if (event.target instanceof Element && event.target.matches('input, textarea')) return // its own text, whatever else is selected
  // A menu only asks what a copy would take: nothing if that is late. It copies then with copyLate.
  if (!copyLate(event.isTrusted)) return
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** copyLate draws what is selected; if that cannot be done at once, it copies it part by part, unless it is only asked, and returns true. */
export function copyLate(now = true): boolean {
  const mine = now ? ++copies : copies
  const selected = getSelection()
  if (!selected?.rangeCount || selected.isCollapsed) return false
  const range = selected.getRangeAt(0)
  const { drew, late } = drawRange(range)
  if (drew) selectAgain(selected)
  // The range stays as it is, whatever is selected meanwhile.
  if (late && now) late(range.cloneRange(), take, () => mine === copies)
  return late !== undefined
}

function take(range: Range): () => string {
  drawRange(range)
  const content = contentOf(range)
  return () => content().text
}

/** Draws what is in a range; returns whether anything was drawn, and how to copy it if it cannot be drawn at once. */
function drawRange(range: Range): { drew: boolean; late?: LateCopy } {
  for (let n = 0; n < ROUNDS; n++) {
    const drew = [...drawers].map((draw) => draw(range))
    const late = drew.find((result) => typeof result === 'function')
    if (late) return { drew: n > 0, late }
    if (!drew.includes(true)) return { drew: n > 0 }
    flushSync()
  }
  return { drew: true }
}

/** selectAll selects the content of an element, drawn or not. */
export function selectAll(element: Element): void {
  const selected = getSelection()
  selected?.selectAllChildren(element)
  for (let n = 0; n < ROUNDS; n++) {
    const end = [...element.querySelectorAll('[data-piece]')].at(-1)
    if (!end || end.childElementCount > 0 || !drawPart(end)) break
    flushSync()
  }
  if (selected) selectAgain(selected)
}

/** Selects the same again: WebKit moves an end that is beside text to where text was drawn at that time, and leaves out what was drawn later. */
function selectAgain({ anchorNode, anchorOffset, focusNode, focusOffset }: Selection): void {
  if (anchorNode && focusNode) getSelection()?.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset)
}

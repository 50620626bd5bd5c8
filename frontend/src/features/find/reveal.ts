import { tick } from 'svelte'
import type { documents } from '$lib/backend/backend'
import type { SearchedBook, SearchedSelection } from './searched'
import { editorOf, scrollIn } from './editorMarks'
import type { Hit, Painter } from './painter'
import { aroundOf, partOf, spotOf, type Spot } from './places'
import { rowPx } from '$lib/ui/fixedRows.svelte'

/** The number of frames in which a match has to be drawn. */
const FRAMES = 80
/** The height at the top that the bar covers, in pixels. */
const COVERED = 96

const frame = () => new Promise<void>((resolve) => requestAnimationFrame(() => resolve()))

/** The view in which matches are shown. */
export interface SearchedView {
  readonly selection: SearchedSelection
  readonly painter: Painter
}

/**
 * reveal scrolls a match into view: it unfolds what hides it, has its part loaded and drawn, and
 * scrolls everything around it. It gives up when goes says so, or if the match is not drawn in the
 * form in which it was found; then it shows and returns the element that holds it.
 */
export async function reveal(book: SearchedBook, view: SearchedView, hit: Hit, goes: () => boolean): Promise<HTMLElement | undefined> {
  const { selection, painter } = view
  const { text, n } = hit
  const cell = book.cell(text.cell)
  const match = text.matches[n]
  if (!cell || !match) return undefined
  book.reveal(cell.id)
  await book.fetched(cell)
  if (!goes()) return undefined
  if (cell.compaction) cell.showWhole()
  const message = cell.answer[text.index]
  if (text.kind === 'result' && message?.truncated && match.at + match.text.length > message.text.length) {
    cell.putMessage(text.index, await book.backend.message(book.path, cell.id, text.index))
    if (!goes()) return undefined
  }
  if (text.kind === 'arguments' || text.kind === 'result') {
    const from = cell.answer.find((m) => m.toolCalls.some((c) => c.id === text.call)) ?? message
    from?.unfold(text.call ?? '')
  } else if (text.kind !== 'prompt') message?.unfold(text.kind)
  const show = () => selection.show(cell.id, text.kind === 'prompt' ? 'glimpse' : text.index)
  show()
  let around: HTMLElement | undefined
  for (let n = 0, still = 0; n < FRAMES && goes(); n++) {
    await tick()
    await frame()
    if (selection.wanted) continue
    const row = painter.row(cell.id)
    if (!row) {
      // What is above it has just been drawn and is higher than it was estimated: the cell is out of the view again.
      show()
      continue
    }
    const part = partOf(row, text)
    if (part && text.kind === 'result') toLine(part, match)
    const spot = part && spotOf(part, text, match, editorOf)
    const drawn = spot?.range !== undefined || spot?.editor !== undefined
    // A difference draws only lines near its view: search it screen by screen.
    if (part && !drawn && turnPage(part, n)) continue
    around = spot?.element ?? part ?? aroundOf(row, text)
    // A part that has just been drawn moves everything below it: wait until it is still for some frames.
    still = (drawn ? scrollTo(spot!, row) : n > 12 && scrollTo({ element: around }, row)) ? still + 1 : 0
    if (still === 3) return drawn ? undefined : around
  }
  return around
}

const shown = new WeakMap<Element, documents.Match>()

/** The screen of a command draws only lines near its view: scroll to the line of a match, once. */
function toLine(part: HTMLElement, match: documents.Match): void {
  const screen = part.querySelector<HTMLElement>('.terminal')
  if (!screen || shown.get(screen) === match) return
  shown.set(screen, match)
  screen.scrollTop = match.line * rowPx.terminal - screen.clientHeight / 2
}

/** turnPage scrolls a part that draws only rows near its view to the next screen, starting at the top; false at its end. */
function turnPage(part: HTMLElement, n: number): boolean {
  const row = part.querySelector<HTMLElement>('[data-row]')
  const box = row && !row.closest('.terminal') ? scrollerOf(row) : undefined
  if (!box || !part.contains(box)) return false
  const before = box.scrollTop
  box.scrollTop = n === 0 ? 0 : before + box.clientHeight * 0.8
  return n === 0 ? before !== 0 : box.scrollTop !== before
}

/** scrollTo scrolls each box around a spot so that the spot is visible; true if nothing had to be scrolled. */
function scrollTo({ element, range, editor }: Spot, row: HTMLElement): boolean {
  const spot = () => (editor ? editor.view.coordsAtPos(editor.from) : (range ?? element).getBoundingClientRect())
  let rect = spot()
  // In a part of a long line that is not drawn, the editor knows only where the part begins.
  const drawn = editor?.view.visibleRanges.some(({ from, to }) => from <= editor.from && editor.from <= to)
  if (editor && (!drawn || !rect || !within(rect, editor.view.scrollDOM.getBoundingClientRect(), 0))) {
    scrollIn(editor.view, editor.from)
    return false
  }
  let done = true
  const list = scrollerOf(row)
  for (let box = scrollerOf(editor?.view.dom ?? element); box; box = box === list ? undefined : scrollerOf(box)) {
    rect = spot()
    if (!rect) return false
    const view = box.getBoundingClientRect()
    if (within(rect, view, box === list ? COVERED : 0)) continue
    const zoom = view.height / (box.offsetHeight || 1) || 1
    const room = box.clientHeight
    const { scrollTop, scrollLeft } = box
    box.scrollTop += (rect.top - view.top) / zoom - Math.max(box === list ? COVERED : 8, room / 3)
    if (rect.left < view.left || rect.right > view.right) box.scrollLeft += (rect.left - view.left) / zoom - box.clientWidth / 3
    // A box at its end scrolls no further.
    done &&= box.scrollTop === scrollTop && box.scrollLeft === scrollLeft
  }
  return done
}

type Box = Pick<DOMRect, 'top' | 'bottom' | 'left' | 'right'>

/** Whether the start of a spot is visible. */
function within(spot: Box, view: Box, covered: number): boolean {
  const height = Math.min(spot.bottom - spot.top, 40)
  return (
    spot.top >= view.top + covered - 1 && spot.top + height <= view.bottom + 1 && spot.left >= view.left - 1 && spot.left <= view.right + 1
  )
}

/** The nearest scrolling ancestor of an element. */
function scrollerOf(element: HTMLElement): HTMLElement | undefined {
  for (let e = element.parentElement; e; e = e.parentElement) {
    const { overflowY, overflowX } = getComputedStyle(e)
    const scrolls = (how: string) => how === 'auto' || how === 'scroll'
    if ((scrolls(overflowY) && e.scrollHeight > e.clientHeight) || (scrolls(overflowX) && e.scrollWidth > e.clientWidth)) return e
  }
  return undefined
}

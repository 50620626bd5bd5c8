/** Rows of text of which only those near the view are drawn. Each drawn row has its number in data-row and its text in an element with data-text. */
export interface TextRows {
  count: () => number
  text: (row: number) => string
}

/**
 * RowSelection lets a person select and copy text that is only partly drawn: the rows in which a
 * selection begins and ends stay drawn, wherever the list scrolls, and a copy contains everything
 * between them.
 */
export class RowSelection {
  readonly #rows: TextRows
  #ends = $state.raw<readonly number[]>([])

  constructor(rows: TextRows) {
    this.#rows = rows
  }

  /** The rows to draw, in order: from first up to last, plus the ends of the selection. */
  drawn(first: number, last: number): number[] {
    const near = Array.from({ length: Math.max(0, last - first) }, (_, n) => first + n)
    const ends = this.#ends.filter((row) => row < this.#rows.count())
    return [...ends.filter((row) => row < first), ...near, ...ends.filter((row) => row >= last)]
  }

  /** To attach to the element around the rows. */
  readonly attach = (node: HTMLElement): (() => void) => {
    const follow = () => {
      const selection = getSelection()
      const ends = [selection?.anchorNode, selection?.focusNode].map((at) => rowAround(node, at)).filter((row) => row !== undefined)
      this.#keep(ends)
    }
    // The row may scroll away before the selection event arrives.
    const press = (e: PointerEvent) => {
      const row = e.shiftKey ? undefined : rowAround(node, e.target as Node)
      if (row) this.#keep([row])
    }
    const copy = (e: ClipboardEvent) => {
      const text = this.#selected(node)
      if (text === undefined || !e.clipboardData) return
      e.clipboardData.setData('text/plain', text)
      e.preventDefault()
    }
    const key = (e: KeyboardEvent) => {
      if (e.key.toLowerCase() !== 'a' || !(e.ctrlKey || e.metaKey) || e.shiftKey || e.altKey) return
      e.preventDefault()
      getSelection()?.selectAllChildren(node)
    }
    document.addEventListener('selectionchange', follow)
    node.addEventListener('pointerdown', press)
    node.addEventListener('copy', copy)
    node.addEventListener('keydown', key)
    return () => {
      document.removeEventListener('selectionchange', follow)
      node.removeEventListener('pointerdown', press)
      node.removeEventListener('copy', copy)
      node.removeEventListener('keydown', key)
    }
  }

  #keep(ends: readonly Element[]): void {
    const rows = [...new Set(ends.map(number))].sort((a, b) => a - b)
    if (rows.join() !== this.#ends.join()) this.#ends = rows
  }

  /** The text of a selection inside the node that spans several rows. */
  #selected(node: HTMLElement): string | undefined {
    const selection = getSelection()
    if (!selection?.rangeCount || selection.isCollapsed) return undefined
    const range = selection.getRangeAt(0)
    if (!node.contains(range.startContainer) || !node.contains(range.endContainer)) return undefined
    const [start, end] = [rowAround(node, range.startContainer), rowAround(node, range.endContainer)]
    if (start && start === end) return undefined
    const first = start ? number(start) : rowAt(node, range.startContainer, range.startOffset, 0)
    const last = end ? number(end) : rowAt(node, range.endContainer, range.endOffset, this.#rows.count()) - 1
    const lines = Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => this.#rows.text(first + n))
    if (end)
      lines[lines.length - 1] = this.#part(
        end,
        (text) => {
          text.setEnd(range.endContainer, range.endOffset)
        },
        last,
      )
    if (start)
      lines[0] = this.#part(
        start,
        (text) => {
          text.setStart(range.startContainer, range.startOffset)
        },
        first,
      )
    return lines.join('\n')
  }

  /** The selected part of a row; a fully selected row as its original text, not as displayed. */
  #part(row: Element, cut: (text: Range) => void, n: number): string {
    const shown = row.querySelector('[data-text]')
    const text = this.#rows.text(n)
    if (!shown || shown.textContent.length < text.length) return text // a partly drawn line is copied as a whole
    const whole = document.createRange()
    whole.selectNodeContents(shown)
    const part = whole.cloneRange()
    cut(part)
    // An end outside the text, in the line number, selects all or nothing of it.
    if (part.compareBoundaryPoints(Range.START_TO_START, whole) < 0) part.setStart(whole.startContainer, whole.startOffset)
    if (part.compareBoundaryPoints(Range.END_TO_END, whole) > 0) part.setEnd(whole.endContainer, whole.endOffset)
    return part.toString() === whole.toString() ? text : part.toString()
  }
}

const number = (row: Element) => Number(row.getAttribute('data-row'))

function rowAround(node: HTMLElement, at: Node | null | undefined): Element | undefined {
  const element = at instanceof Element ? at : at?.parentElement
  const row = element?.closest('[data-row]')
  return row && node.contains(row) ? row : undefined
}

/** The first row at or after a place between rows; beyond if there is none. */
function rowAt(node: HTMLElement, container: Node, offset: number, beyond: number): number {
  const place = document.createRange()
  place.setStart(container, offset)
  place.collapse(true)
  const rows = [...node.querySelectorAll('[data-row]')]
  if (beyond === 0 && rows[0] && place.comparePoint(rows[0], 0) >= 0) return 0
  const behind = rows.find((row) => place.comparePoint(row, 0) >= 0)
  return behind ? number(behind) : beyond
}

import type { documents } from '$lib/backend/backend'
import type { EditorView } from '@codemirror/view'
import { CurrentText } from '$lib/find/currentText'
import { editorOf, EditorMarks, type EditorMark } from './editorMarks'
import { partOf, spotsOf, type Spot } from './places'

type FoundText = documents.FoundText

/** One match of a text. */
export interface Hit {
  readonly text: FoundText
  /** Its index among the matches of the text. */
  readonly n: number
}

/** The shortest time between two passes over the drawn rows, in milliseconds. */
const REST_MS = 120
/** The largest number of matches shown: few are in drawn rows. */
const MAX = 3000

/**
 * Painter shows matches in the drawn rows of a list, and follows what is drawn. It does not change
 * the page's content: the browser paints them over the text (CSS custom highlights), and editors
 * use decorations.
 */
export class Painter {
  readonly #root: HTMLElement
  readonly #editors = new EditorMarks()
  readonly #currentText = new CurrentText()
  readonly #observer = new MutationObserver(() => this.#soon())
  #byCell = new Map<string, FoundText[]>()
  #current: Hit | undefined
  #outlined: HTMLElement | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /** root: the element around the list. */
  constructor(root: HTMLElement) {
    this.#root = root
    this.#observer.observe(root, { childList: true, characterData: true, subtree: true })
  }

  /** show sets the matches and paints the drawn ones. */
  show(texts: readonly FoundText[], current: Hit | undefined): void {
    this.#byCell = new Map()
    for (const text of texts) {
      const list = this.#byCell.get(text.cell)
      if (list) list.push(text)
      else this.#byCell.set(text.cell, [text])
    }
    this.#current = current
    this.outline(undefined)
    this.#paint()
  }

  /** outline marks the element that holds the current match, if the match itself is not drawn as it was found. */
  outline(element: HTMLElement | undefined): void {
    this.#outlined?.classList.remove('found-around')
    this.#outlined = element
    element?.classList.add('found-around')
  }

  /** The drawn row of a cell. */
  row(cell: string): HTMLElement | undefined {
    return this.#root.querySelector<HTMLElement>(`[data-row="${CSS.escape(cell)}"]`) ?? undefined
  }

  stop(): void {
    this.#observer.disconnect()
    clearTimeout(this.#timer)
    this.outline(undefined)
    this.#editors.show(new Map())
    highlight('found', [])
    highlight('found-current', [])
    this.#currentText.show([])
  }

  #soon(): void {
    if (this.#byCell.size === 0) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#paint()
    }, REST_MS)
  }

  #paint(): void {
    const ranges: Range[] = []
    const currents: Range[] = []
    const editors = new Map<EditorView, EditorMark[]>()
    const put = (spot: Spot, current: boolean) => {
      if (spot.range) (current ? currents : ranges).push(spot.range)
      if (!spot.editor) return
      const { view, from, to } = spot.editor
      const marks = editors.get(view) ?? []
      if (!editors.has(view)) editors.set(view, marks)
      marks.push({ from, to, current })
    }
    for (const [cell, texts] of this.#byCell) {
      const row = this.row(cell)
      if (!row) continue
      for (const text of texts) {
        const part = partOf(row, text)
        if (!part || ranges.length > MAX) continue
        const now = this.#current?.text === text ? text.matches[this.#current.n] : undefined
        for (const [match, spot] of spotsOf(part, text, editorOf)) put(spot, match === now)
      }
    }
    highlight('found', ranges)
    highlight('found-current', currents)
    this.#currentText.show(currents)
    this.#editors.show(editors)
  }
}

function highlight(name: string, ranges: readonly Range[]): void {
  // An engine without highlights still scrolls to each match and counts them.
  if (!('highlights' in CSS)) return
  if (ranges.length === 0) CSS.highlights.delete(name)
  else CSS.highlights.set(name, new Highlight(...ranges))
}

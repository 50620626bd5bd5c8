import type { EditorView } from '@codemirror/view'
import { partAt } from '$lib/ui/readingPosition'
import type { documents } from '$lib/backend/backend'
import { align, type Place } from './align'

type FoundText = documents.FoundText
type Match = documents.Match

/** The place of a match on the page: in drawn text, in an editor, or somewhere in an element. */
export interface Spot {
  element: HTMLElement
  range?: Range
  editor?: { view: EditorView; from: number; to: number }
}

/** Finds the editor of an element; CodeMirror's own lookup, loaded with it. */
export type EditorOf = (element: HTMLElement) => EditorView | null

/** partOf returns the element that shows a text of a cell, in its drawn row; undefined if the text is folded away. */
export function partOf(row: HTMLElement, text: FoundText): HTMLElement | undefined {
  const one = (selector: string) => row.querySelector<HTMLElement>(selector) ?? undefined
  switch (text.kind) {
    case 'prompt':
      return one('.prompt .cm-editor, .prompt .prompt-text, [role="group"].summary')
    case 'answer':
      return one(`${message(text)} > .md, ${message(text)} [data-find="internal"]`)
    case 'reasoning':
      return one(`${message(text)} [data-find="reasoning"]`)
    default: {
      const call = callOf(row, text)
      return call?.querySelector<HTMLElement>(`[data-find="${text.kind}"]`) ?? undefined
    }
  }
}

/** aroundOf returns the element that represents a text that is not drawn: its call, its message or the cell. */
export function aroundOf(row: HTMLElement, text: FoundText): HTMLElement {
  const call = text.call ? callOf(row, text) : undefined
  return call ?? row.querySelector<HTMLElement>(text.kind === 'prompt' ? '.prompt' : message(text)) ?? row
}

const message = (text: FoundText) => `.answer > [data-piece] > [data-from="${text.index}"]`

const callOf = (row: HTMLElement, text: FoundText) =>
  row.querySelector<HTMLElement>(`[data-call="${CSS.escape(text.call ?? '')}"]`) ?? undefined

/** The drawn matches of a text, with their places. */
export type Spots = Map<Match, Spot>

/** spotsOf finds the drawn matches of a text. */
export function spotsOf(part: HTMLElement, text: FoundText, editorOf: EditorOf): Spots {
  if (text.kind === 'answer' && part.querySelector('[data-from]')) return inBlocks(part, text.matches, editorOf)
  const screen = part.querySelector<HTMLElement>('.terminal')
  return screen ? onScreen(screen, text.matches) : spotsIn(part, text.matches, editorOf)
}

/**
 * spotOf draws the part that holds one match of a text, and finds the match in it; in a Markdown text, the block around a match that
 * is not drawn as it was found.
 */
export function spotOf(part: HTMLElement, text: FoundText, match: Match, editorOf: EditorOf): Spot | undefined {
  const inMarkdown = text.kind === 'answer' && part.querySelector('[data-from]') !== null
  if (inMarkdown) partAt(part, match.at)
  const spot = spotsOf(part, text, editorOf).get(match)
  if (spot || !inMarkdown) return spot
  const element = blocksOf(part).findLast((block) => Number(block.dataset.from) <= match.at)
  return element && { element }
}

const blocksOf = (part: HTMLElement) =>
  [...part.querySelectorAll<HTMLElement>('[data-from]:not([data-piece])')].filter((b) => !b.querySelector('[data-from]'))

/** The blocks of a Markdown text know their positions in it. */
function inBlocks(part: HTMLElement, matches: readonly Match[], editorOf: EditorOf): Spots {
  const blocks = blocksOf(part)
  const spots: Spots = new Map()
  let i = 0
  blocks.forEach((block, n) => {
    const [from, to] = [block, blocks[n + 1]].map((b) => Number(b?.dataset.from ?? Infinity))
    const start = Number(block.dataset.start ?? from)
    while (i < matches.length && matches[i]!.at < start) i++
    const first = i
    while (i < matches.length && matches[i]!.at < to!) i++
    if (i === first) return
    const inside = new Map(matches.slice(first, i).map((match) => [within(match, start, to!), match]))
    for (const [own, spot] of spotsIn(block, [...inside.keys()], editorOf)) spots.set(inside.get(own)!, spot)
  })
  return spots
}

/** A match as a block has it: its position in the block, and what is around it there. */
function within(match: Match, start: number, end: number): Match {
  const at = match.at - start
  return {
    ...match,
    at,
    before: match.before.slice(-at || match.before.length),
    after: match.after.slice(0, Math.max(0, end - match.at - match.text.length)),
  }
}

function spotsIn(part: HTMLElement, matches: readonly Match[], editorOf: EditorOf): Spots {
  const box = part.matches('.cm-editor') ? part : part.querySelector<HTMLElement>('.cm-editor')
  const view = box && editorOf(box)
  const text = view ? undefined : new DrawnText(part)
  const places = placesIn(view ? view.state.doc.toString() : text!.text, matches)
  const spots: Spots = new Map()
  matches.forEach((match, i) => {
    const place = places[i]
    if (!place) return
    if (view) spots.set(match, { element: box, editor: { view, from: place[0], to: place[1] } })
    else spots.set(match, { element: part, range: text!.range(place) })
  })
  return spots
}

/** The places of matches in the source itself, or in a text aligned with it. */
function placesIn(shown: string, matches: readonly Match[]): (Place | undefined)[] {
  const same = matches.every(({ at, text, before }) => shown.startsWith(text, at) && shown.slice(0, at).endsWith(before))
  return same ? matches.map(({ at, text }) => [at, at + text.length] as const) : align(shown, matches)
}

/** The screen of a command draws only lines near its view: a match is in the nearest similar one. */
function onScreen(screen: HTMLElement, matches: readonly Match[]): Spots {
  const lines = [...screen.querySelectorAll<HTMLElement>('[data-row]')].map((element) => ({
    element,
    row: Number(element.dataset.row),
    text: new DrawnText(element),
  }))
  const spots: Spots = new Map()
  for (const match of matches) {
    const own = { text: match.text, before: match.before.split('\n').at(-1)!, after: match.after.split('\n')[0]! }
    let nearest = Infinity
    for (const { element, row, text } of lines) {
      const far = Math.abs(row - match.line)
      const place = far < nearest ? align(text.text, [own])[0] : undefined
      if (!place) continue
      nearest = far
      spots.set(match, { element, range: text.range(place) })
    }
  }
  return spots
}

/**
 * What the program says beside a text: names of buttons, texts repeated for screen readers, the language of a block of code, the
 * title of an alert, and why a text is shown as its source.
 */
const beside = 'button, [aria-hidden="true"], .katex-mathml, .md-code > header, .md-diagram > header, .alert-title, .as-source-note'

/** DrawnText is the text that an element shows, with the node of each part. */
class DrawnText {
  readonly text: string
  readonly #nodes: Text[] = []
  readonly #starts: number[] = []

  constructor(element: HTMLElement) {
    const parts: string[] = []
    let length = 0
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, {
      acceptNode: (node) =>
        node instanceof Element ? (node.matches(beside) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP) : NodeFilter.FILTER_ACCEPT,
    })
    while (walker.nextNode()) {
      const node = walker.currentNode as Text
      this.#nodes.push(node)
      this.#starts.push(length)
      parts.push(node.data)
      length += node.data.length
    }
    this.text = parts.join('')
  }

  range([from, to]: Place): Range {
    const range = document.createRange()
    const [start, end] = [this.#nodeAt(from), this.#nodeAt(to - 1)]
    range.setStart(this.#nodes[start]!, from - this.#starts[start]!)
    range.setEnd(this.#nodes[end]!, to - this.#starts[end]!)
    return range
  }

  /** The last node that begins at or before a position. */
  #nodeAt(place: number): number {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const mid = (low + high + 1) >> 1
      if (this.#starts[mid]! <= place) low = mid
      else high = mid - 1
    }
    return low
  }
}

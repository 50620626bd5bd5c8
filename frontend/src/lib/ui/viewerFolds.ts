import { codeFolding, foldGutter, foldKeymap, foldService } from '@codemirror/language'
import type { EditorState, Extension, Text } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { t } from '$lib/language/language'

/*
 * Folding by indentation, for any language: a line can be folded if the lines below it are indented
 * further.
 */

/** A longer text is not folded: finding its parts would block the window. */
const mostLines = 50_000
/** The width of a tab, in spaces. */
const tab = 4

/** The indentation of a line, in spaces; -1 for a blank one. */
function indentOf(line: string): number {
  let n = 0
  for (const c of line) {
    if (c === ' ') n++
    else if (c === '\t') n += tab - (n % tab)
    else return n
  }
  return -1
}

/** foldEnds returns, for each line from 1, the last line that can be folded below it; 0 if there is none. */
export function foldEnds(lines: Iterable<string>): number[] {
  const ends = [0]
  const open: { line: number; indent: number }[] = []
  let last = 0
  const close = (indent: number) => {
    while (open.length > 0 && open.at(-1)!.indent >= indent) {
      const { line } = open.pop()!
      if (last > line) ends[line] = last
    }
  }
  let n = 0
  for (const text of lines) {
    n++
    ends.push(0)
    const indent = indentOf(text)
    if (indent < 0) continue
    close(indent)
    open.push({ line: n, indent })
    last = n
  }
  close(0)
  return ends
}

const known = new WeakMap<Text, number[]>()

function endsIn(doc: Text): number[] {
  let ends = known.get(doc)
  if (!ends) known.set(doc, (ends = doc.lines > mostLines ? [] : foldEnds(doc.iterLines())))
  return ends
}

/** The range that a line can fold: from its end to the end of the last line that is indented further. */
function foldAt(state: EditorState, from: number) {
  const line = state.doc.lineAt(from)
  const end = endsIn(state.doc)[line.number]
  return end ? { from: line.to, to: state.doc.line(end).to } : null
}

/** viewerFolds folds by a click beside the line numbers, Ctrl+Shift+[ and Ctrl+Shift+]. */
export const viewerFolds: Extension = [
  foldService.of(foldAt),
  codeFolding({
    placeholderDOM: (_view, onclick) => {
      const dots = document.createElement('span')
      dots.className = 'cm-foldPlaceholder'
      dots.textContent = '…'
      dots.dataset.tip = t`Unfold`
      dots.setAttribute('aria-label', 'folded lines')
      dots.onclick = onclick
      return dots
    },
  }),
  foldGutter({
    // The focus stays in the text.
    domEventHandlers: { mousedown: (view) => (view.focus(), true) },
    markerDOM: (open) => {
      const mark = document.createElement('span')
      mark.className = open ? 'cm-fold' : 'cm-fold cm-folded'
      mark.dataset.tip = open ? t`Fold` : t`Unfold`
      return mark
    },
  }),
  keymap.of(foldKeymap),
]

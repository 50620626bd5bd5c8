/*
 * The difference of two texts that only the page has: the arguments of a call, the versions of a
 * conflict. Loaded on demand; see lazyDiff.ts.
 */
import { diffArrays } from 'diff'
import { linesOf, type DiffLine } from './diff'

const contextLines = 3
/** If more lines differ, all are shown as removed and added: finding the smallest difference would block the window. */
const maxEdits = 1200

/** The difference of two texts, with three lines around each change. Equal texts have none. */
export function diffTexts(before: string, after: string): DiffLine[] {
  return withContext(wholeDiff(linesOf(before), linesOf(after)))
}

/** Every line of both texts, marked as kept, removed or added. */
function wholeDiff(a: readonly string[], b: readonly string[]): DiffLine[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const same = (text: string): DiffLine => ({ op: ' ', text })
  return [
    ...a.slice(0, head).map(same),
    ...changed(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ]
}

/** The fewest removed and added lines. */
function changed(a: readonly string[], b: readonly string[]): DiffLine[] {
  const gone = a.map((text): DiffLine => ({ op: '-', text }))
  const came = b.map((text): DiffLine => ({ op: '+', text }))
  if (a.length === 0 || b.length === 0) return [...gone, ...came]
  const parts = diffArrays([...a], [...b], { maxEditLength: maxEdits })
  if (!parts) return [...gone, ...came]
  return parts.flatMap(({ value, added, removed }) => value.map((text): DiffLine => ({ op: added ? '+' : removed ? '-' : ' ', text })))
}

/** Keeps the changes and a few lines around them. */
function withContext(all: readonly DiffLine[]): DiffLine[] {
  const keep = new Uint8Array(all.length)
  all.forEach((l, i) => {
    if (l.op !== ' ') keep.fill(1, Math.max(0, i - contextLines), i + contextLines + 1)
  })
  const out: DiffLine[] = []
  let old = 1
  let now = 1
  let open: { at: number; old: number; new: number; olds: number; news: number } | undefined
  const close = () => {
    if (!open) return
    const start = (first: number, lines: number) => (lines === 0 ? first - 1 : first)
    out[open.at] = { op: '@', text: `@@ -${start(open.old, open.olds)},${open.olds} +${start(open.new, open.news)},${open.news} @@` }
    open = undefined
  }
  all.forEach((l, i) => {
    if (keep[i]) {
      open ??= { at: out.push({ op: '@', text: '' }) - 1, old, new: now, olds: 0, news: 0 }
      out.push(l)
      if (l.op !== '+') open.olds++
      if (l.op !== '-') open.news++
    } else close()
    if (l.op !== '+') old++
    if (l.op !== '-') now++
  })
  close()
  return out
}

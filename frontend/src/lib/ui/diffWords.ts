/*
 * Which words of a line changed, where another line replaced
 * it. Pure: it knows no DOM. DiffLines.svelte is its caller.
 */
import { sideBySide, type DiffRow, type Piece } from './diff'

/** A part of a line, from one character up to another. */
export interface Span {
  from: number
  to: number
}

/** A piece of a line, and whether it changed. */
export interface MarkedPiece extends Piece {
  changed: boolean
}

/** Lines with more words than this are compared as a whole. */
const maxWords = 300
/** Lines that share less than this are unrelated: marks in them would mean nothing. */
const leastShared = 0.35

/** Words, runs of spaces, single punctuation characters; Chinese and Japanese by character. */
const words = (text: string): string[] =>
  text.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}_])+|\s+|./gsu,
  ) ?? []

/**
 * changedWords compares two lines: it returns the removed parts of the first and the added parts of the second; undefined if nothing is
 * shared.
 */
export function changedWords(before: string, after: string): { before: Span[]; after: Span[] } | undefined {
  const a = words(before)
  const b = words(after)
  if (a.length > maxWords || b.length > maxWords) return undefined
  // kept[i][j] is the weight of the longest common subsequence of a from i and b from j; a space counts little.
  const kept = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  const weight = (word: string) => (word.trim() === '' ? 1 : 10 * word.length)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      kept[i]![j] = a[i] === b[j] ? kept[i + 1]![j + 1]! + weight(a[i]!) : Math.max(kept[i + 1]![j]!, kept[i]![j + 1]!)
    }
  }
  const size = (list: readonly string[]) => list.reduce((n, word) => n + weight(word), 0)
  const [less, more] = [size(a), size(b)].sort((x, y) => x - y) as [number, number]
  // A short line may survive in full inside a much longer one.
  const grown = less > 80 && kept[0]![0]! > 0.8 * less
  if (kept[0]![0]! < leastShared * more && !grown) return undefined

  const gone: Span[] = []
  const came: Span[] = []
  let [i, j, atA, atB] = [0, 0, 0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      atA += a[i++]!.length
      atB += b[j++]!.length
    } else if (j >= b.length || (i < a.length && kept[i + 1]![j]! >= kept[i]![j + 1]!)) {
      gone.push({ from: atA, to: (atA += a[i++]!.length) })
    } else came.push({ from: atB, to: (atB += b[j++]!.length) })
  }
  return { before: joined(gone, before), after: joined(came, after) }
}

/** Joins spans with nothing or only a space between them. */
function joined(spans: readonly Span[], text: string): Span[] {
  const out: Span[] = []
  for (const span of spans) {
    const last = out.at(-1)
    if (last && text.slice(last.to, span.from).trim() === '') last.to = span.to
    else out.push({ ...span })
  }
  return out
}

/** Which line replaced which, in both directions. */
export function partnersOf(rows: readonly DiffRow[]): Map<DiffRow, DiffRow> {
  const partners = new Map<DiffRow, DiffRow>()
  for (const { left, right } of sideBySide(rows)) {
    if (!left || !right || left === right) continue
    partners.set(left, right)
    partners.set(right, left)
  }
  return partners
}

/** Splits the pieces of a line at the ends of changed parts. */
export function markPieces(pieces: readonly Piece[], spans: readonly Span[]): MarkedPiece[] {
  const out: MarkedPiece[] = []
  let at = 0
  for (const { text, kind } of pieces) {
    const end = at + text.length
    let from = at
    for (const span of spans) {
      if (span.to <= from || span.from >= end) continue
      if (span.from > from) out.push({ text: text.slice(from - at, span.from - at), kind, changed: false })
      out.push({ text: text.slice(Math.max(span.from, from) - at, Math.min(span.to, end) - at), kind, changed: true })
      from = Math.min(span.to, end)
    }
    if (from < end) out.push({ text: text.slice(from - at), kind, changed: false })
    at = end
  }
  return out
}

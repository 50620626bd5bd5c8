import { count } from '$lib/format/number'
import { t } from '$lib/language/language'

/*
 * The arithmetic of text differences, line by line: the number of a line before and after, and
 * which lines are side by side. Differences come from Go, or from diffTexts.ts.
 *
 * Pure: it knows no DOM. Diff.svelte is its caller.
 */

/** A line of a difference: op is "+", "-", " ", or "@" where the next hunk begins. */
export interface DiffLine {
  op: string
  text: string
}

/** A line with its numbers before and after, from 1; 0 on a side where it does not exist. */
export interface DiffRow {
  op: '+' | '-' | ' ' | '@'
  old: number
  new: number
  text: string
}

/** Two lines side by side; a gap between hunks is the same on both sides. */
export interface SideRow {
  left: DiffRow | undefined
  right: DiffRow | undefined
}

/** The numbers of added and removed lines. */
export function statOf(lines: readonly DiffLine[]): { added: number; removed: number } {
  let added = 0
  let removed = 0
  for (const l of lines) {
    if (l.op === '+') added++
    else if (l.op === '-') removed++
  }
  return { added, removed }
}

/**
 * Numbers the lines from the heads of the hunks ("@@ -3,7 +3,8 @@"). The head of a hunk at the start of the file is left out.
 */
export function rowsOf(lines: readonly DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = []
  let old = 1
  let now = 1
  for (const { op, text } of lines) {
    if (op === '@') {
      const at = /^@@ -(\d+)(,(\d+))? \+(\d+)(,(\d+))? @@/.exec(text)
      if (at) {
        // A side without lines is numbered by the line before it.
        old = Number(at[1]) + (at[3] === '0' ? 1 : 0)
        now = Number(at[4]) + (at[6] === '0' ? 1 : 0)
      }
      if (rows.length > 0 || old > 1 || now > 1) rows.push({ op: '@', old: 0, new: 0, text: '' })
    } else if (op === '+') rows.push({ op, old: 0, new: now++, text })
    else if (op === '-') rows.push({ op, old: old++, new: 0, text })
    else rows.push({ op: ' ', old: old++, new: now++, text })
  }
  return rows
}

/** The number of digits of the largest line number. */
export const digitsOf = (rows: readonly DiffRow[]): number => String(rows.reduce((n, r) => Math.max(n, r.old, r.new), 0)).length

/** One hunk of a difference, and its position in the new file. */
export interface Hunk {
  place: string
  lines: DiffLine[]
}

/** Splits a difference at the heads of its hunks ("@@ -3,7 +3,8 @@"). */
export function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const out: Hunk[] = []
  for (const line of lines) {
    if (line.op === '@') {
      const at = /\+(\d+)(?:,(\d+))? @@/.exec(line.text)
      out.push({ place: placeWords(Number(at?.[1] ?? 1), at?.[2] === undefined ? 1 : Number(at[2])), lines: [line] })
    } else if (out.length > 0) out.at(-1)!.lines.push(line)
    else out.push({ place: placeWords(1, 1), lines: [line] })
  }
  return out
}

/** Splits a unified difference without headers into lines, without the notes about a missing newline. */
export function unifiedLines(text: string): DiffLine[] {
  return linesOf(text)
    .filter((line) => !line.startsWith('\\'))
    .map((line): DiffLine => (line.startsWith('@@') ? { op: '@', text: line } : { op: line.slice(0, 1) || ' ', text: line.slice(1) }))
}

/** The position of a range of lines in words; an empty range is after that line. */
export function placeWords(from: number, lines: number): string {
  if (lines === 0) return from === 0 ? t`The whole file` : t`After line ${count(from)}`
  return lines === 1 ? t`Line ${count(from)}` : t`Lines ${count(from)}–${count(from + lines - 1)}`
}

/** Pairs removed lines with the lines that replaced them. */
export function sideBySide(rows: readonly DiffRow[]): SideRow[] {
  const sides: SideRow[] = []
  let gone: DiffRow[] = []
  let came: DiffRow[] = []
  const flush = () => {
    for (let i = 0; i < Math.max(gone.length, came.length); i++) sides.push({ left: gone[i], right: came[i] })
    gone = []
    came = []
  }
  for (const row of rows) {
    if (row.op === '-') {
      // A removal after an addition begins a new change.
      if (came.length > 0) flush()
      gone.push(row)
    } else if (row.op === '+') came.push(row)
    else {
      flush()
      sides.push({ left: row, right: row })
    }
  }
  flush()
  return sides
}

/** linesOf returns the lines of a text, without an empty one after a final newline. */
export const linesOf = (text: string): string[] => (text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n'))

/** A coloured piece of a line: its text and the classes of highlight.js. */
export interface Piece {
  text: string
  kind: string
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'", '&#39;': "'" }

/** Splits highlight.js output into lines of pieces, so that text stays text and is never parsed as HTML again. */
export function piecesOf(html: string): Piece[][] {
  const lines: Piece[][] = [[]]
  const kinds: string[] = []
  for (const [token] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+|</g)) {
    if (token === '</span>') kinds.pop()
    else if (token.startsWith('<span')) kinds.push(token.slice(13, -2))
    else {
      const text = token.replace(/&(?:amp|lt|gt|quot|#x27|#39);/g, (e) => entities[e] ?? e)
      text.split('\n').forEach((part, i) => {
        if (i > 0) lines.push([])
        if (part) lines.at(-1)!.push({ text: part, kind: kinds.at(-1) ?? '' })
      })
    }
  }
  return lines
}

/** The name by which highlight.js may know a file's language. */
export function languageName(path: string): string {
  const base = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return base.includes('.') ? base.slice(base.lastIndexOf('.') + 1) : base
}

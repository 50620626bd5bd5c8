/* The results of other agents' calls (SPEC 14.2): text, with changes as fenced unified differences. */
import { unifiedLines, type DiffLine } from '$lib/ui/diff'

/** A part of a result: text as it is, or the change of a file. */
export type ResultPart = { text: string } | { path: string; lines: DiffLine[] }

/** The most changes of one result that are drawn as such; the rest stays text. */
const maxChanges = 200

/** resultParts splits a result at its differences. A difference whose end is missing reaches to the end of the text. */
export function resultParts(result: string): ResultPart[] {
  const parts: ResultPart[] = []
  const text = (piece: string) => {
    if (piece.trim() !== '') parts.push({ text: piece.replace(/^\n+|\n+$/g, '') })
  }
  const fence = /^(`{3,})diff\n([^]*?)(?:^\1[ \t]*$\n?|(?![^]))/gm
  let from = 0
  let changes = 0
  for (const at of result.matchAll(fence)) {
    if (++changes > maxChanges) break
    text(result.slice(from, at.index))
    parts.push(changeOf(at[2]!))
    from = at.index + at[0].length
  }
  text(result.slice(from))
  return parts
}

/** The file of a unified difference and its lines, without the head. */
function changeOf(diff: string): { path: string; lines: DiffLine[] } {
  const [, old = '', now = '', body = diff] = /^--- ([^\n]*)\n\+\+\+ ([^\n]*)\n([^]*)$/.exec(diff) ?? []
  const named = (name: string) => (name === '/dev/null' ? '' : name.replace(/\t.*$/, ''))
  return { path: named(now) || named(old), lines: unifiedLines(body) }
}

/** A match as the backend tells it: what matches and what is around it in the text. */
export interface Sought {
  text: string
  before: string
  after: string
}

/** The place of a match in a shown text, in UTF-16 units. */
export type Place = readonly [from: number, to: number]

/** White space breaks anew and marks of Markdown are not shown. */
const hidden = /[\s*_~`\\\u200b]/

/** How many candidates for one match are compared. */
const CANDIDATES = 40

/**
 * align finds matches of a text in the form in which it is shown: without the marks of
 * its Markdown, with other white space. They come in the order of the text. Of several
 * places the one counts whose surroundings are most alike; undefined where none is.
 */
export function align(shown: string, matches: readonly Sought[]): (Place | undefined)[] {
  const { text, at } = squash(shown)
  let from = 0
  return matches.map((match) => {
    const want = squash(match.text).text
    if (want === '') return undefined
    const place = best(text, want, match, from)
    if (place === undefined) return undefined
    from = place + want.length
    return [at[place]!, at[from - 1]! + 1]
  })
}

/** Where in a squashed text a match is, at or behind from. */
function best(text: string, want: string, match: Sought, from: number): number | undefined {
  const before = letters(match.before)
  const after = letters(match.after)
  const all = before.length + after.length
  let found: number | undefined
  let most = -1
  let next = text.indexOf(want, from)
  for (let n = 0; next >= 0 && n < CANDIDATES; n++) {
    const alike = backwards(text, next, before) + forwards(text, next + want.length, after)
    if (alike === all) return next
    if (alike > most) [found, most] = [next, alike]
    next = text.indexOf(want, next + 1)
  }
  // Surroundings that have letters, none of which are here: it is not shown at all.
  return most >= Math.min(all, 3) ? found : undefined
}

/** How many letters of before end just ahead of a place. Signs in between do not count. */
function backwards(text: string, at: number, before: string): number {
  let n = 0
  for (let i = at - 1; i >= 0 && n < before.length; i--) {
    if (!isLetter(text[i]!)) continue
    if (text[i] !== before[before.length - 1 - n]) break
    n++
  }
  return n
}

/** How many letters of after begin just behind a place. */
function forwards(text: string, at: number, after: string): number {
  let n = 0
  for (let i = at; i < text.length && n < after.length; i++) {
    if (!isLetter(text[i]!)) continue
    if (text[i] !== after[n]) break
    n++
  }
  return n
}

const isLetter = (unit: string): boolean => /[\p{L}\p{N}\p{Cs}]/u.test(unit)
const letters = (text: string): string => [...text].filter((c) => /[\p{L}\p{N}\p{So}]/u.test(c)).join('')

/** A text without what may be hidden, and where each unit of it stands. */
function squash(text: string): { text: string; at: Uint32Array } {
  const at = new Uint32Array(text.length)
  const out: string[] = []
  for (let i = 0; i < text.length; i++) {
    if (hidden.test(text[i]!)) continue
    at[out.length] = i
    out.push(text[i]!)
  }
  return { text: out.join(''), at }
}

/** A match as the backend reports it: the matching text and the text around it. */
export interface Sought {
  text: string
  before: string
  after: string
}

/** The position of a match in a displayed text, in UTF-16 units. */
export type Place = readonly [from: number, to: number]

/** White space may be broken differently, and Markdown markup is not displayed. */
const hidden = /[\s*_~`\\\u200b]/

/** The number of candidates compared for one match. */
const CANDIDATES = 40

/**
 * align finds the matches of a text in its displayed form: without Markdown markup and with other
 * white space. Matches are in text order. Of several places, the one whose surroundings are most
 * similar counts; undefined if there is none.
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

/** The position of a match in a squashed text, at or after from. */
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
  // If no letters of its surroundings are here, the match is not displayed at all.
  return most >= Math.min(all, 3) ? found : undefined
}

/** The number of letters of before that end right before a position, ignoring punctuation in between. */
function backwards(text: string, at: number, before: string): number {
  let n = 0
  for (let i = at - 1; i >= 0 && n < before.length; i--) {
    if (!isLetter(text[i]!)) continue
    if (text[i] !== before[before.length - 1 - n]) break
    n++
  }
  return n
}

/** The number of letters of after that begin right after a position. */
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

/** A text without characters that may be hidden, and the position of each remaining unit. */
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

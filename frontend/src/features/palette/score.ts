/*
 * Scores how well a text matches the typed query. The text must contain every word of the query, in
 * any order: either in one piece, or its letters one after the other, with the first letter at the
 * start of a word. Each Chinese character begins a word, and matches are mostly in one piece.
 */

/** A text that is ready to be searched. */
export interface Searched {
  readonly text: string
  /** In lower case, with the same length as text in UTF-16 units. */
  readonly lower: string
  /** The letters that occur in it: a text that lacks one is skipped at once. */
  readonly mask: number
}

/** The score of a match, and the matching positions in UTF-16 units. */
export interface Match {
  score: number
  at: number[]
}

/** The longest beginning of a text in which letters are searched one by one. */
const longest = 160

function maskOf(lower: string): number {
  let mask = 0
  for (let i = 0; i < lower.length; i++) {
    const c = lower.charCodeAt(i)
    // Letters have a bit each; digits and everything else share the rest.
    mask |= c >= 97 && c <= 122 ? 1 << (c - 97) : c > 32 ? 1 << (26 + (c % 6)) : 0
  }
  return mask
}

export function searched(text: string): Searched {
  let lower = text.toLowerCase()
  // Positions must correspond; İ is the only character that grows.
  if (lower.length !== text.length) lower = [...text].map((c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join('')
  return { text, lower, mask: maskOf(lower) }
}

/** The words of a query. */
export const wordsOf = (query: string): Searched[] =>
  query
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(searched)

const alike = (c: number): boolean => (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57) || (c >= 0xc0 && c < 0x2e80)

/** Whether a word begins at i: after a space or punctuation, at a capital after small letters, at each Chinese character. */
function begins({ text, lower }: Searched, i: number): boolean {
  if (i === 0) return true
  const c = text.charCodeAt(i)
  const before = text.charCodeAt(i - 1)
  if (c >= 0x2e80 || !alike(before) || before >= 0x2e80) return true
  return alike(c) && text[i] !== lower[i] && text[i - 1] === lower[i - 1]
}

function together(of: Searched, word: Searched): Match | undefined {
  let best = -1
  let start = false
  for (let at = of.lower.indexOf(word.lower); at >= 0; at = of.lower.indexOf(word.lower, at + 1)) {
    if (best < 0) best = at
    if (!begins(of, at)) continue
    best = at
    start = true
    break
  }
  if (best < 0) return undefined
  const whole = word.lower.length === of.lower.length
  const score =
    1000 + (start ? 300 : 0) + (best === 0 ? 200 : 0) + (whole ? 300 : 0) - Math.min(best, 100) - Math.min(of.lower.length / 4, 50)
  return { score, at: Array.from(word.lower, (_, i) => best + i).slice(0, word.lower.length) }
}

/** The positions of a word's letters from one place on: preferably at the start of a word, if the rest still follows. */
function strewn(of: Searched, word: Searched): Match | undefined {
  const { lower } = of
  const end = Math.min(lower.length, longest)
  const n = word.lower.length
  // The last place for each letter, found from the end.
  const latest = new Array<number>(n)
  for (let k = n - 1, i = end - 1; k >= 0; k--, i--) {
    while (i >= 0 && lower[i] !== word.lower[k]) i--
    if (i < 0) return undefined
    latest[k] = i
  }
  const at: number[] = []
  let score = 400
  let from = 0
  for (let k = 0; k < n; k++) {
    let chosen = -1
    const next = k > 0 && lower[from] === word.lower[k] && from <= latest[k]! ? from : -1
    if (next >= 0) chosen = next
    else
      for (let i = from; i <= latest[k]!; i++) {
        if (lower[i] !== word.lower[k]) continue
        const start = begins(of, i)
        if (k === 0 && !start) continue
        if (chosen < 0 || start) chosen = i
        if (start) break
      }
    if (chosen < 0) return undefined
    const start = begins(of, chosen)
    score += next >= 0 ? 20 : start ? 12 : -30
    score -= k > 0 ? Math.min(chosen - from, 20) : Math.min(chosen, 20)
    at.push(chosen)
    from = chosen + 1
  }
  return score > 300 ? { score, at } : undefined
}

/** The match of a text with the words of a query; undefined if there is none. */
export function match(of: Searched, words: readonly Searched[]): Match | undefined {
  let score = 0
  const at: number[] = []
  for (const word of words) {
    if ((word.mask & of.mask) !== word.mask) return undefined
    const found = together(of, word) ?? (word.lower.length > 1 ? strewn(of, word) : undefined)
    if (!found) return undefined
    score += found.score
    at.push(...found.at)
  }
  return { score: words.length ? score / words.length : 0, at: words.length > 1 ? [...new Set(at)].sort((a, b) => a - b) : at }
}

/** A text in pieces, with the matching ones marked. */
export function pieces(text: string, at: readonly number[]): { text: string; hit: boolean }[] {
  const out: { text: string; hit: boolean }[] = []
  const hits = new Set(at)
  for (let i = 0; i < text.length; i++) {
    // Keep both halves of a surrogate pair together.
    const low = /[\uDC00-\uDFFF]/.test(text[i]!) && i > 0
    const hit = low ? out.at(-1)!.hit : hits.has(i)
    const last = out.at(-1)
    if (last && last.hit === hit) last.text += text[i]
    else out.push({ text: text[i]!, hit })
  }
  return out
}

import { t } from '$lib/language/language'

/** The terms and options of a search in a text. */
export interface SearchTerms {
  text: string
  matchCase: boolean
  word: boolean
  /** text is a regular expression. */
  regexp: boolean
}

/** A match in one of several lines, in UTF-16 units of the line. */
export interface LineMatch {
  readonly line: number
  readonly from: number
  readonly to: number
}

/** The largest number of matches that are counted. */
export const maxMatches = 10_000

/** The problem of an expression, in words for the person. */
export class BadExpression extends Error {}

/**
 * searchLines finds terms in lines, each line separately: at most maxMatches, without empty ones.
 * It throws a BadExpression if an expression is invalid.
 */
export function searchLines(terms: SearchTerms, lines: number, line: (n: number) => string): LineMatch[] {
  const found: LineMatch[] = []
  if (terms.text === '') return found
  const expression = compile(terms)
  for (let n = 0; n < lines; n++) {
    const text = line(n)
    for (const match of text.matchAll(expression)) {
      const [from, to] = [match.index, match.index + match[0].length]
      if (from === to || (terms.word && !isWhole(text, from, to))) continue
      found.push({ line: n, from, to })
      if (found.length === maxMatches) return found
    }
  }
  return found
}

function compile({ text, matchCase, regexp }: SearchTerms): RegExp {
  const flags = matchCase ? 'gu' : 'giu'
  if (!regexp) return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), flags)
  try {
    return new RegExp(text, flags)
  } catch {
    // What the engine says is in English.
    throw new BadExpression(t`Could not read the regular expression. Check its brackets, its repetitions and its backslashes.`)
  }
}

/** Whether a match does not begin or end inside a word. Scripts without spaces have no such places. */
function isWhole(text: string, from: number, to: number): boolean {
  const before = /.$/u.exec(text.slice(0, from))?.[0] ?? ''
  const after = /^./u.exec(text.slice(to))?.[0] ?? ''
  const match = text.slice(from, to)
  return !(inWord(before) && inWord(/^./u.exec(match)![0])) && !(inWord(after) && inWord(/.$/u.exec(match)![0]))
}

const inWord = (sign: string): boolean =>
  /[\p{L}\p{M}\p{Nd}_]/u.test(sign) &&
  !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(sign)

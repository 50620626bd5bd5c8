/*
 * Finds the positions of the values in a JSON text, so that one of them can be replaced and the
 * rest stays the same, byte for byte. The text must have passed JSON.parse: nothing is checked
 * here.
 */

/** A value inside an object or a list. */
export interface Span {
  /** "" in a list. */
  name: string
  from: number
  to: number
}

const blanks = ' \t\n\r'

function pastBlanks(json: string, at: number): number {
  while (at < json.length && blanks.includes(json[at]!)) at++
  return at
}

function pastText(json: string, at: number): number {
  for (at++; at < json.length && json[at] !== '"'; at++) if (json[at] === '\\') at++
  return at + 1
}

function pastValue(json: string, at: number): number {
  let depth = 0
  do {
    const c = json[at]!
    if (c === '"') at = pastText(json, at)
    else if (c === '{' || c === '[') {
      depth++
      at++
    } else if (c === '}' || c === ']') {
      depth--
      at++
    } else if (depth > 0) at++
    else while (at < json.length && !`,]}${blanks}`.includes(json[at]!)) at++
  } while (depth > 0 && at < json.length)
  return at
}

/** The values of the object or list that begins at from, in their order. */
export function spansOf(json: string, from = 0): Span[] {
  const spans: Span[] = []
  let at = pastBlanks(json, from)
  const named = json[at] === '{'
  at = pastBlanks(json, at + 1)
  while (at < json.length && json[at] !== '}' && json[at] !== ']') {
    let name = ''
    if (named) {
      const end = pastText(json, at)
      name = JSON.parse(json.slice(at, end)) as string
      at = pastBlanks(json, pastBlanks(json, end) + 1) // after the colon
    }
    const to = pastValue(json, at)
    spans.push({ name, from: at, to })
    at = pastBlanks(json, to)
    if (json[at] === ',') at = pastBlanks(json, at + 1)
  }
  return spans
}

/** A JSON text with a line for each value and two spaces for each level; the text of values is unchanged. */
export function indented(json: string): string {
  let out = ''
  let depth = 0
  let before = ''
  for (let at = pastBlanks(json, 0); at < json.length; at = pastBlanks(json, at)) {
    const from = at
    const c = json[at]!
    at = '{}[],:'.includes(c) ? at + 1 : pastValue(json, at)
    const closes = c === '}' || c === ']'
    const opened = before === '{' || before === '['
    if (closes) depth--
    if (closes ? !opened : opened || before === ',') out += `\n${'  '.repeat(Math.min(depth, 40))}`
    out += json.slice(from, at)
    if (c === ':') out += ' '
    if (c === '{' || c === '[') depth++
    before = c
  }
  return out
}

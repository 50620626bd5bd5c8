/**
 * scan finds the coloured parts of a prompt: references, tool calls, macros, directives,
 * #define lines and image links. It only returns their positions; their meaning
 * is decided by the backend when the prompt is sent. Linear in the text,
 * whatever it contains.
 */

export type MarkKind = 'reference' | 'tool' | 'macro' | 'directive' | 'define' | 'image'

export interface Mark {
  kind: MarkKind
  from: number
  to: number
  /** The part that stays visible when the brackets are folded away. */
  innerFrom: number
  innerTo: number
  /** For an image: its target and alternative text. */
  target?: string
  alt?: string
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const TOOL = /[A-Za-z_][A-Za-z0-9_.-]*(?=\{)/y

/** scan returns the marks of text in order; they never overlap. */
export function scan(text: string): Mark[] {
  const marks: Mark[] = []
  // Searching for a missing end is costly; a text full of such starts
  // has a fixed budget for it, which keeps the whole linear.
  let budget = 8 * text.length + 65536
  let i = 0
  let lineStart = true
  let fence = ''
  while (i < text.length) {
    if (lineStart) {
      lineStart = false
      const line = fenceAt(text, i)
      if (line && (fence === '' || (line.mark.startsWith(fence) && line.bare))) {
        fence = fence === '' ? line.mark : ''
        i = line.end
        continue
      }
      if (fence === '' && text.startsWith('#define', i) && isBlank(text[i + 7])) {
        const end = lineEnd(text, i)
        marks.push({ kind: 'define', from: i, to: end, innerFrom: i, innerTo: end })
        i = end
        continue
      }
    }
    const c = text.charCodeAt(i)
    const next = text.charCodeAt(i + 1)
    let found: Mark | number | undefined
    if (budget > 0) {
      if (c === 64 /* @ */ && next === 91 /* [ */) found = referenceAt(text, i)
      else if (c === 64 && next === 123 /* { */) found = directiveAt(text, i)
      else if (c === 123 && next === 123) found = macroAt(text, i)
      else if (c === 33 /* ! */ && next === 91) found = imageAt(text, i)
    }
    if (typeof found === 'object') {
      marks.push(found)
      i = found.to
      continue
    }
    if (found !== undefined) budget -= found
    if (c === 10) lineStart = true
    i++
  }
  return marks
}

function isBlank(c: string | undefined): boolean {
  return c === ' ' || c === '\t'
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** fenceAt recognises a line that opens or closes a code fence. */
function fenceAt(text: string, at: number): { mark: string; end: number; bare: boolean } | undefined {
  let i = at
  while (i < at + 3 && text[i] === ' ') i++
  const c = text[i]
  if (c !== '`' && c !== '~') return undefined
  let to = i
  while (text[to] === c) to++
  if (to - i < 3) return undefined
  const end = lineEnd(text, to)
  const rest = text.slice(to, end)
  if (c === '`' && rest.includes('`')) return undefined
  return { mark: text.slice(i, to), end, bare: rest.trim() === '' }
}

/** The largest length of a mark in characters: a longer one does not count. */
const LIMIT = 4096

// Each of these returns the mark that opens at `at`, or how far it searched in vain.

function referenceAt(text: string, at: number): Mark | number {
  const from = at + 2
  let cost = 0
  TOOL.lastIndex = from
  const name = TOOL.exec(text)?.[0]
  if (name !== undefined) {
    const end = jsonEnd(text, from + name.length)
    if (end > 0 && text[end] === ']') {
      return { kind: 'tool', from: at, to: end + 1, innerFrom: from, innerTo: end }
    }
    cost = Math.abs(end - from)
  }
  let depth = 1
  const limit = Math.min(text.length, from + LIMIT)
  let i = from
  for (; i < limit; i++) {
    const c = text.charCodeAt(i)
    if (c === 10) break
    if (c === 91) depth++
    else if (c === 93 && --depth === 0) {
      if (i === from) break
      return { kind: 'reference', from: at, to: i + 1, innerFrom: from, innerTo: i }
    }
  }
  return cost + i - at
}

/**
 * jsonEnd returns the index after the object that opens at from, or the negative index at which it gave up. Strings may hold
 * any bracket.
 */
function jsonEnd(text: string, from: number): number {
  let depth = 0
  let inString = false
  const limit = Math.min(text.length, from + 4 * LIMIT)
  for (let i = from; i < limit; i++) {
    const c = text.charCodeAt(i)
    if (inString) {
      if (c === 92) i++
      else if (c === 34) inString = false
    } else if (c === 34) inString = true
    else if (c === 123 || c === 91) depth++
    else if ((c === 125 || c === 93) && --depth === 0) return i + 1
  }
  return -limit
}

function directiveAt(text: string, at: number): Mark | number {
  let inString = false
  const limit = Math.min(text.length, at + LIMIT)
  let i = at + 2
  for (; i < limit; i++) {
    const c = text.charCodeAt(i)
    if (c === 10) break
    if (inString) {
      if (c === 92) i++
      else if (c === 34) inString = false
    } else if (c === 34) inString = true
    else if (c === 125) return { kind: 'directive', from: at, to: i + 1, innerFrom: at, innerTo: i + 1 }
  }
  return i - at
}

function macroAt(text: string, at: number): Mark | number {
  NAME.lastIndex = at + 2
  const end = NAME.test(text) ? NAME.lastIndex : at + 2
  if (end === at + 2 || !text.startsWith('}}', end)) return end - at
  return { kind: 'macro', from: at, to: end + 2, innerFrom: at, innerTo: end + 2 }
}

function imageAt(text: string, at: number): Mark | number {
  let close = at + 2
  const altLimit = Math.min(text.length, at + LIMIT)
  while (close < altLimit) {
    const c = text.charCodeAt(close)
    if (c === 93 || c === 91 || c === 10) break
    close++
  }
  if (!text.startsWith('](', close)) return close - at
  const angle = text[close + 2] === '<'
  const from = close + (angle ? 3 : 2)
  // A data URI has no brackets; a path may contain balanced ones.
  let depth = 1
  let i = from
  const limit = text.startsWith('data:', from) ? text.length : Math.min(text.length, from + LIMIT)
  for (; i < limit; i++) {
    const c = text.charCodeAt(i)
    if (c === 10) return i - at
    if (angle) {
      if (c === 62 && text[i + 1] === ')') break
    } else if (c === 40) depth++
    else if (c === 41 && --depth === 0) break
  }
  if (i === from || i >= limit) return i - at
  return {
    kind: 'image',
    from: at,
    to: i + (angle ? 2 : 1),
    innerFrom: at + 2,
    innerTo: close,
    target: text.slice(from, i),
    alt: text.slice(at + 2, close),
  }
}

/** imageName returns the name of an image in a thumbnail or chip: its file name, or its type. */
export function imageName(image: Pick<Mark, 'target' | 'alt'>): string {
  const target = image.target ?? ''
  if (image.alt && image.alt !== 'image') return image.alt
  if (target.startsWith('data:')) return 'image'
  const path = target.replace(/[?#].*$/, '')
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  try {
    return decodeURIComponent(name) || 'image'
  } catch {
    return name || 'image'
  }
}

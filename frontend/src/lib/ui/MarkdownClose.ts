/*
 * While Markdown streams in, its end is usually incomplete: two stars without
 * their closing ones, a link without its address. Drawn as it is, the markup
 * shows for a moment. This closes the end as it will most likely continue.
 */

/** A line that begins a separate piece: an item, a heading, a quote, a row. */
const begins = /^[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>|\|)/
/** Longer pieces are left unchanged: nobody waits for the end of one. */
const maxTail = 4000
const word = /[\p{L}\p{N}]/u
const latin = /[A-Za-z0-9]/

/** closeOpen returns a growing block with the markup at its end closed, or removed if no text follows it yet. */
export function closeOpen(src: string): string {
  const start = pieceStart(src)
  if (src.length - start > maxTail) return src
  const open = openSigns(src, start)
  if (open.length === 0) return src
  let text = src
  let end = ''
  for (const sign of open.toReversed()) {
    if (sign.mark === '[') {
      // The address is incomplete: show a link's text, and nothing for a picture.
      text = text.slice(0, sign.at) + (sign.picture ? '' : text.slice(sign.at + 1, sign.textEnd))
      continue
    }
    const trimmed = text.trimEnd()
    if (trimmed.length <= sign.at + sign.mark.length) text = text.slice(0, sign.at)
    else {
      // The first of two closing stars has already arrived.
      const half = sign.mark.length === 2 && !sign.mark.startsWith('`') && trimmed.endsWith(sign.mark[0]!) && !trimmed.endsWith(sign.mark)
      text = half ? trimmed.slice(0, -1) : sign.mark.startsWith('`') ? text : trimmed
      end += sign.mark
    }
  }
  return text + end
}

interface Sign {
  at: number
  mark: string
  /** For a link: where its text ends. */
  textEnd: number
  picture: boolean
}

function pieceStart(src: string): number {
  let at = src.length
  while (at > 0 && src.length - at <= maxTail) {
    const from = src.lastIndexOf('\n', at - 2) + 1
    const line = src.slice(from, at)
    if (line.trim() === '') return at
    if (begins.test(line)) return from + /^[ \t]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+|#{1,6}[ \t]+|>[ \t]?|\|)?/.exec(line)![0].length
    at = from
  }
  return at
}

/** openSigns finds the markup that was opened in a piece but not closed, in order. */
function openSigns(src: string, start: number): Sign[] {
  const open: Sign[] = []
  for (let i = start; i < src.length; i++) {
    const char = src[i]!
    if (char === '\\') i++
    else if (char === '`') {
      const run = runAt(src, i)
      const close = closing(src, i + run.length, run)
      if (close < 0) return [...open, { at: i, mark: run, textEnd: 0, picture: false }]
      i = close + run.length - 1
    } else if (char === '*' || char === '_' || char === '~') {
      const run = runAt(src, i)
      emphasis(src, i, run, open)
      i += run.length - 1
    } else if (char === '[') {
      const link = linkAt(src, i)
      if (link === 'open') continue
      if (typeof link === 'number') {
        i = link
        continue
      }
      if (link) return [...open, link]
    }
  }
  return open
}

function runAt(src: string, i: number): string {
  let end = i
  while (src[end] === src[i]) end++
  return src.slice(i, end)
}

/** The index of a run of backticks of the same length; -1: none yet. */
function closing(src: string, from: number, run: string): number {
  for (let at = src.indexOf(run, from); at >= 0;) {
    const found = runAt(src, at)
    if (found.length === run.length) return at
    at = src.indexOf(run, at + found.length)
  }
  return -1
}

function emphasis(src: string, i: number, run: string, open: Sign[]): void {
  const mark = run.length >= 2 ? run.slice(0, 2) : run
  if (run[0] === '~' && run.length !== 2) return
  if (run.length > 3) return
  const before = src[i - 1] ?? ' '
  const after = src[i + run.length] ?? ''
  const last = open.at(-1)
  if (last && run.includes(last.mark) && !/\s/.test(before)) {
    open.pop()
    const rest = run.slice(last.mark.length)
    if (rest !== '' && open.at(-1)?.mark === rest) open.pop()
    return
  }
  if (after !== '' && /\s/.test(after)) return
  // Inside a word it is most likely not markup: snake_case, 2**3.
  if (run[0] === '*' ? latin.test(before) : word.test(before)) return
  // The first star of two that close.
  if (after === '' && run.length === 1 && last?.mark === run + run) return
  if (run.length === 3)
    open.push({ at: i, mark: mark, textEnd: 0, picture: false }, { at: i + 2, mark: run[0]!, textEnd: 0, picture: false })
  else open.push({ at: i, mark, textEnd: 0, picture: false })
}

/** A link at i: the index of its last character if complete, its mark if the address is incomplete, "open" if it may not be a link. */
function linkAt(src: string, i: number): number | Sign | 'open' {
  let depth = 0
  for (let at = i; at < src.length; at++) {
    if (src[at] === '\\') at++
    else if (src[at] === '[') depth++
    else if (src[at] === ']' && --depth === 0) {
      if (src[at + 1] !== '(') return 'open'
      const end = src.indexOf(')', at)
      const picture = src[i - 1] === '!'
      return end >= 0 ? end : { at: picture ? i - 1 : i, mark: '[', textEnd: at, picture }
    }
  }
  return 'open'
}

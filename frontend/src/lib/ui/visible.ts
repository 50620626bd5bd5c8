import { t } from '$lib/language/language'

/*
 * Characters that are invisible, or that reverse the order of others, are shown by number: a name
 * or a line from elsewhere then reads as it really is.
 */

/* Controls but tab and line ends, soft hyphen, marks and overrides of direction,
   fillers, spaces without width, tags. */
const controls =
  '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069\\u206a-\\u206f\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}'
const unseen =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028\\u2029\\u2060-\\u2065\\u3164\\ufeff\\uffa0'
/** The most combining marks on one letter: more of them would paint over other lines. */
const stack = 8

/** In names, paths, commands and code: all of them. */
const strict = new RegExp(`[${controls}${unseen}]|\\r(?!\\n|$)|(?<=\\p{M}{${stack}})\\p{M}+`, 'gu')
/** In prose: people who write Arabic or Persian need the others. */
const inProse = new RegExp(`[${controls}]|(?<=\\p{M}{${stack}})\\p{M}+`, 'gu')
const joiner = /^\p{Extended_Pictographic}/u
const joined = /[\p{Extended_Pictographic}\u{fe0f}\u{1f3fb}-\u{1f3ff}]$/u

/** A part of a text: unchanged, or the replacement of an invisible character. */
export interface VisiblePart {
  text: string
  mark: boolean
}

function labelOf(found: string): string {
  if (/^\p{M}{2,}$/u.test(found) || (found.length === 1 && /^\p{M}$/u.test(found) && found !== '\u034f'))
    return t`+${[...found].length} marks`
  return `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

/** An invisible range of a text, and its replacement. */
export interface Unseen {
  from: number
  to: number
  label: string
}

function unseenBy(pattern: RegExp, text: string): Unseen[] {
  const list: Unseen[] = []
  for (const { 0: found, index } of text.matchAll(pattern)) {
    // In a picture of several people a joiner hides nothing.
    if (found === '\u200d' && joined.test(text.slice(Math.max(0, index - 2), index)) && joiner.test(text.slice(index + 1, index + 3)))
      continue
    list.push({ from: index, to: index + found.length, label: labelOf(found) })
  }
  return list
}

/** unseenIn finds the invisible characters in a name, path or command. */
export const unseenIn = (text: string): Unseen[] => unseenBy(strict, text)

/** unseenInProse is unseenIn for prose. */
export const unseenInProse = (text: string): Unseen[] => unseenBy(inProse, text)

function partsBy(pattern: RegExp, text: string): VisiblePart[] {
  const parts: VisiblePart[] = []
  let from = 0
  for (const found of unseenBy(pattern, text)) {
    if (found.from > from) parts.push({ text: text.slice(from, found.from), mark: false })
    parts.push({ text: found.label, mark: true })
    from = found.to
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from), mark: false })
  return parts
}

/** partsOf splits a text, for Visible.svelte. */
export const visibleParts = (text: string): VisiblePart[] => partsBy(strict, text)

/** proseParts is visibleParts for prose, which may need characters that join and separate letters. */
export const proseParts = (text: string): VisiblePart[] => partsBy(inProse, text)

/** visible returns a text with every such character shown by number, for plain-text uses: names, titles, labels. */
export const visible = (text: string): string => joinParts(visibleParts(text))

/** visibleHTML marks them in HTML whose attributes contain nothing of the text, such as coloured code. */
export const visibleHTML = (html: string): string => htmlOf(visibleParts(html))

/** proseHTML marks those of prose in HTML made only of text. */
export const proseHTML = (html: string): string => htmlOf(partsBy(inProse, html))

const joinParts = (parts: VisiblePart[]): string => parts.map((p) => (p.mark ? `⟨${p.text}⟩` : p.text)).join('')
const htmlOf = (parts: VisiblePart[]): string => parts.map((p) => (p.mark ? `<span class="unseen">${p.text}</span>` : p.text)).join('')

/**
 * isUnbroken reports whether a text has a run of characters without a space that is longer than any
 * word. Class "unbroken" draws it without kerning: with kerning an engine reshapes the rest of the
 * run for each of its lines.
 */
export const isUnbroken = (text: string): boolean => text.length >= 1000 && /\S{1000}/.test(text)

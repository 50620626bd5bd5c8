import { catalogue, join, split, type Sentence } from './language'

/* Texts of the backend that arrive as one English text: reasons for an approval,
   joined from parts, and texts that it wrote into a notebook. Their patterns are
   in the catalogue, "{0} is outside the allowed folders"; a text that matches one is
   shown in the language of the page, any other stays as it is. */

interface Pattern {
  /** Its first field matches as little as possible, or as much. */
  short: RegExp
  long: RegExp
  parts: ReturnType<typeof split>
  /** The numbers of the fields that are sentences: "{1!}" in the catalogue. */
  inner: number[]
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const expression = (key: (string | number)[], field: string): RegExp =>
  new RegExp(`^${key.map((part) => (typeof part === 'number' ? field : escaped(part))).join('')}$`, 's')

/* Patterns with more literal text are tried first; one with next to none would match everything. */
const minWeight = 5

const patterns = (): Pattern[] =>
  Object.entries(catalogue.program ?? {})
    .map(([key, text]) => ({ key: split(key), text, weight: key.replaceAll(/\{\d\}/g, '').length }))
    .filter(({ key, weight }) => key.length > 1 && weight >= minWeight)
    .sort((a, b) => b.weight - a.weight)
    .map(({ key, text }) => ({
      short: expression(key, '(.+?)'),
      long: expression(key, '(.+)'),
      parts: split(text),
      inner: [...text.matchAll(/\{(\d)!\}/g)].map((match) => Number(match[1])),
    }))

let known: Pattern[] | undefined

/** Texts that were looked up, so that drawing a list again costs nothing. */
const found = new Map<string, string>()
const maxFound = 2000
const maxText = 4000
const maxDepth = 4

/** A text of the backend in the language of the page; an unknown one stays unchanged. */
export function ofProgram(text: string): string {
  if (catalogue.language === 'en' || text === '' || text.length > maxText) return text
  let result = found.get(text)
  if (result === undefined) {
    result = recognised(text, 0) ?? text
    if (found.size >= maxFound) found.clear()
    found.set(text, result)
  }
  return result
}

function recognised(text: string, depth: number): string | undefined {
  const exact = catalogue.program?.[text] ?? catalogue.texts[text]
  if (typeof exact === 'string') return exact
  if (depth >= maxDepth) return undefined
  known ??= patterns()
  for (const pattern of known) {
    const short = pattern.short.exec(text)?.slice(1)
    if (!short) continue
    const values = withInner(pattern, short, depth) ?? withInner(pattern, pattern.long.exec(text)!.slice(1), depth)
    return join(pattern.parts, values ?? short)
  }
  return undefined
}

/* The values of a pattern, with its sentence fields translated into the language of
   the page; nothing if one of them is unknown, since it may have been cut wrongly. */
function withInner(pattern: Pattern, values: string[], depth: number): string[] | undefined {
  for (const n of pattern.inner) {
    const inner = recognised(values[n]!, depth + 1)
    if (inner === undefined) return undefined
    values[n] = inner
  }
  return values
}

/** A text of the backend in the language of the page: its first sentence, including the sentences nested in it. */
export function translated(said: readonly Sentence[], n = 0): string {
  const sentence = said[n]
  if (!sentence) return ''
  const text = catalogue.program?.[sentence.text] ?? catalogue.texts[sentence.text]
  const values = (sentence.fields ?? []).map(({ text = '', sentence: inner = 0 }) => {
    if (inner > n) return translated(said, inner) // nested sentences come later in the list, so this ends
    return text.includes(' ') ? ofProgram(text) : text // one word is a name
  })
  return join(split(typeof text === 'string' ? text : sentence.text), values)
}

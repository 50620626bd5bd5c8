/* The language of the page. The code contains the English texts; a catalogue
   holds the same texts in another language. The backend sends the catalogue of
   the chosen language as a script before this one (GET /preferences.js), so that
   every module can ask for its texts while it loads. Changing the language needs a
   reload of the page (SPEC 16.3). */

import { whenUsed } from '../format/whenUsed'

/** A translated text: one form, or one for each plural category of the language. */
export type Translation = string | Partial<Record<Intl.LDMLPluralRule, string>>

/** All texts of one language, keyed by the English text with its fields as {0}, {1}; a plural's key is "{0} cell|{0} cells". */
export interface Catalogue {
  /** BCP 47: "zh-CN". */
  language: string
  texts: Record<string, Translation>
  /** The texts of the backend, which can contain one another. */
  program?: Record<string, string>
}

/** A text of the backend: English with fields {0}, {1}. A field is a text, or the index of another sentence in the same list. */
export interface Sentence {
  text: string
  fields?: { text?: string; sentence?: number }[]
}

declare global {
  /** Set by /preferences.js; missing for English. */
  var mutsumiCatalogue: Catalogue | undefined
}

/** The languages to choose from, each by its own name. */
export const languages = [
  { value: 'en', label: 'English' },
  { value: 'zh-CN', label: '简体中文' },
]

/** The texts of the page in its language. */
export const catalogue: Catalogue = globalThis.mutsumiCatalogue ?? { language: 'en', texts: {} }

/** The language of the page, for Intl and the lang attribute. */
export const language = catalogue.language

/** The locale for dates and numbers: English puts the day before the month. */
export const locale = language === 'en' ? 'en-GB' : language

const plurals = whenUsed(() => new Intl.PluralRules(language))

/** The parts of a text: literal text, and the numbers of fields. */
type Parts = (string | number)[]

/** Splits a text at its fields, {0}; {0!} is a field that is itself a sentence. */
export const split = (text: string): Parts => text.split(/\{(\d)!?\}/).map((part, n) => (n % 2 ? Number(part) : part))

/** Inserts values into a split text. */
export function join(parts: Parts, values: readonly unknown[]): string {
  let text = ''
  for (const part of parts) text += typeof part === 'number' ? String(values[part]) : part
  return text
}

/** The key of a template: its text with {0}, {1} for its fields. */
const keyOf = (strings: readonly string[]): string => strings.reduce((key, part, n) => `${key}{${n - 1}}${part}`)

/** Each place in the code is looked up once. */
const known = new WeakMap<TemplateStringsArray, Parts>()

/** A sentence in the language of the page: t`Close ${name}`. */
export function t(strings: TemplateStringsArray, ...values: unknown[]): string {
  let parts = known.get(strings)
  if (!parts) {
    const key = keyOf(strings)
    const text = catalogue.texts[key]
    parts = split(typeof text === 'string' ? text : key)
    known.set(strings, parts)
  }
  return join(parts, values)
}

/** A count with its noun: counted(2, '{0} cell', '{0} cells') is "2 cells". shown replaces the number in the text. */
export function counted(n: number, one: string, many: string, shown: string): string {
  const text = catalogue.texts[`${one}|${many}`] ?? (n === 1 ? one : many)
  const form = typeof text === 'string' ? text : (text[plurals().select(n)] ?? text.other ?? many)
  return join(split(form), [shown])
}

/** Between two sentences. */
export const gap = t` `

/** Between the parts of a list: "2 passed, 1 failed". */
export const comma = t`, `

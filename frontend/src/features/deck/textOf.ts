/* The text of a span in the language of the page. */
import type { Span } from './lanes'
import { language, t } from '$lib/language/language'

/* The words of the backend (package timeline). Commands and names of tools are not words. */
const words: ReadonlyMap<string, string> = new Map([
  ['thinking', t`thinking`],
  ['answer', t`answer`],
  ['thinking, answer', t`thinking, answer`],
  ['report', t`report`],
  ['fork', t`fork`],
  ['question', t`question`],
  ['read', t`read`],
  ['write', t`write`],
  ['edit', t`edit`],
  ['outline', t`outline`],
])

/** The actions of tools on a file. */
const verbs: ReadonlyMap<string, (file: string) => string> = new Map([
  ['read', (file: string) => t`read ${file}`],
  ['write', (file: string) => t`write ${file}`],
  ['edit', (file: string) => t`edit ${file}`],
  ['outline', (file: string) => t`outline ${file}`],
])

/** A span's text in the language of the page; "" if it has none. */
export function textOf(span: Span | undefined): string {
  const text = span?.text ?? ''
  if (language === 'en') return text
  const word = words.get(text)
  if (word) return word
  const end = text.indexOf(' ')
  return verbs.get(text.slice(0, Math.max(0, end)))?.(text.slice(end + 1)) ?? text
}

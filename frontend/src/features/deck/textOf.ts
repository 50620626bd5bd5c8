/* The text of a span in the language of the page. */
import type { Span } from './lanes'
import { t } from '$lib/language/language'

/** What the program says of a span. The rest of a text is a command or a name, which has no language. */
const words: ReadonlyMap<string | undefined, (file: string) => string> = new Map([
  ['thinking', () => t`thinking`],
  ['answer', () => t`answer`],
  ['thinkingAnswer', () => t`thinking, answer`],
  ['report', () => t`report`],
  ['fork', () => t`fork`],
  ['question', () => t`question`],
  ['read', (file: string) => (file ? t`read ${file}` : t`read`)],
  ['write', (file: string) => (file ? t`write ${file}` : t`write`)],
  ['edit', (file: string) => (file ? t`edit ${file}` : t`edit`)],
  ['outline', (file: string) => (file ? t`outline ${file}` : t`outline`)],
])

/** A span's text in the language of the page; "" if it has none. */
export function textOf(span: Pick<Span, 'word' | 'text'> | undefined): string {
  return span ? (words.get(span.word)?.(span.text) ?? span.text) : ''
}

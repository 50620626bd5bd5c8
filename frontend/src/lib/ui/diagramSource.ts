import { count } from '$lib/format/number'
import { t } from '$lib/language/language'

/* Checks made before mermaid is loaded; see diagram.ts. */

/** The longest source of a diagram that is drawn, in characters: layout takes more than linear time. */
export const MAX_SOURCE = 20_000

/** Styles that a source may set: names, numbers and colours, nothing that ends a rule or names an address. */
const styled = /^[ \t]*(?:classDef|style|linkStyle|cssClass)\b.*(?:[{}<>\\@]|\/\*)/im
const loads = /@import|image-set\s*\(|\burl\s*\(|@\{[^}]*\bimg\s*:/i

/** refusal says why a source is not drawn; undefined if it may be. */
export function refusal(source: string): string | undefined {
  if (source.trim() === '') return t`It is empty.`
  if (source.length > MAX_SOURCE) return t`It has ${count(source.length)} characters, more than ${count(MAX_SOURCE)}.`
  if (loads.test(source)) return t`It names a file to load. Diagrams load nothing.`
  if (styled.test(source)) return t`It has a style that is not drawn here.`
  return undefined
}

/** isClosed reports whether the source of a code block ends with its fence. */
export const isClosed = (src: string): boolean => /\n {0,3}(?:`{3,}|~{3,})[ \t]*\s*$/.test(src)

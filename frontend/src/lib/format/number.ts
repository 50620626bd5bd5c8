import { counted } from '$lib/language/language'
import { t } from '$lib/language/language'
import { whenUsed } from './whenUsed'

const whole = whenUsed(() => new Intl.NumberFormat('en-US'))

/** A count with thousands separators: 18,420. */
export const count = (n: number): string => (Number.isInteger(n) && n >= 0 && n < 1000 ? String(n) : whole().format(n))

/** A count of tokens in at most five characters: 446, 41.2k, 128k, 1.4M. */
export function short(n: number): string {
  if (n < 1000) return String(n)
  const [value, unit] = n < 999_500 ? [n / 1000, 'k'] : [n / 1_000_000, 'M']
  return (value < 99.95 && value % 1 >= 0.05 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))) + unit
}

/** A number with at most one decimal: 3, 1.3. */
export const tenths = (n: number): string => (Number.isInteger(n) ? String(n) : n.toFixed(1))

/** "1 cell", "3 cells", in the language of the page. */
export const plural = (n: number, one: string, many = one + 's'): string => counted(n, `{0} ${one}`, `{0} ${many}`, count(n))

/** A ratio: "1.6 ×". */
export const times = (n: number): string => `${n.toFixed(1)} ×`

/** A share of a whole: "3.4%". */
export const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)}%`

/** A number of bytes: "900 B", "12 KB", "3.4 MB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_500) return t`${Math.round(bytes / 1000)} KB`
  return t`${(bytes / 1e6).toFixed(bytes < 9.95e6 ? 1 : 0)} MB`
}

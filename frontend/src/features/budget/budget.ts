import { t } from '$lib/language/language'

/** The problem of a typed amount of dollars, or "". The backend decides; this helps while typing. */
export function amountProblem(text: string): string {
  const typed = text.trim()
  if (typed === '') return ''
  const amount = dollarsOf(typed)
  if (amount === undefined) return t`An amount in dollars, such as 2.50.`
  if (amount > 1_000_000) return t`At most $1,000,000.`
  return ''
}

/** The typed amount in dollars; 0 for none, undefined for an invalid one. */
export function dollarsOf(text: string): number | undefined {
  const plain = text
    .trim()
    .replace(/^\$\s*/, '')
    .replace(/,(?=\d{3}(\D|$))/g, '')
  if (plain === '') return 0
  return /^(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : undefined
}

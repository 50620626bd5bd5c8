import type { settings } from '$lib/backend/backend'
import { t } from '$lib/language/language'

const maxPrice = 1_000_000

/** The typed price in dollars per million tokens; 0 for an unknown one, undefined for an invalid one. */
export function priceOf(text: string): number | undefined {
  const plain = text.trim().replace(/^\$\s*/, '')
  if (plain === '') return 0
  return /^(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : undefined
}

/** The problem of a typed price, or "". */
export function priceProblem(text: string): string {
  const price = priceOf(text)
  if (price === undefined) return t`A price is a number of dollars for a million tokens, such as 2.50.`
  return price > maxPrice ? t`At most $1,000,000 for a million tokens.` : ''
}

/** A price in a field; "" for an unknown one. */
export const priceText = (price: number): string => (price > 0 ? String(price) : '')

/** The prices of a model in a few characters: "~$1.25 · $10", or "no price". */
export function pricesInShort(m: settings.ModelView): string {
  if (m.inputPrice <= 0 && m.outputPrice <= 0) return t`no price`
  const one = (price: number) => (price > 0 ? `$${price}` : '?')
  return `${m.guessed ? '~' : ''}${one(m.inputPrice)} · ${one(m.outputPrice)}`
}

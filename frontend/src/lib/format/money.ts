import { count } from './number'
import { whenUsed } from './whenUsed'

const dollar = 1e9
const parts = whenUsed(() => new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 }))

/**
 * An amount in billionths of a dollar, as the backend stores amounts: two significant digits below
 * ten cents and whole cents above, half rounded up. An amount that would round to zero is
 * "<$0.0001".
 */
export function money(billionths: number): string {
  if (!(billionths > 0)) return '$0.00'
  const digits = round(billionths, 4) < dollar / 100 ? 4 : round(billionths, 3) < dollar / 10 ? 3 : 2
  const amount = round(billionths, digits)
  if (amount === 0) return '<$0.0001'
  const [dollars, rest] = (amount / dollar).toFixed(digits).split('.')
  return `$${count(Number(dollars))}.${rest}`
}

/** An amount in dollars in the same format: $0.11, $0.0025. */
export const spent = (dollars: number): string => money(Math.round(dollars * dollar))

/** An amount in the currency that another program names; its name may be any text. */
export const inCurrency = (amount: number, currency: string): string =>
  /^(usd|\$)$/i.test(currency) ? spent(amount) : `${parts().format(amount)} ${currency}`

/** An amount in dollars that a person set, as they would write it: $5, $0.50, $0.002. */
export const dollars = (amount: number): string => `$${Number.isInteger(amount) ? count(amount) : parts().format(amount)}`

/** An amount in a field: 2, 2.50, 0.005. */
export const amountText = (dollars: number): string =>
  dollars <= 0 ? '' : Number.isInteger(dollars) || dollars !== Number(dollars.toFixed(2)) ? String(dollars) : dollars.toFixed(2)

function round(billionths: number, decimals: number): number {
  const unit = dollar / 10 ** decimals
  return Math.floor((billionths + unit / 2) / unit) * unit
}

import { money } from './money'
import { t } from '$lib/language/language'

/** Usage and cost of answers, as agenttree.Total of the program. */
interface Total {
  cost: number
  estimated: boolean
  guessed?: boolean
  unpriced?: boolean
}

/** The mark before a number of tokens: ~ if no server reported some of them. */
export const aboutTokens = (total: Pick<Total, 'guessed'> | undefined): string => (total?.guessed ? '~' : '')

/** The cost in a total: "$0.31", "at least ~$0.31", "price unknown"; "" for none. ~ marks an estimate. */
export function costOf({ cost, estimated, unpriced }: Omit<Total, 'guessed'>): string {
  if (!cost) return unpriced ? t`price unknown` : ''
  return `${unpriced ? t`at least ` : ''}${estimated ? '~' : ''}${money(cost)}`
}

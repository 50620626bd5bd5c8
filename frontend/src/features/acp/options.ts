import type { acp } from '$lib/backend/backend'
import { visible } from '$lib/ui/visible'

/** The kinds of choices in the order in which they are shown; others follow. */
const order = ['model', 'mode', 'thought_level']

/** The choices of an agent to show: those with more than one value, the model first. */
export function shownOptions(options: readonly acp.Option[]): acp.Option[] {
  const rank = (o: acp.Option) => (order.includes(o.category) ? order.indexOf(o.category) : order.length)
  return options.filter((o) => o.choices.length > 1).toSorted((a, b) => rank(a) - rank(b))
}

/** The name of the current choice. */
export const choiceName = (o: acp.Option): string => visible(o.choices.find((c) => c.value === o.value)?.name || o.value)

import type { acp } from '$lib/backend/backend'
import { visible } from '$lib/ui/visible'
import { t } from '$lib/language/language'

/** The kinds of choices in the order in which they are shown; others follow. */
const order = ['model', 'mode', 'thought_level']

/** The choices of an agent to show: those with more than one value, the model first. */
export function shownOptions(options: readonly acp.Option[]): acp.Option[] {
  const rank = (o: acp.Option) => (order.includes(o.category) ? order.indexOf(o.category) : order.length)
  return options.filter((o) => o.choices.length > 1).toSorted((a, b) => rank(a) - rank(b))
}

/** The name of the current choice. */
export const choiceName = (o: acp.Option): string => visible(o.choices.find((c) => c.value === o.value)?.name || o.value)

/** The name of an option. What agents offer as modes and models, without a name, is named by the program. */
export function optionName(o: acp.Option): string {
  if (o.category === 'mode' && o.name === 'Mode') return t`Mode`
  if (o.category === 'model' && o.name === 'Model') return t`Model`
  return visible(o.name || o.id)
}

import type { branches } from '$lib/backend/backend'
import { ago } from '$lib/format/time'
import { visible } from '$lib/ui/visible'
import { comma, t } from '$lib/language/language'

const ended: Record<string, string> = {
  done: t`finished`,
  taskFinished: t`finished`,
  stopped: t`stopped`,
  failed: t`failed`,
  broken: t`broke off`,
  interrupted: t`interrupted`,
}

/** The head of a column: what distinguishes it from the others, and other facts. */
export interface ColumnHead {
  title: string
  detail: string
}

/** The heads of columns. Models distinguish them if each has a different one, otherwise names do. */
export function headsOf(sides: readonly branches.Side[], isOwn: (side: branches.Side) => boolean, now: number): ColumnHead[] {
  const models = sides.map((s) => s.models.map(visible).join(comma))
  const apart = new Set(models).size === sides.length && !models.includes('')
  return sides.map((s, i) => {
    const name = s.branch ? t`put aside` : isOwn(s) ? t`this notebook` : visible(s.name)
    const state = s.runs ? t`running` : [ended[s.state] ?? '', s.endMs ? ago(now - s.endMs) : ''].filter(Boolean).join(' ')
    const own = s.branch ? t`${visible(s.name)}, put aside` : visible(s.name)
    return apart
      ? { title: models[i]!, detail: [name, state].filter(Boolean).join(comma) }
      : { title: own, detail: [models[i], isOwn(s) ? t`this notebook` : '', state].filter(Boolean).join(comma) }
  })
}

/** The outcome of a cell in a word. */
export const endOf = (row: branches.Row): string => (row.runs ? t`running` : (ended[row.state] ?? ''))

/** The files that sides changed: those of most sides first, otherwise in order. */
export function filesOf(sides: readonly branches.Side[]): string[] {
  const counts = new Map<string, number>()
  for (const side of sides) for (const file of side.files) counts.set(file.path, (counts.get(file.path) ?? 0) + 1)
  return [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!)
}

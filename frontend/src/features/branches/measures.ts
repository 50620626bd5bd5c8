import type { branches } from '$lib/backend/backend'
import { money } from '$lib/format/money'
import { short, times } from '$lib/format/number'
import { elapsed } from '$lib/format/time'
import { t } from '$lib/language/language'

/** A figure of a side, compared with the others. */
export interface Figure {
  text: string
  /** Its share of the largest, from 0 to 1; 0 if it is not known. */
  share: number
  /** It is the best of the known ones. */
  best: boolean
  /** The comparison in a word. */
  word: string
}

export interface Measure {
  name: string
  figures: Figure[]
}

interface Kind {
  name: string
  /** The value; undefined if it is not reported. */
  of: (side: branches.Side) => number | undefined
  text: (value: number, side: branches.Side) => string
  /** The most is best, rather than the least. */
  most?: boolean
  unknown: string
}

const kinds: Kind[] = [
  { name: t`Time`, of: (s) => s.timeMs || undefined, text: elapsed, unknown: t`not known` },
  { name: t`Tokens`, of: (s) => s.used.tokens || undefined, text: short, unknown: t`not said` },
  {
    name: t`From cache`,
    of: (s) => (s.used.input && s.used.cached !== undefined ? (100 * s.used.cached) / s.used.input : undefined),
    text: (n) => `${Math.round(n)}%`,
    most: true,
    unknown: t`not said`,
  },
  { name: t`Cost`, of: (s) => (s.cost ? (s.used.cost ?? 0) : undefined), text: (_, s) => s.cost, unknown: t`not known` },
]

/** The figures of sides, one row per question. A value that a side does not report is unknown, never 0. */
export function measuresOf(sides: readonly branches.Side[]): Measure[] {
  return kinds.map(({ name, of, text, most, unknown }) => {
    const values = sides.map(of)
    const known = values.filter((v) => v !== undefined)
    // A side that still runs may yet be overtaken: only one that has ended can be the best.
    const ended = values.filter((v, i) => v !== undefined && (most || !sides[i]!.runs)) as number[]
    const top = Math.max(0, ...known)
    const best = ended.length > 1 || (ended.length === 1 && known.length > 1) ? (most ? Math.max(...ended) : Math.min(...ended)) : undefined
    return {
      name,
      figures: values.map((value, i): Figure => {
        const side = sides[i]!
        if (value === undefined) return { text: '–', share: 0, best: false, word: side.runs ? t`not yet` : unknown }
        const isBest = value === best && (most || !side.runs) && known.some((v) => v !== value)
        const ratioToBest = !most && best !== undefined && best > 0 ? value / best : 0
        const ratio = ratioToBest >= 1.05 ? times(ratioToBest) : ''
        return {
          text: text(value, side),
          share: most ? value / 100 : top > 0 ? value / top : 0,
          best: isBest,
          word: isBest ? (most ? t`most` : t`least`) : side.runs && !most ? t`so far` : ratio,
        }
      }),
    }
  })
}

/** The total cost of all sides: "$1.07", "at least $0.80", or "" if no price is known. */
export function sumOf(sides: readonly branches.Side[]): string {
  const priced = sides.filter((s) => s.cost)
  if (priced.length === 0) return ''
  const all = priced.reduce((sum, s) => sum + (s.used.cost ?? 0), 0)
  const missing = sides.some((s) => !s.cost && s.used.tokens > 0)
  return `${missing ? t`at least ` : ''}${money(all)}`
}

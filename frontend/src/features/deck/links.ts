/* The thin lines between lanes: starts and reports. */
import type { Link } from './deck.svelte'
import type { TimeScale } from './scale'

/** A vertical line at a position, and the rows with its arrow heads. */
export interface Arrow {
  key: string
  x: number
  /** The row at which it begins, and the row farthest away. */
  from: number
  to: number
  /** Rows with an arrow head. */
  ends: number[]
}

/**
 * Makes the visible arrows. Links of one agent at one position share a line: a hundred children
 * started at once are one line with a hundred heads, drawn in visible rows only.
 */
export function arrowsOf(
  links: readonly Link[],
  rowOf: (agent: string) => number | undefined,
  scale: TimeScale,
  view: { left: number; width: number; first: number; last: number },
): Arrow[] {
  const arrows = new Map<string, Arrow>()
  for (const link of links) {
    const from = rowOf(link.from)
    const to = rowOf(link.to)
    if (from === undefined || to === undefined || from === to) continue
    const x = scale.x(link.atMs)
    if (x < view.left - 8 || x > view.left + view.width + 8) continue
    if (Math.max(from, to) < view.first || Math.min(from, to) > view.last) continue
    const key = `${link.kind} ${from} ${Math.round(x)} ${to < from ? 'up' : 'down'}`
    const known = arrows.get(key)
    if (!known) arrows.set(key, { key, x: Math.round(x), from, to, ends: inView(to, view) })
    else {
      if (Math.abs(to - from) > Math.abs(known.to - from)) known.to = to
      known.ends.push(...inView(to, view))
    }
  }
  return [...arrows.values()]
}

const inView = (row: number, view: { first: number; last: number }) => (row >= view.first && row <= view.last ? [row] : [])

/* The part of a lane under the pointer. */
import type { Axis } from './axis.svelte'
import type { Lane } from './deck.svelte'
import { pieceAt, piecesOf, reachOf, type Span } from './lanes'

/** Spans that are drawn as one, by their indices in the lane. */
export interface Hit {
  first: number
  last: number
}

/**
 * The spans at a point of the view, x in pixels from its left edge; share is 0 at the top of the bars and 1 at the bottom. Open spans are on top.
 */
export function hitOf(lane: Lane, axis: Axis, x: number, share: number): Hit | undefined {
  if (share < -0.3 || share > 1.3) return undefined
  const onLine = x + axis.left
  const { open } = lane
  const live = open.findLast(
    (s, i) => onLine >= axis.scale.x(s.startMs) && onLine <= axis.nowX && (open.length === 1 || Math.floor(share * open.length) === i),
  )
  if (live) {
    const at = lane.spans.indexOf(live)
    return { first: at, last: at }
  }
  const pieces = piecesOf(lane.spans, axis.scale)
  return pieces[pieceAt(pieces, reachOf(pieces), onLine, share)]
}

/** The index of the longest span, which represents several drawn as one. */
export function longestOf(spans: readonly Span[], { first, last }: Hit, nowMs: number): number {
  const ms = (i: number) => (spans[i]!.endMs || nowMs) - spans[i]!.startMs
  let best = first
  for (let i = first; i <= last; i++) if (ms(i) > ms(best)) best = i
  return best
}

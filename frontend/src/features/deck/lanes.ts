/* The spans of one agent: kept in order, and converted into drawn pieces. */
import type { timeline } from '$lib/backend/backend'
import { addIsland, restAfterMs, restEdgeMs, type TimeSpan, type TimeScale } from './scale'

export type Span = timeline.Span
export type Kind = Span['kind']

/** Kinds of spans in which time passes but nothing happens. */
export const rests: ReadonlySet<string> = new Set(['waiting', 'forked', 'queued'])

/**
 * Inserts a span into a list in order of the starts, or replaces the one with its id. A span that
 * ends at its start removes it. Returns whether anything changed.
 */
export function putSpan(spans: Span[], span: Span): boolean {
  // Changes nearly always concern the last spans.
  let known = spans.length - 1
  while (known >= 0 && spans[known]!.id !== span.id) known--
  if (span.endMs === span.startMs) {
    if (known >= 0) spans.splice(known, 1)
    return known >= 0
  }
  if (known >= 0) {
    const before = spans[known]!
    if (before.startMs === span.startMs) {
      spans[known] = span
      return (
        before.endMs !== span.endMs ||
        before.word !== span.word ||
        before.text !== span.text ||
        before.kind !== span.kind ||
        before.failed !== span.failed ||
        before.cell !== span.cell ||
        before.index !== span.index
      )
    }
    spans.splice(known, 1)
  }
  let at = spans.length
  while (at > 0 && spans[at - 1]!.startMs > span.startMs) at--
  spans.splice(at, 0, span)
  return true
}

/** The times at which an agent worked, with gaps shorter than a fold closed. Open spans end now. */
export function islandsOf(spans: readonly Span[], nowMs: number): TimeSpan[] {
  const out: TimeSpan[] = []
  const late: TimeSpan[] = []
  for (const s of spans) {
    const to = Math.max(s.startMs, s.endMs || nowMs)
    if (rests.has(s.kind) && to - s.startMs > restAfterMs) {
      addIsland(out, s.startMs, s.startMs + restEdgeMs)
      late.push({ from: to - restEdgeMs, to })
    } else addIsland(out, s.startMs, to)
  }
  // The ends of long waits may be between earlier islands.
  if (late.length === 0) return out
  const all = [...out, ...late].sort((a, b) => a.from - b.from)
  const joined: TimeSpan[] = []
  for (const { from, to } of all) addIsland(joined, from, to)
  return joined
}

/** A drawn piece: one span, or several that are too narrow to distinguish. */
export interface Piece {
  x: number
  width: number
  kind: Kind
  failed: boolean
  /** The spans in it, by their indices in the lane. */
  first: number
  last: number
  /** Parallel pieces are below each other. */
  track: number
  tracks: number
}

/** Narrower pieces are drawn this wide and joined with their neighbours. */
export const leastPx = 1.5
const maxTracks = 3

/** Makes the pieces of a lane in order of their starts, without open spans, which grow. It walks the spans once. */
export function piecesOf(spans: readonly Span[], scale: TimeScale): Piece[] {
  const pieces: Piece[] = []
  const ms: number[] = [] // the length of the longest span of each piece
  const ends: number[] = [] // the ends of the tracks that overlap now
  let cluster = 0 // the first of the overlapping pieces
  let clusterEnd = -Infinity
  const close = () => {
    if (ends.length > 1) for (let i = cluster; i < pieces.length; i++) pieces[i]!.tracks = Math.min(maxTracks, ends.length)
  }
  for (let i = 0; i < spans.length; i++) {
    const s = spans[i]!
    if (s.endMs === 0) continue
    const x = scale.x(s.startMs)
    const width = scale.x(s.endMs) - x
    const long = s.endMs - s.startMs
    const before = pieces.at(-1)
    if (before && width < leastPx && before.width <= leastPx + 1 && x - (before.x + before.width) < 1) {
      before.width = Math.max(before.width, x + width - before.x)
      before.last = i
      before.failed ||= s.failed
      if (long > ms[pieces.length - 1]!) {
        ms[pieces.length - 1] = long
        before.kind = s.kind
      }
      clusterEnd = Math.max(clusterEnd, s.endMs)
      continue
    }
    if (s.startMs >= clusterEnd) {
      close()
      cluster = pieces.length
      ends.length = 0
    }
    let track = ends.findIndex((end) => end <= s.startMs)
    if (track < 0) track = ends.length
    ends[track] = s.endMs
    clusterEnd = Math.max(clusterEnd, s.endMs)
    pieces.push({
      x,
      width: Math.max(width, leastPx),
      kind: s.kind,
      failed: s.failed,
      first: i,
      last: i,
      track: Math.min(track, maxTracks - 1),
      tracks: 1,
    })
    ms.push(long)
  }
  close()
  return pieces
}

/**
 * The pieces between two positions, as a range of indices. Their ends need not be in order: a long piece may be below later ones.
 */
export function visible(pieces: readonly Piece[], reach: number, from: number, to: number): [number, number] {
  return [firstAfter(pieces, from - reach), firstAfter(pieces, to)]
}

/** The width of the widest piece: how far to the left a piece visible at a position may begin. */
export const reachOf = (pieces: readonly Piece[]): number => pieces.reduce((w, p) => Math.max(w, p.width), 0)

function firstAfter(pieces: readonly Piece[], x: number): number {
  let low = 0
  let high = pieces.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (pieces[middle]!.x < x) low = middle + 1
    else high = middle
  }
  return low
}

/** The piece at a position, the last drawn first; share is 0 at the top of the bars and 1 at the bottom. -1: none. */
export function pieceAt(pieces: readonly Piece[], reach: number, x: number, share: number): number {
  const [from, to] = visible(pieces, reach, x - 2, x + 2)
  for (let i = to - 1; i >= from; i--) {
    const p = pieces[i]!
    const slack = p.width < 4 ? 2 : 0
    if (x < p.x - slack || x > p.x + p.width + slack) continue
    if (p.tracks > 1 && Math.min(p.tracks - 1, Math.max(0, Math.floor(share * p.tracks))) !== p.track) continue
    return i
  }
  return -1
}

/** The time that an agent spent on each kind of activity, in milliseconds. */
export function sumOf(spans: readonly Span[], nowMs: number): Record<Kind, number> {
  const sums: Record<Kind, number> = {}
  for (const s of spans) sums[s.kind] = (sums[s.kind] ?? 0) + Math.max(0, (s.endMs || nowMs) - s.startMs)
  return sums
}

/* Time on the deck: folds, positions of moments, and ticks. */
import { dayOf, elapsed, timeOfDay } from '$lib/format/time'

/** Idle times longer than this are folded. */
export const foldAfterMs = 2 * 60_000
/** Waiting, unlike idle time, is drawn, and folded only after this long. */
export const restAfterMs = 10 * 60_000
/** How much of a long wait is shown at each end. */
export const restEdgeMs = 20_000
/** The width of a fold at every zoom. */
export const foldPx = 44

/** A span of time, in Unix milliseconds. */
export interface TimeSpan {
  from: number
  to: number
}

/** Adds a time span to islands in order of their starts; islands less than foldAfterMs apart are joined. */
export function addIsland(islands: TimeSpan[], from: number, to: number): void {
  const last = islands.at(-1)
  if (last && from <= last.to + foldAfterMs) last.to = Math.max(last.to, to)
  else islands.push({ from, to })
}

/** Joins the islands of several lanes into one ordered list. */
export function joinIslands(lists: readonly (readonly TimeSpan[])[]): TimeSpan[] {
  const all = lists.flat().sort((a, b) => a.from - b.from)
  const out: TimeSpan[] = []
  for (const { from, to } of all) addIsland(out, from, to)
  return out
}

/**
 * TimeScale maps moments to positions on a line: perMs pixels per millisecond, and foldPx for each
 * gap between two islands. Before the first island and after the last one it continues linearly.
 */
export class TimeScale {
  readonly perMs: number
  readonly islands: readonly TimeSpan[]
  /** The position of each island's start, in pixels. */
  readonly #starts: number[] = []

  constructor(islands: readonly TimeSpan[], perMs: number) {
    this.islands = islands
    this.perMs = perMs
    let x = 0
    for (const { from, to } of islands) {
      this.#starts.push(x)
      x += (to - from) * perMs + foldPx
    }
  }

  /** The index of the last island that begins at or before a value; 0 if there is none. */
  #find(before: (i: number) => boolean): number {
    let low = 0
    let high = this.islands.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (before(middle)) low = middle
      else high = middle - 1
    }
    return low
  }

  x(ms: number): number {
    const i = this.#find((n) => this.islands[n]!.from <= ms)
    const island = this.islands[i]
    if (!island) return 0
    const start = this.#starts[i]!
    const next = this.islands[i + 1]
    if (ms <= island.to || !next) return start + (ms - island.from) * this.perMs
    const end = start + (island.to - island.from) * this.perMs
    return end + (foldPx * (ms - island.to)) / (next.from - island.to)
  }

  /** The moment at a position; the inverse of x. */
  at(x: number): number {
    const i = this.#find((n) => this.#starts[n]! <= x)
    const island = this.islands[i]
    if (!island) return 0
    const ms = island.from + (x - this.#starts[i]!) / this.perMs
    const next = this.islands[i + 1]
    if (ms <= island.to || !next) return ms
    const end = this.#starts[i]! + (island.to - island.from) * this.perMs
    return island.to + ((x - end) / foldPx) * (next.from - island.to)
  }

  /** The folds between two positions, with their starts. */
  folds(from: number, to: number): { x: number; ms: number; from: number; to: number }[] {
    const out = []
    for (let i = 0; i + 1 < this.islands.length; i++) {
      const x = this.#starts[i + 1]! - foldPx
      if (x > to) break
      if (x + foldPx < from) continue
      const a = this.islands[i]!.to
      const b = this.islands[i + 1]!.from
      out.push({ x, ms: b - a, from: a, to: b })
    }
    return out
  }

  /** The position where the last island ends. */
  get end(): number {
    const last = this.islands.at(-1)
    return last ? this.x(last.to) : 0
  }
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const steps = [1, 2, 5, 10, 15, 30]
  .map((n) => n * second)
  .concat(
    [1, 2, 5, 10, 15, 30].map((n) => n * minute),
    [1, 2, 3, 6, 12].map((n) => n * hour),
    [1, 2, 7, 30].map((n) => n * day),
  )

/** The smallest round step whose ticks are at least leastPx apart. */
export function stepFor(perMs: number, leastPx: number): number {
  return steps.find((s) => s * perMs >= leastPx) ?? steps.at(-1)!
}

export interface Tick {
  x: number
  label: string
}

const tickPx = 84
const offsetOf = (ms: number) => new Date(ms).getTimezoneOffset() * minute

/**
 * The ticks between two positions. Without folds they count from the beginning of the run. With
 * folds a count would mean little, so they show the time of day, and the date where a day first
 * appears.
 */
export function ticksOf(scale: TimeScale, from: number, to: number): Tick[] {
  const { islands, perMs } = scale
  const first = islands[0]
  if (!first || !(perMs > 0)) return []
  const step = stepFor(perMs, tickPx)
  const counted = islands.length === 1
  const out: Tick[] = []
  let lastDay = ''
  for (const [i, island] of islands.entries()) {
    const start = scale.x(island.from)
    const end = i + 1 < islands.length ? scale.x(island.to) : to
    if (start > to) break
    if (end < from) continue
    // For times of day, round values in the person's own time zone.
    const zero = counted ? island.from : offsetOf(island.from)
    const begin = Math.max(island.from, scale.at(Math.max(start, from)) - step)
    let at = zero + Math.ceil((begin - zero) / step) * step
    for (let x = scale.x(at); x <= Math.min(end, to); at += step, x = scale.x(at)) {
      if (x < from - tickPx) continue
      // The fold after it shows its own duration.
      if (i + 1 < islands.length && x > end - tickPx / 3) break
      if (counted) out.push({ x, label: elapsed(at - first.from) })
      else {
        const date = dayOf(new Date(at))
        const time = timeOfDay(new Date(at), step < minute)
        out.push({ x, label: step >= day ? date : date === lastDay ? time : `${date} ${time}` })
        lastDay = date
      }
    }
  }
  return out
}

/** The length of the line when a whole run is shown: up to a round tick, and a little ahead while it runs. */
export function wholeMs(lengthMs: number, width: number, live: boolean): number {
  if (lengthMs <= 0) return 10 * second
  const step = stepFor(width / lengthMs, tickPx)
  return Math.ceil((lengthMs + (live ? step / 4 : 0)) / step) * step
}

import { foldPx, joinIslands, TimeScale, wholeMs, type TimeSpan } from './scale'

/** The largest zoom: a second is 400 pixels wide. */
const maxPerMs = 0.4
/** The position of "now" while the line follows it. */
const nowShare = 0.84
const zoomStep = 1.5
const marginPx = 24

/**
 * Axis is the visible part of the timeline: the whole run, or the part that the person chose. While
 * something runs it follows "now", until the person scrolls away.
 */
export class Axis {
  #islands = $state.raw<readonly TimeSpan[]>([])
  #width = $state(0)
  /** Pixels per millisecond; 0: the whole run. */
  #chosen = $state(0)
  #left = $state(0)
  #following = $state(true)
  #live = $state(false)
  /** The end of the run: its last moment, or now. */
  #endMs = $state(0)
  /** Only long waits are open: a fold replaces them, and "now" does not move. */
  #held = false
  #nowX = $state(0)
  readonly #whole = $derived.by(() => {
    const last = this.#islands.at(-1)
    if (!last || !this.#width) return 0
    let ms = this.#endMs - last.from
    for (const island of this.#islands) if (island !== last) ms += island.to - island.from
    // Many folds might leave no room: a third of the width is reserved for work.
    const room = Math.max(this.#width / 3, this.#width - (this.#islands.length - 1) * foldPx)
    return room / wholeMs(ms, room, this.#live)
  })
  readonly #perMs = $derived(this.#chosen || this.#whole)
  /** The same object as long as it is equal, because all lanes depend on it. */
  #made = new TimeScale([], 0)
  readonly #scale = $derived.by(() => {
    const [islands, perMs] = [this.#islands, this.#perMs]
    return this.#made.islands === islands && this.#made.perMs === perMs ? this.#made : (this.#made = new TimeScale(islands, perMs))
  })

  get scale(): TimeScale {
    return this.#scale
  }
  get width(): number {
    return this.#width
  }
  set width(width: number) {
    if (width === this.#width) return
    this.#width = width
    if (this.#chosen) this.#move(this.#left, this.following)
    else this.#setNow()
  }
  /** The first visible pixel of the line. */
  get left(): number {
    return this.#chosen ? this.#left : 0
  }
  /** The length of the line, in pixels. */
  get length(): number {
    if (!this.#chosen) return this.#width
    return Math.max(this.#width, this.#end() + (this.#live ? this.#width * (1 - nowShare) : marginPx))
  }
  /** Whether the whole run is visible. */
  get whole(): boolean {
    return this.#chosen === 0
  }
  get live(): boolean {
    return this.#live
  }
  /** Whether "now" is kept visible. */
  get following(): boolean {
    return this.#live && (this.whole || this.#following)
  }
  /** The position of "now" on the line. */
  get nowX(): number {
    return this.#nowX
  }

  /**
   * Sets the times at which each agent worked. A new layout is necessary only if more than the end
   * of the last one changed.
   */
  take(lists: readonly (readonly TimeSpan[])[], nowMs: number, live: boolean, held = false): void {
    const islands = joinIslands(lists)
    const at = this.#chosen && !this.following ? this.#scale.at(this.#left) : undefined
    if (!same(this.#islands, islands, live)) this.#islands = islands
    this.#live = live
    this.#held = held
    this.#endMs = live ? Math.max(nowMs, islands.at(-1)?.from ?? 0) : (islands.at(-1)?.to ?? 0)
    if (at !== undefined) this.#left = this.#clamp(this.#scale.x(at))
    else if (this.#chosen && this.#live) this.#keepUp()
    this.#setNow()
  }

  /** Moves "now". */
  tick(nowMs: number): void {
    if (!this.#live || this.#held || nowMs <= this.#endMs) return
    this.#endMs = nowMs
    if (this.#chosen && this.#following) this.#keepUp()
    this.#setNow()
  }

  /** Zooms in (by > 1) or out; the moment at a pixel of the view stays in place. */
  zoom(by: number, x = this.following ? this.#nowX - this.left : this.#width / 2): void {
    const at = this.#scale.at(this.left + x)
    const wanted = Math.min(maxPerMs, this.#perMs * by)
    if (wanted <= this.#whole * 1.001) return this.fit()
    this.#chosen = wanted
    this.#move(this.#scale.x(at) - x)
  }
  zoomIn = (): void => this.zoom(zoomStep)
  zoomOut = (): void => this.zoom(1 / zoomStep)

  /** Shows the whole run. */
  fit = (): void => {
    this.#chosen = 0
    this.#left = 0
    this.#following = true
    this.#setNow()
  }

  /** Moves by a number of pixels; positive is to the right. */
  pan(by: number): void {
    if (this.#chosen) this.#move(this.#left + by)
  }
  panTo(left: number): void {
    if (this.#chosen) this.#move(left)
  }

  /** Returns to "now" and follows it. */
  follow = (): void => {
    if (this.#chosen) this.#move(this.#end() - this.#width * nowShare, true)
  }

  /** Brings a part of the time line into view. */
  reveal(x: number, width: number): void {
    const end = x + Math.min(width, this.#width / 2)
    if (this.#chosen && (x < this.#left || end > this.#left + this.#width)) this.#move(x - this.#width / 4)
  }

  #move(left: number, following?: boolean): void {
    this.#left = this.#clamp(left)
    const end = this.#end()
    // If "now" is in view, keep following it.
    this.#following = following ?? (end >= this.#left && end <= this.#left + this.#width)
    this.#setNow()
  }

  #keepUp(): void {
    // Only once "now" has reached its place: before that it moves, and the line does not.
    const left = this.#end() - this.#width * nowShare
    if (left > this.#left || this.#end() < this.#left) this.#left = this.#clamp(onPixel(left))
  }

  #clamp(left: number): number {
    return Math.max(0, Math.min(left, this.length - this.#width))
  }

  #end(): number {
    return this.#scale.x(this.#endMs)
  }

  #setNow(): void {
    const x = onPixel(this.#end())
    if (x !== this.#nowX) this.#nowX = x
  }
}

/** Rounds to a pixel of the screen: smaller moves are invisible. */
function onPixel(x: number): number {
  const ratio = globalThis.devicePixelRatio || 1
  return Math.round(x * ratio) / ratio
}

function same(a: readonly TimeSpan[], b: readonly TimeSpan[], live: boolean): boolean {
  return a.length === b.length && a.every((s, i) => s.from === b[i]!.from && (s.to === b[i]!.to || (live && i === a.length - 1)))
}

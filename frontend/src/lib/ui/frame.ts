import { flushSync } from 'svelte'
import { dotsTurn } from './dot'

/** A window that draws no frames, such as a minimised one, works after this many milliseconds instead. */
const NO_FRAME_MS = 80
/** Once the Frames of one turn took this long, the others wait for the next: painting takes several times as long. */
const TURN_MS = 1
/** The rest after a drawing, as a share of the time it took. */
const REST = 0.5
/** The most frames in a row that are left to other changes: a key may be held. */
const MOST_LEFT = 4
/** A frame that began longer ago than this is not the one before. */
const LONG_FRAME_MS = 50

/**
 * Turns lets all Frames work in turn. Those that change much work in a frame of the screen each;
 * those that change little, such as notebooks that are not shown, share one. Text that streams in
 * fast leaves time to the person: after a drawing the screen gets frames without one, and the frame
 * after a key shows only what was typed. The frame in which running dots turn is left to them in
 * WebKitGTK, which paints everything between two changes: that would be the whole window.
 */
class Turns {
  readonly #waiting: Frame[] = []
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When the next Frame may work; Infinity: while the last one is drawn. */
  #notBefore = 0
  #typed = false
  /** The frames in a row that were left to other changes. */
  #left = 0
  /** When the frame of the last turn began. */
  #last = 0
  readonly #followers = new Set<() => void>()

  add(frame: Frame): void {
    this.#waiting.push(frame)
    this.#request()
  }

  delete(frame: Frame): void {
    const at = this.#waiting.indexOf(frame)
    if (at >= 0) this.#waiting.splice(at, 1)
    if (this.#waiting.length === 0) this.#stop()
  }

  /** Leaves the next frame to what was typed. */
  typed(): void {
    this.#typed = true
  }

  /** Calls follow after the Frames of each turn; returns a function that ends it. */
  follow(follow: () => void): () => void {
    this.#followers.add(follow)
    return () => this.#followers.delete(follow)
  }

  #request(): void {
    if (this.#timer !== undefined || this.#waiting.length === 0) return
    this.#timer = setTimeout(this.#turn, NO_FRAME_MS)
    if (typeof requestAnimationFrame === 'function') this.#frame = requestAnimationFrame(this.#turn)
  }

  #stop(): void {
    clearTimeout(this.#timer)
    if (this.#frame) cancelAnimationFrame(this.#frame)
    this.#timer = undefined
    this.#frame = 0
  }

  /** now: when the frame began; none if the window draws no frames. */
  readonly #turn = (now = performance.now()): void => {
    this.#stop()
    const began = performance.now()
    try {
      if (!this.#leaves(now) && began >= this.#notBefore) this.#draw(began)
    } finally {
      this.#request() // a notebook that fails stops no other
    }
  }

  /** Whether this frame is left to what was typed, or to the running dots if they turn. */
  #leaves(now: number): boolean {
    const others = this.#typed || dotsTurn(Math.max(this.#last, now - LONG_FRAME_MS), now)
    this.#typed = false
    this.#last = now
    this.#left = others && this.#left < MOST_LEFT ? this.#left + 1 : 0
    return this.#left > 0
  }

  /** Lets Frames work, those that wait longest first, and rests after they were drawn, for which no event is sent. */
  #draw(began: number): void {
    this.#notBefore = Infinity
    setTimeout(() => {
      const drawn = performance.now()
      this.#notBefore = drawn + REST * (drawn - began)
    })
    // One that is asked for again meanwhile waits for the next turn.
    for (const frame of this.#waiting.slice()) {
      frame.now()
      flushSync() // otherwise its time would come after the loop
      if (performance.now() - began >= TURN_MS) break
    }
    for (const follow of this.#followers) follow()
  }
}

const turns = new Turns()
globalThis.addEventListener?.('keydown', () => turns.typed(), { capture: true, passive: true }) // a test may have no page

/**
 * afterTurns calls follow when Frames have changed the page, before the screen shows it: what depends on the new layout
 * is done there once, and not in a second layout of the same frame. Returns a function that ends it.
 */
export const afterTurns = (follow: () => void): (() => void) => turns.follow(follow)

/** Frame collects work until its turn. See Turns. */
export class Frame {
  readonly #work: () => void
  #asked = false

  constructor(work: () => void) {
    this.#work = work
  }

  /** Requests one call of the work, soon; repeated requests before it change nothing. */
  ask(): void {
    if (this.#asked) return
    this.#asked = true
    turns.add(this)
  }

  /** Does the work at once if it was asked for. */
  now(): void {
    if (!this.#asked) return
    this.cancel()
    this.#work()
  }

  cancel(): void {
    this.#asked = false
    turns.delete(this)
  }
}

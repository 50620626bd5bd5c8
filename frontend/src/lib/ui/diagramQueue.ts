import type { Drawing } from './diagramClean'

/*
 * Diagrams wait here for their turn: a drawing can take half a second, during which the window does
 * nothing else. One diagram is drawn at a time, when the window is idle. A diagram that nobody
 * waits for any longer is not drawn. Drawings are cached, so that scrolling back takes no time and
 * moves nothing.
 */

export type Draw = (source: string, dark: boolean) => Promise<Drawing>

interface Job {
  readonly source: string
  readonly dark: boolean
  readonly signal: AbortSignal
  readonly resolve: (drawing: Drawing) => void
  readonly reject: (reason: unknown) => void
}

/** The size of the cache, in characters. */
const KEPT = 4_000_000

const keyOf = (source: string, dark: boolean) => `${dark ? 'dark' : 'light'} ${source}`

export class DiagramQueue {
  readonly #draw: Draw
  readonly #idle: () => Promise<void>
  readonly #most: number
  /** The drawings, the most recently used at the end. */
  readonly #drawn = new Map<string, Drawing>()
  #size = 0
  #waiting: Job[] = []
  #works = false

  /** draw makes a drawing; idle resolves when the window is idle; most is the size of the cache in characters. */
  constructor(draw: Draw, idle: () => Promise<void>, most = KEPT) {
    this.#draw = draw
    this.#idle = idle
    this.#most = most
  }

  /** A cached drawing. */
  drawn(source: string, dark: boolean): Drawing | undefined {
    const key = keyOf(source, dark)
    const drawing = this.#drawn.get(key)
    if (drawing) {
      this.#drawn.delete(key)
      this.#drawn.set(key, drawing)
    }
    return drawing
  }

  /** Draws a source when its turn comes. It rejects if the source is invalid, or when signal ends the wait. */
  ask(source: string, dark: boolean, signal: AbortSignal): Promise<Drawing> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ source, dark, signal, resolve, reject })
      void this.#work()
    })
  }

  async #work(): Promise<void> {
    if (this.#works) return
    this.#works = true
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      if (!job.signal.aborted && !this.drawn(job.source, job.dark)) await this.#idle()
      if (job.signal.aborted) {
        job.reject(job.signal.reason)
        continue
      }
      try {
        job.resolve(this.drawn(job.source, job.dark) ?? this.#keep(job, await this.#draw(job.source, job.dark)))
      } catch (thrown) {
        job.reject(thrown)
      }
    }
    this.#works = false
  }

  #keep({ source, dark }: Job, drawing: Drawing): Drawing {
    this.#drawn.set(keyOf(source, dark), drawing)
    this.#size += drawing.svg.length
    for (const [key, { svg }] of this.#drawn) {
      if (this.#size <= this.#most || this.#drawn.size === 1) break
      this.#drawn.delete(key)
      this.#size -= svg.length
    }
    return drawing
  }
}

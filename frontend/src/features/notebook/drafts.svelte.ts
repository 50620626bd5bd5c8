import type { Backend, notebook } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import type { CellState } from './cell.svelte'

const PAUSE_MS = 300
/** Typed text is sent after this long even without a pause, in milliseconds: a page may end without notice. */
const MOST_MS = 1000
const RETRY_MS = 2000

/**
 * Drafts sends typed prompts to the backend: 300 ms after the last keystroke and a second after the
 * first, or at once if something depends on it. A draft that cannot be sent stays and is retried, and
 * `fault` says so; it is never lost.
 */
export class Drafts {
  readonly #backend: Backend
  readonly #path: () => string
  readonly #origin: string
  readonly #isNew: (id: string) => boolean
  readonly #cells = new Set<CellState>()
  #ids = $state.raw<readonly string[]>([])
  /** Cells whose text is being sent. */
  readonly #sending = new Set<CellState>()
  /** Cells that we made: the backend has them even before their event arrives. */
  #made = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The time of the oldest typing that is not being sent; 0: none. */
  #since = 0
  /** Resolves when all pending texts have arrived; rejects if one has not. */
  #underWay: Promise<void> | undefined
  #stopped = false
  #fault = $state.raw<Fault | undefined>()
  #open = $state.raw(false)
  readonly #arrived: (seq: number) => void
  /** Called if the notebook or the cell is not as expected. */
  readonly #refused: () => void

  constructor(
    backend: Backend,
    path: () => string,
    origin: string,
    isNew: (id: string) => boolean,
    arrived: (seq: number) => void,
    refused: () => void,
  ) {
    this.#backend = backend
    this.#path = path
    this.#origin = origin
    this.#isNew = isNew
    this.#arrived = arrived
    this.#refused = refused
  }

  /** Why drafts cannot be saved, while that lasts. */
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** Whether there is typed text that the backend does not have yet. */
  get open(): boolean {
    return this.#open
  }

  /** The ids of the cells whose typed text is not being sent yet, in the order in which they were typed. */
  get ids(): readonly string[] {
    return this.#ids
  }

  /** made notes that the cell's insertion was sent: its text follows as an edit. */
  made(id: string): void {
    this.#made.add(id)
  }

  typed(cell: CellState): void {
    this.#wait(cell)
    this.#open = true
    this.#since ||= Date.now()
    this.#later(Math.min(PAUSE_MS, this.#since + MOST_MS - Date.now()))
  }

  /** flush sends every draft now and waits for pending ones. It rejects if one does not arrive. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#since = 0
    const cells = [...this.#cells].filter((c) => c.dirty)
    this.#clear()
    if (cells.length > 0) this.#track(this.#send(cells))
    await this.#underWay
    this.#rest()
  }

  /** track adds a call to those that flush waits for. */
  #track(mine: Promise<void>): void {
    const before = this.#underWay
    const all = Promise.allSettled([before, mine]).then((ends) => {
      if (this.#underWay === all) this.#underWay = undefined
      this.#rest()
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed) throw failed.reason as Fault
    })
    // Whoever waits learns of the failure; the person sees fault.
    all.catch(() => undefined)
    this.#underWay = all
  }

  async #send(cells: readonly CellState[]): Promise<void> {
    // Text typed while a new cell is being sent follows as an edit: the backend keeps the order.
    const anew = cells.filter((c) => this.#isNew(c.id) && !this.#made.has(c.id)).map((c) => c.id)
    const edits = cells.map((c): notebook.Edit => {
      const text = c.sending()
      return anew.includes(c.id)
        ? { kind: 'insert', id: c.id, text }
        : { kind: 'setText', cell: c.id, text, ...c.seen, ...(c.undone ? { undone: true } : {}) }
    })
    for (const id of anew) this.#made.add(id)
    for (const c of cells) this.#sending.add(c)
    try {
      const { seq } = await this.#backend.call.Edit(this.#path(), edits, this.#origin)
      for (const c of cells) c.sent(seq)
      this.#fault = undefined
      this.#arrived(seq)
    } catch (thrown) {
      for (const c of cells) {
        this.#made.delete(c.id)
        c.notSent()
        this.#wait(c)
      }
      this.#fault = Fault.from(thrown)
      this.#later(RETRY_MS)
      if (this.#fault.kind === 'notFound' && !this.#stopped) this.#refused()
      throw this.#fault
    } finally {
      for (const c of cells) this.#sending.delete(c)
    }
  }

  // Each change of the waiting cells goes through these, so that ids changes with it, and only then.
  #wait(cell: CellState): void {
    if (this.#cells.has(cell)) return
    this.#cells.add(cell)
    this.#list()
  }
  #clear(): void {
    if (this.#cells.size === 0) return
    this.#cells.clear()
    this.#list()
  }
  #list(): void {
    this.#ids = Array.from(this.#cells, (c) => c.id)
  }

  /** rest notes that nothing is left to send, if that is so. */
  #rest(): void {
    if (!this.#underWay && this.#cells.size === 0) this.#open = false
  }

  /** forget drops the draft of a cell that no longer exists. */
  forget(cell: CellState): void {
    if (this.#cells.delete(cell)) this.#list()
    this.#rest()
  }

  /** anew sends a cell whose insertion was refused again as a new one, with its typed text. */
  anew(cell: CellState): void {
    this.#made.delete(cell.id)
    this.typed(cell)
  }

  /** The texts that only this window has, one per prompt. */
  get unsaved(): string[] {
    return [...new Set([...this.#cells, ...this.#sending])].filter((c) => c.unsaved && c.text.trim() !== '').map((c) => c.text)
  }

  /** abandon discards the drafts, because they are stored elsewhere. */
  abandon(): void {
    this.stop()
    this.#clear()
    this.#fault = undefined
    this.#rest()
  }

  /** stop ends the retries: unsent text remains only here. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.flush().catch(() => undefined)
    }, ms)
  }
}

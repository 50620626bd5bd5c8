import type { Backend, BackendEvent, event, notebook } from '$lib/backend/backend'
import { Retry } from './retry'
import type { CellState } from './cell.svelte'

/** How much text of cells stays in memory, in characters. */
const LIMIT = 24_000_000
/** How many cells are fetched in one request. */
const BATCH = 40

type Delta = Extract<BackendEvent, { type: 'delta' }>
type BodyEvent = Extract<BackendEvent, { type: 'delta' | 'messagePut' }>

/**
 * Bodies loads the bodies of cells near the view, and drops those not seen for longest if there are
 * too many. Events for a cell whose body is loading wait for it, so that none is lost or applied
 * twice.
 */
export class Bodies {
  readonly #backend: Pick<Backend, 'cells'>
  readonly #path: () => string
  readonly #cell: (id: string) => CellState | undefined
  readonly #apply: (e: BodyEvent) => void
  /** Called with the failure of a fetch, and with undefined after a success. */
  readonly #onfail: (thrown: unknown) => void
  readonly #abort = new AbortController()
  #wanted = new Set<string>()
  /** Cells near the view, from the last call of need. */
  #near: readonly string[] = []
  #fetching = new Map<string, Promise<void>>()
  /** Requests the missing bodies that are still near the view. */
  readonly #again = new Retry(() => {
    if (!this.#resting) this.need(this.#near)
  })
  #failing = false
  #underWay = new Map<string, BodyEvent[]>()
  /** Cells in the order in which they were last seen. */
  #seen = new Map<string, true>()
  #asking = false
  #resting = false

  constructor(
    backend: Pick<Backend, 'cells'>,
    path: () => string,
    cell: (id: string) => CellState | undefined,
    apply: (e: BodyEvent) => void,
    onfail: (thrown: unknown) => void,
  ) {
    this.#backend = backend
    this.#path = path
    this.#cell = cell
    this.#apply = apply
    this.#onfail = onfail
  }

  /** need requests the bodies of the cells in view, the most urgent first. */
  need(ids: readonly string[]): void {
    this.#resting = false
    this.#near = ids
    this.#wanted.clear()
    for (const id of ids) {
      this.#seen.delete(id)
      this.#seen.set(id, true)
      if (this.#cell(id)?.loaded === false && !this.#underWay.has(id)) this.#wanted.add(id)
    }
    if (this.#wanted.size > 0) void this.#ask()
  }

  /** want fetches the body of one cell, in view or not, and returns whether it is loaded. */
  async want(id: string): Promise<boolean> {
    if (this.#cell(id)?.loaded === false) await (this.#fetching.get(id) ?? this.#begin([id]))
    return this.#cell(id)?.loaded ?? false
  }

  /** wantAll fetches the bodies of cells, in view or not, and returns whether all that still exist are loaded. */
  async wantAll(ids: readonly string[]): Promise<boolean> {
    for (;;) {
      const batch = ids.filter((id) => this.#cell(id)?.loaded === false).slice(0, BATCH)
      if (batch.length === 0) return true
      const idle = batch.filter((id) => !this.#underWay.has(id))
      await Promise.all([...batch.map((id) => this.#fetching.get(id)), ...(idle.length > 0 ? [this.#begin(idle)] : [])])
      if (batch.every((id) => this.#cell(id)?.loaded === false)) return false
      for (const id of batch) this.#seen.set(id, true) // so that they are dropped again if there are too many
    }
  }

  /** Whether an event of a cell must wait; it is stored and applied once the body is loaded. */
  holds(e: BodyEvent): boolean {
    const waiting = this.#underWay.get(e.data.cell)
    waiting?.push(e)
    return waiting !== undefined
  }

  /** trim drops the bodies not seen for longest, except those in keep. */
  trim(keep: ReadonlySet<string>): void {
    let weight = 0
    for (const id of this.#seen.keys()) weight += this.#cell(id)?.weight ?? 0
    for (const id of this.#seen.keys()) {
      if (weight <= LIMIT) return
      const cell = this.#cell(id)
      if (!cell) this.#seen.delete(id)
      else if (!keep.has(id) && cell.droppable) {
        weight -= cell.weight
        cell.drop()
        this.#seen.delete(id)
      }
    }
  }

  /** rest drops every body that can be loaded again: nobody views the notebook until need is called. */
  rest(): void {
    this.#resting = true
    this.#near = []
    for (const id of this.#seen.keys()) this.#cell(id)?.drop()
  }

  /** skip drops a cell's body while nobody views it, instead of letting an answer grow in it. */
  skip(cell: CellState): void {
    if (this.#resting) cell.drop()
  }

  stop(): void {
    this.#again.cancel()
    this.#abort.abort()
  }

  async #ask(): Promise<void> {
    if (this.#asking) return
    this.#asking = true
    try {
      while (this.#wanted.size > 0 && !this.#abort.signal.aborted) {
        const ids = [...this.#wanted].slice(0, BATCH)
        for (const id of ids) this.#wanted.delete(id)
        // A copy may have fetched some of them meanwhile.
        const still = ids.filter((id) => this.#cell(id)?.loaded === false && !this.#underWay.has(id))
        if (still.length > 0) await this.#begin(still)
      }
    } finally {
      this.#asking = false
    }
  }

  async #begin(ids: string[]): Promise<void> {
    for (const id of ids) this.#underWay.set(id, [])
    const fetching = this.#fetch(ids)
    for (const id of ids) this.#fetching.set(id, fetching)
    await fetching
  }

  async #fetch(ids: string[]): Promise<void> {
    let got: { seq: number; cells: notebook.CellView[] } = { seq: 0, cells: [] }
    try {
      got = await this.#backend.cells(this.#path(), ids, this.#abort.signal)
      if (this.#failing) this.#onfail(undefined)
      this.#failing = false
      this.#again.worked()
    } catch (thrown) {
      if (!this.#abort.signal.aborted) {
        this.#failing = true
        this.#onfail(thrown)
        this.#again.failed()
      }
    }
    for (const view of got.cells) {
      const cell = this.#cell(view.id)
      // A splice may have brought a newer body. A dropped one is accepted even if it is older.
      if (cell && !(cell.loaded && cell.holds(got.seq))) cell.put(view, got.seq)
    }
    for (const id of ids) {
      const waiting = this.#underWay.get(id) ?? []
      this.#underWay.delete(id)
      this.#fetching.delete(id)
      for (const e of waiting) this.#apply(e)
    }
  }
}

/** joinDeltas joins consecutive deltas of a message, for one update per frame. */
export function joinDeltas(deltas: readonly Delta[]): Delta[] {
  const joined: Delta[] = []
  for (const e of deltas) {
    const last = joined.at(-1)
    const data = last && join(last.data, e.data)
    if (data) joined[joined.length - 1] = { ...e, data }
    else joined.push(e)
  }
  return joined
}

function join(a: event.Delta, b: event.Delta): event.Delta | undefined {
  if (a.cell !== b.cell || a.index !== b.index || a.toolCalls?.length || b.toolCalls?.length) return undefined
  // Text ends a thought: later reasoning must not move before it.
  if (a.text && b.reasoning) return undefined
  return { ...a, text: (a.text ?? '') + (b.text ?? ''), reasoning: (a.reasoning ?? '') + (b.reasoning ?? '') }
}

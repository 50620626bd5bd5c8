import { SvelteSet } from 'svelte/reactivity'
import { CellState } from './cell.svelte'
import { newID } from './newID'

/**
 * Cells holds a notebook's cells in the backend, and the cells that were made here and are not in
 * the backend yet: new ones, and the empty prompt at the end.
 */
export class Cells {
  #all = $state.raw<readonly CellState[]>([])
  #blank = $state.raw<CellState>(new CellState(newID()))
  #fresh = $state.raw<readonly { cell: CellState; before: string }[]>([])
  #byID = new Map<string, CellState>()
  /** The summaries whose cells are shown. */
  readonly unfolded = new SvelteSet<string>()

  /** The cells of the notebook. */
  get all(): readonly CellState[] {
    return this.#all
  }
  /** The empty prompt, which becomes a cell when the person types. */
  get blank(): CellState {
    return this.#blank
  }
  /** For each cell id, the summary that is sent instead of the cell. */
  readonly summaryOf: ReadonlyMap<string, CellState> = $derived.by(() => {
    const map = new Map<string, CellState>()
    const before = new Set<string>()
    for (const cell of this.#all) {
      const k = cell.compaction
      if (k && !k.off) for (const id of k.covers) if (before.has(id)) map.set(id, cell)
      before.add(cell.id)
    }
    return map
  })
  /** The number of each cell, from 1; summaries have none and do not count. */
  readonly numbers: ReadonlyMap<string, number> = $derived.by(() => {
    const map = new Map<string, number>()
    for (const cell of this.#all) if (!cell.compaction) map.set(cell.id, map.size + 1)
    return map
  })

  /** Whether a summary hides a cell. */
  #isFolded(cell: CellState): boolean {
    for (let by = this.summaryOf.get(cell.id); by; by = this.summaryOf.get(by.id)) if (!this.unfolded.has(by.id)) return true
    return false
  }
  /** reveal shows a cell that a summary hides. */
  reveal(id: string): void {
    for (let by = this.summaryOf.get(id); by; by = this.summaryOf.get(by.id)) this.unfolded.add(by.id)
  }

  /** The cells to show: without those that a summary hides; the empty prompt follows the last answer. */
  readonly shown: readonly CellState[] = $derived.by(() => {
    let cells = this.summaryOf.size > 0 ? this.#all.filter((c) => !this.#isFolded(c)) : this.#all
    for (const { cell, before } of this.#fresh) {
      const at = before === '' ? -1 : cells.findIndex((c) => c.id === before)
      cells = at < 0 ? [...cells, cell] : [...cells.slice(0, at), cell, ...cells.slice(at)]
    }
    const last = cells.at(-1)
    return last && last.role === 'user' && !last.compaction && !last.hasAnswer && !last.live && !last.run ? cells : [...cells, this.#blank]
  })

  /** Whether the notebook has a cell. */
  has(id: string): boolean {
    return this.#byID.has(id)
  }
  /** A cell that the notebook has. */
  get(id: string): CellState | undefined {
    return this.#byID.get(id)
  }
  /** A displayed cell, including one that the notebook does not have yet. */
  find(id: string): CellState | undefined {
    return this.#byID.get(id) ?? (this.#blank.id === id ? this.#blank : this.#fresh.find((f) => f.cell.id === id)?.cell)
  }

  /** add shows a cell before the backend confirms it: before the one with that id, or at the end. */
  add(cell: CellState, before = ''): void {
    this.#fresh = [...this.#fresh, { cell, before }]
  }
  /** begin turns the empty prompt into a cell and adds a new empty prompt. */
  begin(): void {
    this.add(this.#blank)
    this.#blank = new CellState(newID())
  }
  /** drop removes a cell that the backend refused. */
  drop(cell: CellState): void {
    this.#fresh = this.#fresh.filter((f) => f.cell !== cell)
  }

  /** take sets the cells of the notebook, and returns the removed ones. */
  take(cells: CellState[]): CellState[] {
    const before = this.#byID
    this.#byID = new Map(cells.map((c) => [c.id, c]))
    // The empty prompt became a cell: add a new one.
    if (this.#byID.has(this.#blank.id)) this.#blank = new CellState(newID())
    if (this.#fresh.some((f) => this.#byID.has(f.cell.id))) this.#fresh = this.#fresh.filter((f) => !this.#byID.has(f.cell.id))
    this.#all = cells
    return [...before.values()].filter((c) => !this.#byID.has(c.id))
  }
}

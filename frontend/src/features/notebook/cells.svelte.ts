import { CellState } from './cell.svelte'

/** newID makes the id of a cell. crypto.randomUUID is not there on every scheme that the page is served by. */
export function newID(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (b) => b.toString(16).padStart(2, '0')).join('')
}

/**
 * Cells holds the backend's cells of a notebook, and those that
 * were made here and that it does not have yet: new ones, and the empty prompt
 * at the end.
 */
export class Cells {
  #all = $state.raw<readonly CellState[]>([])
  #blank = $state.raw<CellState>(new CellState(newID()))
  #fresh = $state.raw<readonly { cell: CellState; before: string }[]>([])
  #byID = new Map<string, CellState>()

  /** The cells of the notebook. */
  get all(): readonly CellState[] {
    return this.#all
  }
  /** The empty prompt, which becomes a cell when something is typed. */
  get blank(): CellState {
    return this.#blank
  }
  /** The cells to show: the empty prompt follows the last answer. */
  readonly shown: readonly CellState[] = $derived.by(() => {
    let cells = this.#all
    for (const { cell, before } of this.#fresh) {
      const at = before === '' ? -1 : cells.findIndex((c) => c.id === before)
      cells = at < 0 ? [...cells, cell] : [...cells.slice(0, at), cell, ...cells.slice(at)]
    }
    const last = cells.at(-1)
    return last && last.role === 'user' && !last.hasAnswer && !last.live && !last.run ? cells : [...cells, this.#blank]
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

import type { KeptSelections } from '../features/notebook/bookView.svelte'
import type { KeptSelection } from '../features/notebook/selection.svelte'

/** Under this name the browser keeps them for as long as the tab or the window exists. */
const stored = 'mutsumi.selections'

/** Selections keeps the current cells and the carets while the page is loaded again; another session begins without. */
export class Selections implements KeptSelections {
  readonly #left = new Map<string, KeptSelection>(Object.entries(read()))

  take(name: string): KeptSelection | undefined {
    const kept = this.#left.get(name)
    this.#left.delete(name)
    return kept
  }

  /** Keeps what is selected, and what nobody has taken yet. */
  keep(selected: Record<string, KeptSelection>): void {
    globalThis.sessionStorage?.setItem(stored, JSON.stringify({ ...Object.fromEntries(this.#left), ...selected }))
  }
}

function read(): Record<string, KeptSelection> {
  try {
    return (JSON.parse(globalThis.sessionStorage?.getItem(stored) ?? '{}') ?? {}) as Record<string, KeptSelection>
  } catch {
    return {} // unreadable: nothing was kept
  }
}

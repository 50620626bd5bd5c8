import { untrack } from 'svelte'
import type { KeptPlaces, Place } from '$lib/ui/readingPosition'
import { ListMemory } from '$lib/ui/virtual'
import { Selection, type KeptSelection, type SelectedBook } from './selection.svelte'

/** What was selected in views before the page was loaded again, by the names of their positions. */
export interface KeptSelections {
  /** Returns what was selected in a view, once. */
  take(name: string): KeptSelection | undefined
}

/** One view of a notebook: its current cell and scroll position. */
export interface BookView {
  /** The group of tabs that shows it. */
  id: number
  readonly selection: Selection
  readonly memory: ListMemory
}

/** The notebook in the view. */
export interface ViewedBook extends SelectedBook {
  /** The name under which positions are stored; undefined before it is loaded. */
  readonly uuid: string | undefined
  /** The start position of a notebook that nobody has read yet. */
  top(): Place | undefined
  /** Sets the cells near the views, the most urgent first. */
  need(ids: readonly string[]): void
  /** No view shows it any longer. */
  rest(): void
}

/**
 * BookViews are the views of one notebook, one for each group of tabs that shows it. Text, runs and
 * undo belong to the notebook; each view has its own selection, caret and scroll position.
 */
export class BookViews {
  readonly #book: ViewedBook
  readonly #places: KeptPlaces | undefined
  readonly #selections: KeptSelections | undefined
  readonly #views = new Map<number, BookView>()
  /** The cells near each drawn view. */
  readonly #near = new Map<number, readonly string[]>()
  #current = $state.raw(0)

  constructor(book: ViewedBook, places?: KeptPlaces, selections?: KeptSelections) {
    this.#book = book
    this.#places = places
    this.#selections = selections
  }

  /** The active view, to which the person's requests apply. */
  get current(): BookView {
    return this.of(this.#current)
  }
  use(id: number): void {
    this.#current = id
  }

  /** The view with an id. A new one begins where the active view is, or else where the notebook was left. */
  of(id: number): BookView {
    return this.#views.get(id) ?? untrack(() => this.#made(id))
  }

  #made(id: number): BookView {
    const other = this.#views.get(this.#current) ?? [...this.#views.values()][0]
    const view: BookView = {
      id,
      selection: new Selection(this.#book),
      memory: new ListMemory((place) => {
        const name = this.#name(view.id)
        if (name) this.#places?.set(name, place)
      }),
    }
    this.#views.set(id, view)
    if (this.#book.uuid) view.memory.start(other ? other.memory.place : (this.#left(id) ?? this.#book.top()))
    if (other?.selection.active) view.selection.select(other.selection.active)
    return view
  }

  /** Notes that the notebook was loaded for the first time: the views begin where they were left. */
  opened(): void {
    for (const [id, view] of this.#views) {
      view.memory.start(this.#left(id) ?? this.#book.top())
      const kept = this.#selections?.take(this.#name(id) ?? '')
      if (kept) view.selection.restore(kept)
    }
  }

  /** What is selected in the views, by the names of their positions. */
  get selected(): Record<string, KeptSelection> {
    const all: Record<string, KeptSelection> = {}
    for (const { id, selection } of this.#views.values()) {
      const [name, { kept }] = [this.#name(id), selection]
      if (name && kept) all[name] = kept
    }
    return all
  }

  /** Where a view was left; a second one without a position of its own uses the notebook's. */
  #left(id: number): Place | undefined {
    const { uuid } = this.#book
    return uuid === undefined ? undefined : (this.#places?.get(this.#name(id)!) ?? this.#places?.get(uuid))
  }

  /** The first of several views stores its position under the notebook's name alone. */
  #name(id: number): string | undefined {
    const { uuid } = this.#book
    return uuid && [...this.#views.keys()].some((other) => other < id) ? `${uuid} ${id}` : uuid
  }

  /** Sets the cells near a view, the most urgent first. */
  need(id: number, ids: readonly string[]): void {
    this.#near.set(id, ids)
    const others = [...this.#near].filter(([other]) => other !== id).flatMap(([, near]) => near)
    this.#book.need(others.length > 0 ? [...new Set([...ids, ...others])] : ids)
  }

  /** Notes that a view is no longer drawn. */
  rest(id: number): void {
    this.#near.delete(id)
    if (this.#near.size === 0) this.#book.rest()
  }

  /** Sets the groups that have a tab of the notebook. A view whose tab moves to another group is kept. */
  keep(ids: readonly number[]): void {
    const gone = [...this.#views.values()].filter((view) => !ids.includes(view.id))
    for (const view of gone) this.#views.delete(view.id)
    const [moved] = gone
    const to = ids.find((id) => !this.#views.has(id))
    if (!moved || to === undefined) return
    moved.id = to
    this.#views.set(to, moved)
  }
}

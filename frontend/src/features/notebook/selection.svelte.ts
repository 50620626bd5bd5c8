import { composing } from '$lib/ui/composing'
import type { CellState } from './cell.svelte'

/** The position of the caret when a prompt is opened for editing; keep leaves it where it was. */
export type Caret = 'start' | 'end' | 'keep' | { x: number; y: number }

/**
 * A requested scroll target: a cell, its prompt, enough of a cell to notice it, or a message of its
 * answer by position. Other changes of the active cell do not scroll.
 */
export interface Wanted {
  readonly cell: string
  readonly part: 'cell' | 'prompt' | 'glimpse' | number
}

/** What is selected in a view, as it is kept while the page is loaded again. */
export interface KeptSelection {
  /** "" for the last cell. */
  readonly cell: string
  readonly mode: 'command' | 'edit'
  /** The position of the caret in the edited prompt. */
  readonly caret: number
}

/** The notebook whose cells are selected. */
export interface SelectedBook {
  /** The shown cells, in order. */
  readonly shown: readonly CellState[]
  cell(id: string): CellState | undefined
  /** Shows a cell that a summary hides. */
  reveal(id: string): void
}

/**
 * Selection is the current cell, and whether keys act on cells (command) or type text (edit). It is
 * local to the window.
 */
export class Selection {
  readonly #book: SelectedBook
  #active = $state.raw('')
  #mode = $state.raw<'command' | 'edit'>('command')
  #caret: Caret = 'end'
  /** Counts requests for focus, so that asking twice for the same cell works. */
  #ask = $state.raw(0)
  /** The cell whose successor is edited as soon as it exists. */
  #follow = $state.raw('')
  #followShown = true
  /** The successor that is about to go. */
  #followNot = ''
  #wanted = $state.raw<Wanted | undefined>()
  /** Text typed after a prompt was opened and before its editor has the focus. */
  #ahead = ''
  /** Its view gets the keyboard: only then does it take the focus. */
  front = $state.raw(true)
  #caretAt = $state.raw(0)

  constructor(book: SelectedBook) {
    this.#book = book
  }

  get active(): string {
    return this.#active
  }
  get mode(): 'command' | 'edit' {
    return this.#mode
  }
  get ask(): number {
    return this.#ask
  }
  get follow(): string {
    return this.#follow
  }
  get wanted(): Wanted | undefined {
    return this.#wanted
  }

  /** The position of the caret in the edited prompt. */
  get caretAt(): number {
    return this.#caretAt
  }
  /** caretMoved notes where the caret is now. If the editor has the focus, an earlier request for a place is done. */
  caretMoved(to: number, focused: boolean): void {
    this.#caretAt = to
    if (focused) this.#caret = 'keep'
  }

  /** takeCaret returns the requested caret position, once. */
  takeCaret(): Caret {
    const caret = this.#caret
    this.#caret = 'keep'
    return caret
  }

  /** typeAhead takes a key for the prompt that is being opened; false if none is. */
  typeAhead(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing' | 'keyCode'>): boolean {
    if (this.#mode !== 'edit' || event.ctrlKey || event.metaKey || event.altKey || composing(event)) return false
    if (this.#book.cell(this.#active)?.role === 'assistant') return false
    if ([...event.key].length === 1) this.#ahead += event.key
    else if (event.key === 'Enter' && !event.shiftKey) this.#ahead += '\n'
    else if (event.key === 'Backspace') this.#ahead = [...this.#ahead].slice(0, -1).join('')
    else return false
    return true
  }

  /** takeAhead returns the text typed ahead and clears it. */
  takeAhead(): string {
    const ahead = this.#ahead
    this.#ahead = ''
    return ahead
  }

  /** edit opens a prompt for typing and scrolls to it, unless the pointer selected it. */
  edit(id: string, caret: Caret = 'end', shown = typeof caret !== 'object'): void {
    this.#book.reveal(id)
    if (this.#book.cell(id)?.compaction) return this.command(id) // its parts are edited separately
    if (id !== this.#active) this.#ahead = ''
    this.#wanted = shown ? { cell: id, part: 'prompt' } : undefined
    this.#caret = caret
    this.#choose(id)
    this.#mode = 'edit'
    this.#follow = ''
    this.#ask++
  }

  /** command selects a cell and scrolls to it. */
  command(id: string, part: Wanted['part'] = 'cell'): void {
    this.#book.reveal(id)
    this.#at(id)
    this.#wanted = { cell: id, part }
  }

  /** leave switches from typing to commands. */
  leave(id: string = this.#active): void {
    this.#at(id)
  }

  #at(id: string): void {
    this.#wanted = undefined
    this.#ahead = ''
    this.#choose(id)
    this.#mode = 'command'
    this.#follow = ''
    this.#ask++
  }

  #choose(id: string): void {
    if (id !== this.#active) this.#caretAt = 0
    this.#active = id
  }

  /** nearest returns which of some cells is nearest to the active one; the first, if none is active. */
  nearest(ids: readonly string[]): string | undefined {
    if (ids.length < 2) return ids[0]
    const shown = this.#book.shown
    const places = new Map(shown.map((c, i) => [c.id, i]))
    const at = places.get(this.#active) ?? 0
    const far = (id: string) => Math.abs((places.get(id) ?? Infinity) - at)
    return ids.reduce((best, id) => (far(id) < far(best) ? id : best))
  }

  /** show scrolls to a cell without selecting it. */
  show(id: string, part: Wanted['part']): void {
    this.#book.reveal(id)
    this.#wanted = { cell: id, part }
  }
  /** met notes that the scroll target is in view. */
  met(wanted: Wanted): void {
    if (this.#wanted === wanted) this.#wanted = undefined
  }

  /** refocus returns the focus to the active cell as it was left. */
  refocus(): void {
    this.#ask++
  }

  /** select makes a cell the active one without moving the focus. */
  select(id: string): void {
    if (this.#active === id) return
    this.#choose(id)
    this.#mode = 'command'
  }

  /** What to keep while the page is loaded again; undefined before anything was selected. */
  get kept(): KeptSelection | undefined {
    const cell = this.#active === this.#book.shown.at(-1)?.id ? '' : this.#active
    return this.#active === '' ? undefined : { cell, mode: this.#mode, caret: this.#caretAt }
  }
  /** restore selects what was kept, without scrolling; nothing if its cell is gone. */
  restore({ cell, mode, caret }: KeptSelection): void {
    const found = cell ? this.#book.cell(cell) : this.#book.shown.at(-1)
    if (!found) return
    this.#active = found.id
    this.#mode = mode
    this.#caretAt = caret
    this.#caret = 'keep'
    this.#ask++
  }

  /** editNextOf edits the prompt after a cell as soon as there is one, other than one that is about to go. */
  editNextOf(id: string, shown = true, going = ''): void {
    this.#follow = id
    this.#followShown = shown
    this.#followNot = going
  }

  /** step moves by a number of places up or down; false at the end. */
  step(by: number, mode: 'command' | 'edit' = 'command'): boolean {
    const shown = this.#book.shown
    const i = shown.findIndex((c) => c.id === this.#active)
    const next = shown[i < 0 ? (by > 0 ? 0 : shown.length - 1) : i + by]
    if (!next) return false
    if (mode === 'edit' && next.role !== 'assistant') this.edit(next.id, by > 0 ? 'start' : 'end')
    else this.command(next.id)
    return true
  }

  /** keepActive keeps the active cell among the shown ones, and follows a run to the next prompt. */
  keepActive(before: readonly { id: string }[]): void {
    const shown = this.#book.shown
    if (this.#follow) {
      const next = shown[shown.findIndex((c) => c.id === this.#follow) + 1]
      if (next && next.id !== this.#followNot && shown.some((c) => c.id === this.#follow)) {
        this.edit(next.id, 'end', this.#followShown)
        return
      }
    }
    if (this.#active && !shown.some((c) => c.id === this.#active)) {
      const i = before.findIndex((c) => c.id === this.#active)
      const near = shown[Math.min(Math.max(i, 0), shown.length - 1)]
      if (near) this.leave(near.id)
    }
  }
}

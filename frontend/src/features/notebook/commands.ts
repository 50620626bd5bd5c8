import type { HeardOf } from '$lib/actions/actions'
import { Keyboard } from '$lib/actions/keyboard'
import { composing } from '$lib/ui/composing'
import type { CellState } from './cell.svelte'
import type { NotebookState } from './notebook.svelte'

/** The action of each key of a cell; false: none, and the key is passed on. */
const meanings: Record<HeardOf<'cell'>, (book: NotebookState, cell: CellState) => unknown> = {
  edit: ({ selection }, cell) => cell.role !== 'assistant' && !cell.compaction && (selection.edit(cell.id), true),
  run: ({ intents }, cell) => intents.runAndAdvance(cell),
  runAndInsert: ({ intents }, cell) => intents.runAndInsert(cell),
  previous: ({ selection }) => void selection.step(-1),
  next: ({ selection }) => void selection.step(1),
  first: ({ selection, shown }) => shown[0] && selection.command(shown[0].id),
  last: ({ selection, shown }) => selection.command(shown.at(-1)!.id),
  insertAbove: ({ intents }, cell) => intents.insertAbove(cell),
  insertBelow: ({ intents }, cell) => intents.insertBelow(cell),
  moveUp: ({ intents }, cell) => intents.move(cell, -1),
  moveDown: ({ intents }, cell) => intents.move(cell, 1),
  remove: ({ intents }, cell) => intents.remove(cell),
  pin: ({ intents }, cell) => intents.mark(cell, 'pinned', !cell.pinned),
  unfold: (book, cell) => cell.compaction !== undefined && !cell.compaction.off && (book.unfold(cell.id, !book.isUnfolded(cell.id)), true),
  undo: ({ intents }) => intents.undo(),
  redo: ({ intents }) => intents.redo(),
}

/** CellKeys carries out the keys of cells. */
export class CellKeys {
  readonly #book: NotebookState
  readonly #keyboard = new Keyboard('cell')

  constructor(book: NotebookState) {
    this.#book = book
  }

  /** key handles a key in command mode; it says whether it did. */
  key(event: KeyboardEvent, cell: CellState): boolean {
    const asked = composing(event) ? null : this.#keyboard.asked(event)
    if (!asked) return false
    return asked.held || meanings[asked.id](this.#book, cell) !== false
  }
}

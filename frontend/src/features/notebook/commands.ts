import { bind, type Bound } from '$lib/actions/registry'
import { Keyboard } from '$lib/actions/keyboard'
import { composing } from '$lib/ui/composing'
import type { CellState } from './cell.svelte'
import { answerText, cellMarkdown } from './cellMarkdown'
import type { NotebookState } from './notebook.svelte'
import type { NotebookHost } from './notebookHost'

/** What actions on a cell need from the window. */
export type CellHost = Pick<NotebookHost, 'back' | 'compact' | 'compacting' | 'history' | 'internalShown' | 'show' | 'showInternal'>

/** The functions of the actions on a cell, for its keys, menu and buttons. */
export function cellActions(book: NotebookState, cell: CellState, host: CellHost): Bound<'cell'> {
  const { intents, selection, path } = book
  const kept = () => !book.isBlank(cell)
  const idle = () => !cell.live
  const prompt = () => cell.role === 'user' && !cell.compaction
  const runs = () => prompt() && idle()
  const index = () => book.cells.indexOf(cell)
  const last = () => index() === book.cells.length - 1
  const mayMove = (by: 1 | -1) => (cell.live?.queued ? intents.mayMove(cell, by) : kept() && idle() && (by < 0 ? index() > 0 : !last()))
  const covered = () => book.summaryOf(cell.id) !== undefined
  /** The cells that models get. */
  const sent = () => book.cells.filter((c) => !c.muted && !c.compaction?.off && !book.summaryOf(c.id))
  const copy = (text: string) => void book.backend.copyText(text).catch((thrown: unknown) => book.say(thrown))
  return bind('cell', {
    edit: { when: () => cell.role !== 'assistant' && !cell.compaction, run: () => selection.edit(cell.id) },
    // A key scrolls the next prompt into view; a click leaves the page as it is.
    run: { when: runs, run: (key) => void intents.runAndAdvance(cell, key !== undefined) },
    runAndInsert: { when: runs, run: () => void intents.runAndInsert(cell) },
    runAll: { when: () => runs() && kept() && !last(), run: () => void intents.run(cell, 'all') },
    runFrom: { when: () => runs() && kept(), run: () => void intents.run(cell, 'from') },
    restore: { when: () => runs() && kept(), run: () => host.back(path, cell.id, book.numberOf(cell.id)) },
    history: { when: () => cell.earlier > 0, run: () => host.history(path, cell.id, book.numberOf(cell.id)) },
    previous: { run: () => void selection.step(-1) },
    next: { run: () => void selection.step(1) },
    first: { run: () => book.shown[0] && selection.command(book.shown[0].id) },
    last: { run: () => selection.command(book.shown.at(-1)!.id) },
    insertAbove: { run: () => intents.insertAbove(cell) },
    insertBelow: { run: () => intents.insertBelow(cell) },
    moveUp: { when: () => mayMove(-1), run: () => void intents.move(cell, -1) },
    moveDown: { when: () => mayMove(1), run: () => void intents.move(cell, 1) },
    split: {
      when: () => runs() && selection.active === cell.id && selection.caretAt > 0 && selection.caretAt < cell.text.length,
      run: () => void intents.splitAtCaret(cell),
    },
    copyAnswer: { when: () => answerText(cell) !== '', run: () => copy(answerText(cell)) },
    copyMarkdown: { when: () => cell.loaded, run: () => copy(cellMarkdown(cell)) },
    clear: { when: () => cell.hasAnswer && idle(), run: () => void intents.clear(cell) },
    pin: {
      when: () => kept() && !cell.compaction && !covered(),
      reversed: () => cell.pinned,
      run: () => void intents.mark(cell, 'pinned', !cell.pinned),
    },
    mute: {
      when: () => kept() && !cell.compaction && idle(),
      reversed: () => cell.muted,
      run: () => void intents.mark(cell, 'muted', !cell.muted),
    },
    internal: { reversed: host.internalShown, run: () => host.showInternal(!host.internalShown()) },
    unfold: {
      when: () => cell.compaction !== undefined && !cell.compaction.off,
      run: () => book.unfold(cell.id, !book.isUnfolded(cell.id)),
    },
    compactAbove: {
      when: () => sent().indexOf(cell) > 0 && !host.compacting(path),
      run: () => host.compact(path, { keep: sent().length - 1 - sent().indexOf(cell) }),
    },
    forkNotebook: { when: kept, run: () => void intents.forkNotebook(cell).then((file) => file && host.show(file)) },
    forkBranch: { when: () => kept() && !last() && idle() && !cell.compaction, run: () => void intents.forkBranch(cell) },
    unqueue: { when: () => Boolean(cell.live?.queued), run: () => void intents.unqueue(cell) },
    remove: { when: () => kept() && idle(), run: () => void intents.remove(cell) },
    undo: { run: () => void intents.undo() },
    redo: { run: () => void intents.redo() },
  })
}

/** The actions whose keys do something else on the page while unavailable. */
const passed = new Set(['edit', 'unfold'])

/** CellKeys carries out the keys of cells. */
export class CellKeys {
  readonly #actions: (cell: CellState) => Bound<'cell'>
  readonly #keyboard = new Keyboard('cell')

  constructor(book: NotebookState, host: CellHost) {
    this.#actions = (cell) => cellActions(book, cell, host)
  }

  /** key handles a key in command mode, and returns whether it did. */
  key(event: KeyboardEvent, cell: CellState): boolean {
    const asked = composing(event) ? null : this.#keyboard.asked(event)
    if (!asked) return false
    if (asked.held) return true
    const action = this.#actions(cell)[asked.id]
    if (passed.has(asked.id) && !action.when()) return false
    action.press(event.key)
    return true
  }
}

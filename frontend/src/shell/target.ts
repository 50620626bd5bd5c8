import type { Target } from '$lib/follow/refreshDelays'
import type { AppState } from '../app.svelte'
import type { NotebookState } from '../features/notebook/notebook.svelte'

/** The next request of a notebook: of the current prompt, or else of the last one. It waits for a prompt that is not loaded yet. */
export function targetOf(book: NotebookState): Target | 'waits' | undefined {
  if (book.status === 'loading') return 'waits'
  if (book.status !== 'ready') return undefined
  const cell = promptOf(book)
  if (!cell) return { path: book.path, cell: '', draft: '' }
  if (!cell.loaded && cell.chars > 0) return 'waits'
  // Only the backend knows whether the notebook has it already: text sent a moment ago must not count twice.
  return { path: book.path, cell: cell.id, draft: cell.text }
}

/** The prompt to be sent. */
export function promptOf(book: NotebookState) {
  const at = book.cell(book.selection.active)
  if (at?.role === 'user' && !at.compaction) return at
  return book.shown.findLast((c) => c.role === 'user' && !c.compaction)
}

/** The number of a cell in the gutter; 0 if it does not exist. */
export const numberOf = (book: NotebookState, cell: string): number => (book.cells.some((c) => c.id === cell) ? book.numberOf(cell) : 0)

/** Appends text to the last prompt of a notebook, for the person to send. */
export function propose(app: AppState, book: NotebookState, text: string): void {
  const last = book.shown.at(-1)
  // A prompt that is not loaded yet would be overwritten.
  const cell = last && (last.loaded || last.chars === 0) ? last : book.cell(book.intents.insert(undefined))
  if (!cell) return
  app.preview.hide()
  book.type(cell, cell.text.trim() === '' ? text : `${cell.text.trimEnd()}\n\n${text}`)
  book.selection.edit(cell.id)
}

/** Puts a command at the beginning of a prompt, so that its arguments can be typed: of the current prompt if it is empty, or else of a new one at the end. */
export function proposeCommand(app: AppState, book: NotebookState, text: string): void {
  const at = promptOf(book)
  const cell = at?.loaded && at.text.trim() === '' ? at : book.cell(book.intents.insert(undefined))
  if (!cell) return
  app.preview.hide()
  book.type(cell, text)
  book.selection.edit(cell.id)
}

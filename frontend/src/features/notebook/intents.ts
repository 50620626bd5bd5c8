import type { Backend, Calls, documents, notebook, runner } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import { CellState } from './cell.svelte'
import { newID } from './newID'
import type { Drafts } from './drafts.svelte'
import type { Notices } from './notices.svelte'
import type { Replica } from './replica.svelte'
import type { Selection, Wanted } from './selection.svelte'
import type { ScrollToChange } from './scrollToChange'

/** The dependencies of Intents. */
export interface IntentsOf {
  backend: Backend
  /** The id of this window: events carry it as the origin of its edits. */
  origin: string
  replica: Replica
  drafts: Drafts
  /** The selection of the active view. */
  selection(): Selection
  steps: ScrollToChange
  notices: Notices
}

/**
 * Intents are the person's actions on a notebook, by keys, menus and buttons alike: each one is a
 * call, and the result arrives as events. A failure is shown in the notebook's notice, and the
 * result is false.
 */
export class Intents {
  readonly #of: IntentsOf

  constructor(of: IntentsOf) {
    this.#of = of
  }

  get #path(): string {
    return this.#of.replica.path
  }

  // Runs.

  /** run runs a prompt. It is shown as running at once. */
  async run(cell: CellState, mode: runner.Mode): Promise<boolean> {
    if (cell.live || cell.compaction || cell.text.trim() === '') return false
    const { cells } = this.#of.replica
    if (cell === cells.blank) cells.begin()
    return this.#start(cell, (call) => call.Run(this.#path, cell.id, mode))
  }

  /** runAndAdvance runs a prompt and moves to the next one, scrolling to it after a key press. */
  async runAndAdvance(cell: CellState, shown = true): Promise<void> {
    if (!runs(cell)) return
    const running = this.run(cell, 'cell')
    this.#of.selection().editNextOf(cell.id, shown)
    if (!(await running)) this.#of.selection().edit(cell.id)
  }

  async runAndInsert(cell: CellState): Promise<void> {
    if (!runs(cell)) return
    const running = this.run(cell, 'cell')
    this.insertBelow(cell)
    await running
  }

  /** resume continues the last answer, which the end of the program interrupted. It is shown as running at once. */
  async resume(cell: CellState): Promise<boolean> {
    return !cell.live && this.#start(cell, (call) => call.Resume(this.#path))
  }
  /** continue continues an answer that was stopped or failed. It is shown as running at once. */
  async continue(cell: CellState): Promise<boolean> {
    return !cell.live && this.#start(cell, (call) => call.Continue(this.#path, cell.id))
  }

  async #start(cell: CellState, send: (call: Calls) => Promise<unknown>): Promise<boolean> {
    cell.expectRun(Date.now())
    const done = await this.#do(send)
    if (!done) cell.abandonRun()
    return done
  }

  /** unqueue removes a waiting prompt from the queue. */
  unqueue(cell: CellState): Promise<boolean> {
    return this.#do((call) => call.Unqueue(this.#path, cell.id))
  }
  /** sendNow gives a waiting prompt to the running agent at its next step. */
  async sendNow(cell: CellState): Promise<boolean> {
    const done = await this.#do((call) => call.SendNow(this.#path, cell.id))
    if (done) cell.hurry()
    return done
  }
  retryNow(): Promise<boolean> {
    return this.#do((call) => call.RetryNow(this.#path))
  }

  // Cells.

  /** insert puts an empty prompt before the cell, or at the end, and returns its id. It is shown at once. */
  insert(before: CellState | undefined): string {
    const { replica, drafts, notices, backend, origin } = this.#of
    const cell = new CellState(newID())
    const at = before && before !== replica.cells.blank ? before.id : ''
    replica.cells.add(cell, at)
    drafts.made(cell.id)
    // Sent before its typed text: the backend keeps the order of edits.
    drafts.flush().catch(() => undefined)
    const edit: notebook.Edit = { kind: 'insert', id: cell.id, text: '', ...(at ? { before: at } : {}) }
    backend.call.Edit(this.#path, [edit], origin).catch((thrown: unknown) => {
      notices.say(thrown)
      // Text typed into it in the meantime creates it again.
      if (cell.text.trim() !== '') return drafts.anew(cell)
      drafts.forget(cell)
      replica.cells.drop(cell)
    })
    return cell.id
  }

  insertAbove(cell: CellState): void {
    this.#of.selection().edit(this.insert(cell))
  }

  insertBelow(cell: CellState): void {
    const { shown, blank } = this.#of.replica.cells
    const next = shown[shown.indexOf(cell) + 1]
    // The empty prompt at the end serves as the inserted cell.
    this.#of.selection().edit(next && next === blank ? next.id : this.insert(next))
  }

  edit(edits: notebook.Edit[]): Promise<boolean> {
    return this.#do((call) => call.Edit(this.#path, edits, this.#of.origin))
  }

  remove(cell: CellState): Promise<boolean> {
    if (cell === this.#of.replica.cells.blank) return Promise.resolve(false)
    return this.edit([{ kind: 'delete', cell: cell.id }])
  }

  /** move moves the cell by a number of places up (negative) or down. */
  move(cell: CellState, by: 1 | -1): Promise<boolean> {
    const { all } = this.#of.replica.cells
    const i = all.indexOf(cell)
    const to = by < 0 ? i - 1 : i + 2
    if (i < 0 || to < 0 || to > all.length) return Promise.resolve(false)
    const edit: notebook.Edit = { kind: 'move', cell: cell.id, before: all[to]?.id ?? '' }
    return this.#do((call) => this.#step(call.Edit(this.#path, [edit], this.#of.origin), 'cell', cell.id))
  }

  /** mayMove reports whether a waiting prompt can move: not past the running one, nor past the end. */
  mayMove(cell: CellState, by: 1 | -1): boolean {
    const { all } = this.#of.replica.cells
    const next = all[all.indexOf(cell) + by]
    return next !== undefined && Boolean(next.live?.queued)
  }

  /** split cuts the prompt at a character; the second half keeps the answer. Returns the id of that half. */
  async split(cell: CellState, at: number): Promise<string | undefined> {
    const id = newID()
    const text = cell.text
    const done = await this.edit([
      { kind: 'split', cell: cell.id, id, text: text.slice(0, at).trimEnd(), rest: text.slice(at).trimStart(), ...cell.seen },
    ])
    return done ? id : undefined
  }

  /** splitAtCaret cuts the prompt at the caret, and continues in the second half. */
  async splitAtCaret(cell: CellState): Promise<void> {
    const id = await this.split(cell, this.#of.selection().caretAt)
    if (id) this.#of.selection().edit(id, 'start')
  }

  /** mark pins a cell, so that no summary covers it, or mutes it, so that models do not get it. */
  async mark(cell: CellState, mark: 'pinned' | 'muted', on: boolean): Promise<boolean> {
    if (cell === this.#of.replica.cells.blank) return false
    return this.#do((call) => call.MarkCell(this.#path, cell.id, mark, on))
  }

  /** muteResult leaves the result of a call out of requests, or sends it again. */
  muteResult(cell: CellState, call: string, on: boolean): Promise<boolean> {
    return this.#do((backend) => backend.MuteResult(this.#path, cell.id, call, on))
  }
  /** pinResult keeps the result of a call in requests in full, or unpins it. */
  pinResult(cell: CellState, call: string, on: boolean): Promise<boolean> {
    return this.#do((backend) => backend.PinResult(this.#path, cell.id, call, on))
  }

  clear(cell: CellState): Promise<boolean> {
    return this.edit([{ kind: 'clear', cell: cell.id }])
  }

  // The notebook.

  /* Only the backend knows whether there is something to undo: the event of the last edit may still be on its way. */
  undo(): Promise<boolean> {
    return this.#do((call) => this.#step(call.Undo(this.#path), 'glimpse').catch(unless(() => !this.#of.replica.doc.canUndo)))
  }
  /**
   * undoInPrompt continues where the undo of a prompt's editor ends: text that another window typed stays. It resolves once
   * the change is here, and returns whether it undid something.
   */
  async undoInPrompt(): Promise<boolean> {
    const { path, origin } = { path: this.#path, origin: this.#of.origin }
    let undone = false
    await this.#do((call) =>
      this.#step(call.UndoIn(path, origin), 'glimpse').then(
        (seq) => {
          undone = true
          return this.#of.replica.reached(seq)
        },
        unless(() => !this.#of.replica.doc.canUndo),
      ),
    )
    return undone
  }
  redo(): Promise<boolean> {
    return this.#do((call) => this.#redo(call))
  }
  /** redoInPrompt redoes the last step that was undone, and resolves once the change is here. */
  redoInPrompt(): Promise<boolean> {
    return this.#do((call) => this.#redo(call).then((seq) => this.#of.replica.reached(seq ?? 0)))
  }
  #redo(call: Calls): Promise<number | undefined> {
    return this.#step(call.Redo(this.#path), 'glimpse').catch(unless(() => !this.#of.replica.doc.canRedo))
  }

  /** forkBranch puts all cells below one aside as a branch, so that the next cell follows it. */
  async forkBranch(cell: CellState): Promise<boolean> {
    const all = this.#of.replica.cells.all
    const below = all[all.indexOf(cell) + 1]?.id
    const done = await this.edit([{ kind: 'fork', cell: cell.id }])
    // The answer may come before the event that takes the cells below away.
    if (done) this.#of.selection().editNextOf(cell.id, true, below)
    return done
  }
  /** forkNotebook makes a notebook that ends with the cell, and returns its path; "" if that failed. */
  async forkNotebook(cell: CellState): Promise<string> {
    let file = ''
    await this.#do(async (call) => {
      file = await call.ForkNotebook(this.#path, cell.id, '')
    })
    return file
  }
  /** bringBack restores the text that a prompt had until a time. */
  bringBack(cell: string, until: string): Promise<boolean> {
    return this.edit([{ kind: 'earlier', cell, text: until }])
  }
  /** replaceText replaces text in prompts, as one step; undefined if that failed. */
  async replaceText(what: documents.Replacement): Promise<documents.Replaced | undefined> {
    let done: documents.Replaced | undefined
    await this.#do(async (call) => {
      done = await call.ReplaceText(this.#path, what, this.#of.origin)
    })
    return done
  }
  restore(branch: string): Promise<boolean> {
    return this.edit([{ kind: 'restore', branch }])
  }
  dropBranch(branch: string): Promise<boolean> {
    return this.edit([{ kind: 'dropBranch', branch }])
  }
  /** setModel sets the notebook's model; null for the default. */
  setModel(model: { provider: string; model: string } | null): Promise<boolean> {
    return this.edit([{ kind: 'model', text: model?.provider ?? '', rest: model?.model ?? '' }])
  }

  resolveConflict(choice: documents.Choice): Promise<boolean> {
    return this.#do(async (call) => {
      await call.ResolveConflict(this.#path, choice)
      await this.#of.replica.load()
    })
  }

  /** Scrolls to the change of a call, and returns the number of its event. */
  async #step(edit: Promise<documents.EditResult>, part: Wanted['part'], cell?: string): Promise<number> {
    const { seq } = await edit
    this.#of.steps.asked(seq, part, cell)
    return seq
  }

  /** Makes a call that depends on typed text: drafts are sent first, and later calls follow both. */
  async #do(what: (call: Calls) => Promise<unknown>): Promise<boolean> {
    const { drafts, backend, notices } = this.#of
    try {
      const flushed = drafts.flush()
      await Promise.all([flushed, what(backend.after(flushed))])
      notices.dismiss()
      return true
    } catch (thrown) {
      notices.say(thrown)
      return false
    }
  }
}

/** Whether a cell is a prompt that can run now. */
const runs = (cell: CellState): boolean => cell.role === 'user' && !cell.live && cell.text.trim() !== ''

/** unless rethrows a failure, except that there was nothing to do. */
function unless(nothing: () => boolean): (thrown: unknown) => undefined {
  return (thrown) => {
    if (!nothing() || Fault.from(thrown).kind !== 'conflict') throw thrown
    return undefined
  }
}

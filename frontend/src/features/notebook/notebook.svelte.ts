import type { Backend, notebook } from '$lib/backend/backend'
import type { Fault } from '$lib/backend/fault'
import type { KeptPlaces } from '$lib/ui/readingPosition'
import type { ListMemory } from '$lib/ui/virtual'
import { BookViews, type BookView, type KeptSelections } from './bookView.svelte'
import type { CellState } from './cell.svelte'
import { Drafts } from './drafts.svelte'
import { Intents } from './intents'
import type { Status } from './loading.svelte'
import { Notices } from './notices.svelte'
import type { NotebookEvent } from './notebookEvent'
import { Replica } from './replica.svelte'
import type { KeptSelection, Selection } from './selection.svelte'
import { topOf } from './startPosition'
import { ScrollToChange } from './scrollToChange'

/**
 * NotebookState is one open notebook. For each open tab:
 *
 *     const state = new NotebookState(backend, path, clientId)
 *     await state.load()      // resolves with the number of the last event it holds; never rejects: see status and fault
 *     state.apply(event)      // what happens, in order; to other notebooks is ignored
 *     await state.load()      // again, when events were missed
 *     await state.flush()     // before the tab or the window closes: drafts go out
 *     state.dispose()
 *
 * and `<NotebookView {state} ... />` shows it. clientId names this window: it
 * is the origin of its own edits. The backend owns the notebook: its
 * replica follows the events, and the person's actions are intents. Only here
 * are drafts, the selection and folds.
 */
export class NotebookState {
  readonly backend: Backend
  readonly drafts: Drafts
  readonly intents: Intents
  readonly #views: BookViews
  readonly #replica: Replica
  readonly #notices = new Notices()
  #path = $state.raw('')
  #changes = $state.raw(0)
  #dropped = $state.raw<{ paths: string[]; x: number; y: number } | undefined>()

  constructor(backend: Backend, path: string, clientId: string, places?: KeptPlaces, selections?: KeptSelections) {
    this.backend = backend
    this.#path = path
    const pathNow = () => this.#path
    const steps = new ScrollToChange((cell, part) => this.selection.show(cell, part))
    const replica = new Replica(backend, pathNow, {
      opened: () => this.#views.opened(),
      keeps: (cell) => this.#keeps(cell),
      spliced: (seq, cells) => steps.spliced(seq, this.selection.nearest(cells)),
      dropped: (files) => (this.#dropped = files),
      meanwhile: (text) => this.#notices.meanwhile(text),
    })
    this.#replica = replica
    this.#views = new BookViews(
      {
        get uuid() {
          return replica.meta?.uuid
        },
        get shown() {
          return replica.cells.shown
        },
        cell: (id) => this.cell(id),
        reveal: (id) => this.reveal(id),
        top: () => topOf(this.shown),
        need: (ids) => replica.need(ids),
        rest: () => replica.rest(),
      },
      places,
      selections,
    )
    this.drafts = new Drafts(
      backend,
      pathNow,
      clientId,
      (id) => !replica.cells.has(id),
      (seq) => replica.edited(seq),
      () => void this.reload(),
    )
    this.intents = new Intents({
      backend,
      origin: clientId,
      replica,
      drafts: this.drafts,
      selection: () => this.selection,
      steps,
      notices: this.#notices,
    })
  }

  get path(): string {
    return this.#path
  }
  /** renamed notes that the file has another path: drafts, views and the text stay, and everything is asked and sent there. */
  renamed(to: string): void {
    this.#path = to
    // What the answer to an earlier request says may be about a file that took the old name.
    void this.load()
  }
  get status(): Status {
    return this.#replica.status
  }
  /** Why it could not be loaded. */
  get fault(): Fault | undefined {
    return this.#replica.fault
  }
  get meta(): notebook.MetaView | undefined {
    return this.#replica.meta
  }
  get doc(): notebook.DocState {
    return this.#replica.doc
  }
  /** The cells that the notebook has. */
  get cells(): readonly CellState[] {
    return this.#replica.cells.all
  }
  /** The cells to show: an empty prompt follows the last answer, and becomes a cell when the person types. */
  get shown(): readonly CellState[] {
    return this.#replica.cells.shown
  }
  /** The number of a cell in the gutter, from 1: a new one follows the last; 0 for a summary. */
  numberOf(id: string): number {
    const cell = this.cell(id)
    if (!cell || cell.compaction) return 0
    const { numbers } = this.#replica.cells
    return numbers.get(id) ?? numbers.size + 1
  }
  /** The summary that is sent instead of a cell. */
  summaryOf(id: string): CellState | undefined {
    return this.#replica.cells.summaryOf.get(id)
  }
  /** Whether the cells of a summary are shown. */
  isUnfolded(summary: string): boolean {
    return this.#replica.cells.unfolded.has(summary)
  }
  /** unfold shows the cells of a summary, scrolled to the first, or hides them. */
  unfold(summary: string, on: boolean): void {
    const { unfolded } = this.#replica.cells
    if (on) unfolded.add(summary)
    else unfolded.delete(summary)
    const first = on ? this.cell(summary)?.compaction?.covers.find((id) => this.cell(id)) : summary
    if (first) this.selection.show(first, on ? 'cell' : 'glimpse')
  }
  /** reveal shows a cell that a summary hides. */
  reveal(id: string): void {
    this.#replica.cells.reveal(id)
  }
  get problem(): notebook.Problem | undefined {
    return this.#replica.problem
  }
  /** The file changed on disk while there are changes here. */
  get conflict(): boolean {
    return this.#replica.conflict
  }
  /** The number of such conflicts. */
  get conflicts(): number {
    return this.#replica.conflicts
  }
  /** Why the last save failed; it is retried. */
  get saveFault(): Fault | undefined {
    return this.#replica.saveFault ?? this.drafts.fault
  }
  /** The file was deleted or moved, and the typed text is only here. */
  get missing(): boolean {
    return this.drafts.open && this.#replica.missing
  }
  /** Some typed text is not in the notebook yet. */
  get typing(): boolean {
    return this.drafts.open
  }
  get running(): boolean {
    return this.#replica.running
  }
  /** The failure of the person's last action. */
  get notice(): Fault | undefined {
    return this.#notices.shown
  }
  /** Files that were dropped on the window and not handled yet. */
  get dropped(): { paths: string[]; x: number; y: number } | undefined {
    return this.#dropped
  }

  cell(id: string): CellState | undefined {
    return this.#replica.cells.find(id)
  }
  /** Whether the cell is the empty prompt at the end, which is not in the notebook yet. */
  isBlank(cell: CellState): boolean {
    return cell === this.#replica.cells.blank
  }

  load(): Promise<number> {
    return this.#replica.load()
  }
  reload(): Promise<number> {
    return this.#replica.reload()
  }
  apply(e: NotebookEvent): void {
    if (!('path' in e.data) || e.data.path === this.path) this.#changes++
    this.#replica.apply(e)
  }
  /** The number of events of the notebook: when it changes, texts may have changed. */
  get changes(): number {
    return this.#changes
  }
  /** vanish notes that the file is gone from the folder while there is typed text here. */
  vanish(): void {
    this.#replica.vanish()
  }
  /** The person's selection in the active view, kept while another tab is shown. */
  get selection(): Selection {
    return this.#views.current.selection
  }
  /** What is selected in its views, to be kept while the page is loaded again. */
  get selected(): Record<string, KeptSelection> {
    return this.#views.selected
  }
  /** The scroll position of the active view. */
  get memory(): ListMemory {
    return this.#views.current.memory
  }
  /** A view of it, by the group of tabs that shows it. */
  view(id: number): BookView {
    return this.#views.of(id)
  }
  /** use sets the view that the person is in. */
  use(id: number): void {
    this.#views.use(id)
  }
  /** keepViews sets the groups of tabs that show it. */
  keepViews(ids: readonly number[]): void {
    this.#views.keep(ids)
  }
  /** need sets the cells near a view, the most urgent first. */
  need(ids: readonly string[], view = 0): void {
    this.#views.need(view, ids)
  }
  /** fetched fetches the body of a cell, in view or not, and returns whether it is loaded. */
  fetched(cell: CellState): Promise<boolean> {
    return this.#replica.fetched(cell)
  }
  /** fetchedAll fetches the bodies of cells, in view or not, and returns whether all are loaded. */
  fetchedAll(ids: readonly string[]): Promise<boolean> {
    return this.#replica.fetchedAll(ids)
  }
  /** rest notes that a view no longer shows it. */
  rest(view = 0): void {
    this.#views.rest(view)
  }

  /** Text typed while the cell was deleted elsewhere is kept in a new cell. */
  #keeps(cell: CellState): boolean {
    const typed = cell.unsaved && cell.text.trim() !== ''
    if (typed) this.drafts.anew(cell)
    else this.drafts.forget(cell)
    return typed
  }

  /** type sets the typed text of a prompt. undone: the editor's undo did it. */
  type(cell: CellState, text: string, undone = false): void {
    cell.type(text, undone)
    if (cell.dirty) this.drafts.typed(cell)
  }

  /** flush sends the drafts now; false if one did not arrive. */
  flush = async (): Promise<boolean> => {
    try {
      await this.drafts.flush()
      return true
    } catch {
      return false
    }
  }

  /** refer puts a reference to a file into the current prompt, or the one at the end. */
  refer(path: string): void {
    this.#dropped = { paths: [path], x: -1, y: -1 }
  }
  takeDropped(): void {
    this.#dropped = undefined
  }
  dismiss(): void {
    this.#notices.dismiss()
  }
  /** say shows a failure. */
  say(thrown: unknown): void {
    this.#notices.say(thrown)
  }

  /** dispose ends it after a last attempt to send drafts; it returns the texts that did not arrive and exist only here. */
  async dispose(): Promise<readonly string[]> {
    this.drafts.stop()
    this.#replica.stop()
    await this.flush()
    return this.drafts.unsaved
  }
}

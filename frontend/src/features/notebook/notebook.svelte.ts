import type { Backend, BackendEvent, Calls, notebook, workspace } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import { ListMemory } from '$lib/ui/virtual'
import { Bodies, joinDeltas } from './bodies'
import { CellState, idle } from './cell.svelte'
import { Cells, newID } from './cells.svelte'
import { Drafts } from './drafts.svelte'
import { Frame } from './frame'
import { Loading, type Status } from './loading.svelte'
import { Selection } from './selection.svelte'

/** What a notebook has spent before anything is known of it. */
const nothingSpent: notebook.Spent = { input: 0, cached: 0, output: 0, reasoning: 0, requests: 0, cost: '', unpriced: 0, counted: true, estimated: false, budget: 0, percent: 0 }

type Delta = Extract<BackendEvent, { type: 'delta' }>
/** What can happen to an open notebook. */
export type NotebookEvent = Extract<
  BackendEvent,
  { type: 'delta' | 'messagePut' | 'cellsSpliced' | 'notebookReloaded' | 'notebookSaved' | 'diskConflict' | 'runQueued' | 'runStarted' | 'runWaiting' | 'runFinished' | 'pathsDropped' }
>

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
 * comes back as the origin of its own edits. Events that arrive while it loads
 * are kept. The backend owns the notebook: intents are calls, truth comes back
 * as events. Here alone are drafts, the selection and what is folded.
 */
export class NotebookState {
  readonly path: string
  readonly backend: Backend
  readonly #origin: string
  #meta = $state.raw<notebook.MetaView | undefined>()
  #doc = $state.raw<notebook.DocState>({ canUndo: false, canRedo: false, dirty: false, branches: [], spent: nothingSpent })
  readonly #cells = new Cells()
  #problem = $state.raw<notebook.Problem | undefined>()
  #conflict = $state.raw(false)
  #conflicts = $state.raw(0)
  #saveFault = $state.raw<Fault | undefined>()
  #notice = $state.raw<Fault | undefined>()
  #dropped = $state.raw<{ paths: string[]; x: number; y: number } | undefined>()
  #seq = 0
  #deltas: Delta[] = []
  /** What is said as long as the notebook, or a part of it, does not load. */
  #passing: Fault | undefined
  #missing = $state.raw(false)
  readonly #loading = new Loading({
    fetch: () => this.backend.notebook(this.path),
    take: (view) => this.#take(view),
    apply: (e) => this.apply(e),
    say: (text) => this.#meanwhile(text),
  })
  readonly #frame = new Frame(() => this.#applyDeltas())
  readonly #bodies: Bodies
  readonly drafts: Drafts
  /** Where the person is, and how far it is scrolled: kept while another tab is shown. */
  readonly selection = new Selection(this)
  readonly memory = new ListMemory()

  constructor(backend: Backend, path: string, clientId: string) {
    this.backend = backend
    this.path = path
    this.#origin = clientId
    this.#bodies = new Bodies(backend, path, (id) => this.#cells.get(id), (e) => this.#applyToBody(e), (thrown) => this.#meanwhile(thrown === undefined ? undefined : `Could not load some cells: ${Fault.from(thrown).message} They are asked for again.`))
    this.drafts = new Drafts(backend, path, clientId, (id) => !this.#cells.has(id), (seq) => this.#arrived(seq), () => void this.reload())
  }

  get status(): Status { return this.#loading.status }
  /** Why it could not be loaded. */
  get fault(): Fault | undefined { return this.#loading.fault }
  get meta(): notebook.MetaView | undefined { return this.#meta }
  get doc(): notebook.DocState { return this.#doc }
  /** The cells that the notebook has. */
  get cells(): readonly CellState[] { return this.#cells.all }
  /** The cells to show: behind the last answer stands an empty prompt, which becomes a cell when something is typed. */
  get shown(): readonly CellState[] { return this.#cells.shown }
  get problem(): notebook.Problem | undefined { return this.#problem }
  /** The file on disk is another one, and there are changes here. */
  get conflict(): boolean { return this.#conflict }
  /** Counts what was told of such changes. */
  get conflicts(): number { return this.#conflicts }
  /** Why the last save failed; what was to be saved is kept and tried again. */
  get saveFault(): Fault | undefined { return this.#saveFault ?? this.drafts.fault }
  /** The file was deleted or moved, and what was typed is only here. */
  get missing(): boolean { return this.drafts.open && (this.#missing || this.fault?.kind === 'notFound') }
  /** Something typed is not in the notebook yet. */
  get typing(): boolean { return this.drafts.open }
  /** What went wrong with the last thing the person asked for. */
  get notice(): Fault | undefined { return this.#notice }
  /** Files that were dropped on the window and are not taken yet. */
  get dropped(): { paths: string[]; x: number; y: number } | undefined { return this.#dropped }
  readonly running: boolean = $derived.by(() => this.#cells.all.some((c) => c.live))

  cell(id: string): CellState | undefined { return this.#cells.find(id) }

  /** Whether the cell is the empty prompt at the end, which the notebook does not have yet. */
  isBlank(cell: CellState): boolean {
    return cell === this.#cells.blank
  }

  // Loading.

  /** load fetches the notebook; what is typed and drawn stays. See Loading. */
  async load(): Promise<number> {
    await this.#loading.load()
    return this.#seq
  }
  /** reload loads it after events were missed. */
  async reload(): Promise<number> {
    await this.#loading.reload()
    return this.#seq
  }

  /** vanish says that the file is gone from the folder while something is typed here. */
  vanish(): void { this.#missing = true }

  #take(view: notebook.View): void {
    this.#frame.cancel()
    this.#deltas = []
    this.#seq = view.seq
    this.#meta = view.meta
    this.#doc = view.state
    this.#problem = view.problem
    this.#conflict = view.conflict
    this.#missing = false
    this.#setCells((view.cells ?? []).map((c) => this.#cellOf(c, view.seq)))
    for (const c of this.#cells.all) c.cancelRun()
    for (const r of view.running ?? []) {
      this.#cells.get(r.cell)?.startRun({ ...idle, runId: r.runId, atMs: r.atMs, queued: r.queued, soon: r.now, waitUntilMs: r.waitUntilMs ?? 0, waitReason: r.waitReason ?? '' })
    }
  }

  #cellOf(view: notebook.CellView, seq: number): CellState {
    const cell = this.cell(view.id) ?? new CellState(view.id, view.role)
    cell.put(view, seq)
    return cell
  }

  #setCells(cells: CellState[]): void {
    for (const cell of this.#cells.take(cells)) {
      // Typed here while the cell was deleted elsewhere: it stays, as a cell that is made anew.
      if (cell.unsaved && cell.text.trim() !== '') {
        this.#cells.add(cell)
        this.drafts.anew(cell)
      } else this.drafts.forget(cell)
    }
  }

  /** need says which cells are near the view, the most urgent first. */
  need(ids: readonly string[]): void {
    this.#bodies.need(ids)
    this.#bodies.trim(new Set(ids))
  }
  /** fetched fetches the body of a cell, in view or not, and says whether it is there. */
  fetched(cell: CellState): Promise<boolean> { return this.#bodies.want(cell.id) }
  /** rest says that no view shows it any more. */
  rest(): void { this.#bodies.rest() }

  // Events.

  apply(e: NotebookEvent): void {
    if (this.#loading.holds(e) || e.seq <= this.#seq) return
    this.#seq = e.seq
    if ('path' in e.data && e.data.path !== this.path) return
    if (e.type !== 'delta') this.#frame.now()
    switch (e.type) {
      case 'delta':
        this.#deltas.push(e)
        this.#frame.ask()
        return
      case 'messagePut':
        this.#applyToBody(e)
        return
      case 'cellsSpliced': {
        const d = e.data
        if (d.at + d.remove > this.#cells.all.length) {
          void this.reload()
          return
        }
        const made = (d.cells ?? []).map((c) => this.#cellOf(c, e.seq))
        const cells = this.#cells.all.slice()
        cells.splice(d.at, d.remove, ...made)
        // Most splices are a cell that changed: the list stays as it is.
        if (cells.length !== this.#cells.all.length || made.some((c, i) => c !== this.#cells.all[d.at + i])) this.#setCells(cells)
        this.#doc = d.state
        this.#meta = d.meta
        return
      }
      case 'notebookReloaded':
        void this.reload()
        return
      case 'notebookSaved':
        this.#saveFault = e.data.fault ? Fault.of(e.data.fault) : undefined
        if (!e.data.fault && this.#doc.dirty) this.#doc = { ...this.#doc, dirty: false }
        return
      case 'diskConflict':
        this.#conflict = true
        this.#conflicts++
        return
      case 'runQueued':
        this.#cells.get(e.data.cell)?.queueRun(e.data.runId, Date.now(), e.data.now)
        return
      case 'runStarted': {
        const d = e.data
        this.#cells.get(d.cell)?.startRun({ ...idle, runId: d.runId, atMs: d.atMs, model: d.model })
        return
      }
      case 'runWaiting':
        this.#cells.get(e.data.cell)?.wait(e.data.untilMs, e.data.reason, e.data.attempt)
        return
      case 'runFinished':
        this.#cells.get(e.data.cell)?.finishRun(e.data, Date.now())
        return
      case 'pathsDropped':
        this.#dropped = e.data
        return
      default:
        e satisfies never
    }
  }

  #applyDeltas(): void {
    const deltas = this.#deltas
    this.#deltas = []
    const counts = (e: Delta) => {
      const cell = this.#cells.get(e.data.cell)
      return cell !== undefined && !this.#bodies.holds(e) && !cell.holds(e.seq)
    }
    for (const e of joinDeltas(deltas.filter(counts))) this.#applyToBody(e)
  }

  #applyToBody(e: Extract<BackendEvent, { type: 'delta' | 'messagePut' }>): void {
    const cell = this.#cells.get(e.data.cell)
    if (!cell || (e.type === 'messagePut' && this.#bodies.holds(e)) || cell.holds(e.seq)) return
    if (!cell.reaches(e.data.index)) {
      // Something before it was missed: the whole is loaded again rather than guessed.
      void this.reload()
      return
    }
    this.#bodies.skip(cell)
    if (e.type === 'delta') cell.addDelta(e.data)
    else cell.putMessage(e.data.index, e.data.message)
  }

  // What the person does.

  /** type takes the text of a prompt as it is typed. */
  type(cell: CellState, text: string): void {
    cell.type(text)
    if (cell.dirty) this.drafts.typed(cell)
  }

  /** A draft is in the notebook as of event seq: it is not on the disk yet, also before that event comes. */
  #arrived(seq: number): void {
    if (seq > this.#seq && !this.#doc.dirty) this.#doc = { ...this.#doc, dirty: true }
  }

  /** flush sends what is typed now; false when it did not arrive. */
  flush = async (): Promise<boolean> => {
    try {
      await this.drafts.flush()
      return true
    } catch {
      return false
    }
  }

  /** run runs a prompt. It is shown as running at once. */
  async run(cell: CellState, mode: workspace.RunMode): Promise<boolean> {
    if (cell.live || cell.text.trim() === '') return false
    if (this.isBlank(cell)) this.#cells.begin()
    cell.expectRun(Date.now())
    const done = await this.#do((call) => call.Run(this.path, cell.id, mode))
    if (!done) cell.abandonRun()
    return done
  }
  /** resume goes on with the answer that the end of the program interrupted. */
  resume(): Promise<boolean> { return this.#do((call) => call.Resume(this.path)) }
  continue(cell: CellState): Promise<boolean> { return this.#do((call) => call.Continue(this.path, cell.id)) }
  /** unqueue takes a prompt that waits for its turn out of the queue. */
  unqueue(cell: CellState): Promise<boolean> { return this.#do((call) => call.Unqueue(this.path, cell.id)) }
  /** sendNow gives a prompt that waits to the running agent at its next step. */
  async sendNow(cell: CellState): Promise<boolean> {
    const done = await this.#do((call) => call.SendNow(this.path, cell.id))
    if (done) cell.hurry()
    return done
  }
  retryNow(): Promise<boolean> { return this.#do((call) => call.RetryNow(this.path)) }
  /* Whether there is something to undo only the backend knows: the event of the last edit may still be on its way. */
  undo(): Promise<boolean> { return this.#do((call) => call.Undo(this.path).catch(unless(() => !this.#doc.canUndo))) }
  redo(): Promise<boolean> { return this.#do((call) => call.Redo(this.path).catch(unless(() => !this.#doc.canRedo))) }

  /** insert puts an empty prompt before the cell, or at the end, and gives its id. It is there at once. */
  insert(before: CellState | undefined): string {
    const cell = new CellState(newID())
    const at = before && !this.isBlank(before) ? before.id : ''
    this.#cells.add(cell, at)
    this.drafts.made(cell.id)
    // Sent before anything typed into it can be: the backend keeps the order of edits.
    void this.flush()
    const edit: notebook.Edit = { kind: 'insert', id: cell.id, text: '', ...(at ? { before: at } : {}) }
    this.backend.call.Edit(this.path, [edit], this.#origin).catch((thrown: unknown) => {
      this.say(thrown)
      // What was typed into it meanwhile makes it anew.
      if (cell.text.trim() !== '') return this.drafts.anew(cell)
      this.drafts.forget(cell)
      this.#cells.drop(cell)
    })
    return cell.id
  }

  edit(edits: notebook.Edit[]): Promise<boolean> {
    return this.#do((call) => call.Edit(this.path, edits, this.#origin))
  }

  remove(cell: CellState): Promise<boolean> {
    if (this.isBlank(cell)) return Promise.resolve(false)
    return this.edit([{ kind: 'delete', cell: cell.id }])
  }

  /** move puts the cell by places up (negative) or down. */
  move(cell: CellState, by: 1 | -1): Promise<boolean> {
    const i = this.#cells.all.indexOf(cell)
    const to = by < 0 ? i - 1 : i + 2
    if (i < 0 || to < 0 || to > this.#cells.all.length) return Promise.resolve(false)
    return this.edit([{ kind: 'move', cell: cell.id, before: this.#cells.all[to]?.id ?? '' }])
  }

  /** mayMove says whether a prompt that waits changes its turn by a move: not past the one that runs, nor below the end. */
  mayMove(cell: CellState, by: 1 | -1): boolean {
    const next = this.#cells.all[this.#cells.all.indexOf(cell) + by]
    return next !== undefined && Boolean(next.live?.queued)
  }

  /** split cuts the prompt at a character; the second half keeps the answer. */
  async split(cell: CellState, at: number): Promise<string | undefined> {
    const id = newID()
    const text = cell.text
    const done = await this.edit([{ kind: 'split', cell: cell.id, id, text: text.slice(0, at).trimEnd(), rest: text.slice(at).trimStart() }])
    return done ? id : undefined
  }

  clear(cell: CellState): Promise<boolean> { return this.edit([{ kind: 'clear', cell: cell.id }]) }
  restore(branch: string): Promise<boolean> { return this.edit([{ kind: 'restore', branch }]) }
  dropBranch(branch: string): Promise<boolean> { return this.edit([{ kind: 'dropBranch', branch }]) }

  resolveConflict(choice: workspace.Choice): Promise<boolean> {
    return this.#do(async (call) => {
      await call.ResolveConflict(this.path, choice)
      await this.load()
    })
  }

  /** refer puts a reference to a file into the prompt that the person is at, or the one at the end. */
  refer(path: string): void { this.#dropped = { paths: [path], x: -1, y: -1 } }
  takeDropped(): void { this.#dropped = undefined }
  dismiss(): void { this.#notice = undefined }

  /** dispose ends it, and sends what is typed once more; it gives the texts that did not arrive and are nowhere else. */
  async dispose(): Promise<readonly string[]> {
    this.#loading.stop()
    this.drafts.stop()
    this.#bodies.stop()
    this.#frame.cancel()
    await this.flush()
    return this.drafts.unsaved
  }

  /** Does something that builds on what is typed: drafts go first, and what is asked for later goes behind both. */
  async #do(what: (call: Calls) => Promise<unknown>): Promise<boolean> {
    try {
      const flushed = this.drafts.flush()
      await Promise.all([flushed, what(this.backend.after(flushed))])
      this.#notice = undefined
      return true
    } catch (thrown) {
      this.say(thrown)
      return false
    }
  }

  /** meanwhile says what went wrong as long as it does; undefined: it works again. */
  #meanwhile(text: string | undefined): void {
    if (this.#notice && this.#notice === this.#passing) this.#notice = undefined
    this.#passing = text === undefined ? undefined : new Fault('internal', text)
    if (this.#passing) this.#notice = this.#passing
  }

  /** say shows what went wrong. */
  say(thrown: unknown): void {
    const fault = Fault.from(thrown)
    if (fault.kind !== 'canceled') this.#notice = fault
  }
}

/** unless passes a failure on, but not that there was nothing to do. */
function unless(nothing: () => boolean): (thrown: unknown) => void {
  return (thrown) => {
    if (!nothing() || Fault.from(thrown).kind !== 'conflict') throw thrown
  }
}

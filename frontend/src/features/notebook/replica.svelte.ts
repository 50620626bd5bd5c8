import type { Backend, BackendEvent, notebook } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import { Bodies, joinDeltas } from './bodies'
import { CellState, idle } from './cell.svelte'
import { Cells } from './cells.svelte'
import { Frame } from '$lib/ui/frame'
import { Loading, type Status } from './loading.svelte'
import type { NotebookEvent } from './notebookEvent'
import { t } from '$lib/language/language'

/** The spending of a notebook before it is loaded. */
export const nothingSpent: notebook.Spent = {
  input: 0,
  cached: 0,
  output: 0,
  reasoning: 0,
  requests: 0,
  cost: '',
  unpriced: 0,
  counted: true,
  estimated: false,
  budget: 0,
  percent: 0,
}

type Delta = Extract<BackendEvent, { type: 'delta' }>
/** The callbacks of a replica. */
export interface ReplicaHost {
  /** The notebook was loaded for the first time. */
  opened(meta: notebook.MetaView): void
  /** The notebook no longer has a cell. True: it is still shown, because there is typed text in it. */
  keeps(cell: CellState): boolean
  /** An event changed these cells; those that it removed are told by the one that took their place. */
  spliced(seq: number, cells: readonly string[]): void
  /** Files were dropped on the window. */
  dropped(files: { paths: string[]; x: number; y: number }): void
  /** Shows a lasting failure; undefined clears it. */
  meanwhile(text: string | undefined): void
}

/**
 * Replica is a copy of the backend's notebook: loaded once, updated by events, and reloaded if
 * events were missed. It sends nothing.
 */
export class Replica {
  readonly cells = new Cells()
  readonly #host: ReplicaHost
  readonly #path: () => string
  #meta = $state.raw<notebook.MetaView | undefined>()
  #doc = $state.raw<notebook.DocState>({ canUndo: false, canRedo: false, dirty: false, branches: [], spent: nothingSpent })
  #problem = $state.raw<notebook.Problem | undefined>()
  #conflict = $state.raw(false)
  #conflicts = $state.raw(0)
  #saveFault = $state.raw<Fault | undefined>()
  #missing = $state.raw(false)
  #seq = 0
  /** What waits for events. */
  #awaited: { seq: number; come: () => void }[] = []
  #deltas: Delta[] = []
  readonly #loading: Loading
  readonly #frame = new Frame(() => this.#applyDeltas())
  readonly #bodies: Bodies

  /** path returns the path of the file, which may be renamed. */
  constructor(backend: Pick<Backend, 'notebook' | 'cells'>, path: () => string, host: ReplicaHost) {
    this.#path = path
    this.#host = host
    this.#loading = new Loading({
      fetch: () => backend.notebook(path()),
      take: (view) => this.#take(view),
      apply: (e) => this.#next(e),
      say: (text) => host.meanwhile(text),
    })
    this.#bodies = new Bodies(
      backend,
      path,
      (id) => this.cells.get(id),
      (e) => this.#applyToBody(e),
      (thrown) =>
        host.meanwhile(thrown === undefined ? undefined : t`Could not load some cells: ${Fault.from(thrown).message} Mutsumi tries again.`),
    )
  }

  get path(): string {
    return this.#path()
  }
  get status(): Status {
    return this.#loading.status
  }
  /** Why it could not be loaded. */
  get fault(): Fault | undefined {
    return this.#loading.fault
  }
  get meta(): notebook.MetaView | undefined {
    return this.#meta
  }
  get doc(): notebook.DocState {
    return this.#doc
  }
  get problem(): notebook.Problem | undefined {
    return this.#problem
  }
  /** The file changed on disk while there are changes here. */
  get conflict(): boolean {
    return this.#conflict
  }
  /** The number of such conflicts. */
  get conflicts(): number {
    return this.#conflicts
  }
  /** Why the last save failed; it is retried. */
  get saveFault(): Fault | undefined {
    return this.#saveFault
  }
  /** The file was deleted or moved. */
  get missing(): boolean {
    return this.#missing || this.fault?.kind === 'notFound'
  }
  readonly running: boolean = $derived.by(() => this.cells.all.some((c) => c.live))

  // Loading.

  /** load loads the notebook; drafts and drawn text stay. Returns the number of the last event it contains. See Loading. */
  async load(): Promise<number> {
    await this.#loading.load()
    return this.#seq
  }
  /** reload reloads it after events were missed. */
  async reload(): Promise<number> {
    await this.#loading.reload()
    return this.#seq
  }

  /** reached resolves once the notebook here contains event seq, or is stopped. */
  reached(seq: number): Promise<void> {
    if (seq <= this.#seq) return Promise.resolve()
    return new Promise((come) => this.#awaited.push({ seq, come }))
  }
  #come(until = this.#seq): void {
    if (this.#awaited.length === 0) return
    for (const { seq, come } of this.#awaited) if (seq <= until) come()
    this.#awaited = this.#awaited.filter((a) => a.seq > until)
  }

  /** vanish notes that the file is gone from the folder. */
  vanish(): void {
    this.#missing = true
  }

  /** edited notes that an edit is in the notebook as of event seq: even before that event arrives, the notebook is not saved. */
  edited(seq: number): void {
    if (seq > this.#seq && !this.#doc.dirty) this.#doc = { ...this.#doc, dirty: true }
  }

  #take(view: notebook.View): void {
    this.#frame.cancel()
    this.#deltas = []
    this.#seq = view.seq
    this.#come()
    const first = !this.#meta && view.meta
    this.#meta = view.meta
    this.#doc = view.state
    this.#problem = view.problem
    this.#conflict = view.conflict
    this.#missing = false
    this.#setCells((view.cells ?? []).map((c) => this.#cellOf(c, view.seq)))
    if (first) this.#host.opened(view.meta)
    for (const c of this.cells.all) c.cancelRun()
    for (const r of view.running ?? []) {
      this.cells.get(r.cell)?.startRun({
        ...idle,
        runId: r.runId,
        atMs: r.atMs,
        queued: r.queued,
        soon: r.now,
        waitUntilMs: r.waitUntilMs ?? 0,
        waitReason: r.waitReason ?? '',
      })
    }
  }

  #cellOf(view: notebook.CellView, seq: number, typed = false): CellState {
    const cell = this.cells.find(view.id) ?? new CellState(view.id, view.role)
    cell.put(view, seq, typed)
    return cell
  }

  #setCells(cells: CellState[]): void {
    for (const cell of this.cells.take(cells)) if (this.#host.keeps(cell)) this.cells.add(cell)
  }

  /** need sets the cells near the view, the most urgent first. */
  need(ids: readonly string[]): void {
    this.#bodies.need(ids)
    this.#bodies.trim(new Set(ids))
  }
  /** fetched fetches the body of a cell, in view or not, and returns whether it is loaded. */
  fetched(cell: CellState): Promise<boolean> {
    return this.#bodies.want(cell.id)
  }
  /** fetchedAll fetches the bodies of cells, in view or not, and returns whether all are loaded. */
  fetchedAll(ids: readonly string[]): Promise<boolean> {
    return this.#bodies.wantAll(ids)
  }
  /** rest notes that no view shows it any longer. */
  rest(): void {
    this.#bodies.rest()
  }

  stop(): void {
    this.#come(Infinity)
    this.#loading.stop()
    this.#bodies.stop()
    this.#frame.cancel()
  }

  // Events.

  /** apply takes an event, in order; during a load the event waits. Those of other notebooks are ignored. */
  apply(e: NotebookEvent): void {
    // At once: the file may be renamed while the event waits.
    if (!('path' in e.data) || e.data.path === this.path) this.#next(e)
  }

  #next(e: NotebookEvent): void {
    if (this.#loading.holds(e) || e.seq <= this.#seq) return
    this.#seq = e.seq
    this.#come()
    // Other events, such as those of typed text, leave it to its frame.
    if (e.type !== 'delta' && this.#outruns(e)) this.#frame.now()
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
        if (d.at + d.remove > this.cells.all.length) {
          void this.reload()
          return
        }
        const views = d.cells ?? []
        const changed = views.filter((c) => this.cells.get(c.id)?.rev !== c.rev).map((c) => c.id)
        const made = views.map((c) => this.#cellOf(c, e.seq, d.typed))
        const cells = this.cells.all.slice()
        cells.splice(d.at, d.remove, ...made)
        // Most splices change one cell: the list stays as it is.
        if (cells.length !== this.cells.all.length || made.some((c, i) => c !== this.cells.all[d.at + i])) this.#setCells(cells)
        this.#doc = d.state
        this.#meta = d.meta
        const place = cells[d.at] ?? cells.at(-1)
        this.#host.spliced(e.seq, changed.length > 0 || !place ? changed : [place.id])
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
        this.cells.get(e.data.cell)?.queueRun(e.data.runId, Date.now(), e.data.now)
        return
      case 'runStarted': {
        const d = e.data
        this.cells.get(d.cell)?.startRun({ ...idle, runId: d.runId, atMs: d.atMs, model: d.model })
        return
      }
      case 'runWaiting':
        this.cells.get(e.data.cell)?.wait(e.data.untilMs, e.data.reason, e.data.attempt)
        return
      case 'runFinished':
        this.cells.get(e.data.cell)?.finishRun(e.data, Date.now())
        return
      case 'callProgress':
        this.cells.get(e.data.cell)?.progressed(e.data)
        return
      case 'pathsDropped':
        this.#host.dropped(e.data)
        return
      default:
        e satisfies never
    }
  }

  /** Whether an event changes a cell whose streamed text waits for its frame: that text must be applied before it. */
  #outruns(e: NotebookEvent): boolean {
    const waiting = new Set(this.#deltas.map((d) => d.data.cell))
    if (waiting.size === 0) return false
    if (e.type !== 'cellsSpliced') return 'cell' in e.data && waiting.has(e.data.cell)
    const { at, remove, cells } = e.data
    return [...this.cells.all.slice(at, at + remove), ...(cells ?? [])].some((c) => waiting.has(c.id))
  }

  #applyDeltas(): void {
    const deltas = this.#deltas
    this.#deltas = []
    const counts = (e: Delta) => {
      const cell = this.cells.get(e.data.cell)
      return cell !== undefined && !this.#bodies.holds(e) && !cell.holds(e.seq)
    }
    for (const e of joinDeltas(deltas.filter(counts))) this.#applyToBody(e)
  }

  #applyToBody(e: Extract<BackendEvent, { type: 'delta' | 'messagePut' }>): void {
    const cell = this.cells.get(e.data.cell)
    if (!cell || (e.type === 'messagePut' && this.#bodies.holds(e)) || cell.holds(e.seq)) return
    if (!cell.reaches(e.data.index)) {
      // An earlier event was missed: reload everything rather than guess.
      void this.reload()
      return
    }
    this.#bodies.skip(cell)
    if (e.type === 'delta') cell.addDelta(e.data)
    else cell.putMessage(e.data.index, e.data.message)
  }
}

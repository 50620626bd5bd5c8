import { Backend, Fault, type BackendEvent, type Connection, type settings, type workspace } from '$lib/backend/backend'
import { EventStream } from '$lib/backend/events'
import { wait } from '$lib/backend/wait'
import { Clock } from '$lib/clock/clock.svelte'
import { Toasts } from '$lib/ui/toasts.svelte'
import { visible } from '$lib/ui/visible'
import { AgentsState } from './features/agents/agents.svelte'
import { InterruptedState } from './features/agents/interrupted.svelte'
import { StopState } from './features/agents/stop.svelte'
import { ApprovalsState } from './features/approvals/approvals.svelte'
import { RulesState } from './features/approvals/rules.svelte'
import { ChangesState, type ChangesHost } from './features/changes/changes.svelte'
import { LeftTreesState } from './features/changes/leftTrees.svelte'
import { OwnTreeState } from './features/changes/ownTree.svelte'
import { RestoreState } from './features/changes/restore.svelte'
import { ContextState } from './features/context/context.svelte'
import { DeckState } from './features/deck/deck.svelte'
import { FoldersState } from './features/folders/folders.svelte'
import { FilesState } from './features/files/files.svelte'
import { HandsState } from './features/hands/hands.svelte'
import type { NotebookState } from './features/notebook/notebook.svelte'
import { KindsState } from './features/kinds/kinds.svelte'
import type { Choice } from './features/models/choice'
import { PreviewState } from './features/preview/preview.svelte'
import { SettingsState } from './features/settings/settings.svelte'
import { TabsState } from './features/tabs/tabs.svelte'
import { TasksState } from './features/tasks/tasks.svelte'
import { TrustState } from './features/trust/trust.svelte'
import { deckOf, deckTab } from './shell/deckTab'
import { LayoutState } from './shell/layout.svelte'
import { Look } from './shell/look'
import { OpenBooks } from './shell/openBooks'
import { PausedState } from './shell/paused.svelte'
import { Rescue } from './shell/rescue'

const scanAskedAfterMs = 300

/** Says that a failure was met while doing what a person asked for. */
type Failed = (title: string, fault: Fault) => void

/**
 * AppState is the whole of the interface's state: it builds the state of each
 * feature, loads them from a snapshot, hands every event to the one it
 * concerns, and carries out what goes across features.
 */
export class AppState {
  readonly backend: Backend
  readonly toasts = new Toasts()
  readonly clock = new Clock()
  readonly agents: AgentsState
  readonly stopping: StopState
  readonly interrupted: InterruptedState
  readonly settings: SettingsState
  readonly tabs: TabsState
  readonly layout: LayoutState
  readonly context: ContextState
  readonly preview: PreviewState
  readonly deck: DeckState
  readonly files: FilesState
  readonly trust: TrustState
  readonly approvals: ApprovalsState
  readonly rules: RulesState
  readonly paused: PausedState
  readonly changesHost: ChangesHost
  readonly changes: ChangesState
  readonly ownTree: OwnTreeState
  readonly leftTrees: LeftTreesState
  readonly restore: RestoreState
  readonly rescue: Rescue
  readonly tasks: TasksState
  readonly kinds: KindsState
  readonly folders: FoldersState
  readonly hands: HandsState
  /** What is looked at again when events say that it may be another now. */
  readonly #followers: readonly { apply(e: BackendEvent): void; stop(): void }[]
  readonly #notebooks: OpenBooks
  readonly #look = new Look(() => this.#keepLook())
  readonly #stream: EventStream
  #snapshot = $state.raw<workspace.Snapshot>()
  #connection = $state.raw<Connection>({ state: 'connecting' })
  #window: settings.WindowState = { width: 0, height: 0, maximised: false }
  #front: boolean | undefined
  readonly #stopped = new AbortController()

  constructor(backend = new Backend()) {
    this.backend = backend
    this.#notebooks = new OpenBooks(backend, (path, texts) => this.rescue.lost(path, texts))
    this.rescue = new Rescue(backend, {
      books: () => this.#notebooks,
      toasts: this.toasts,
      nameOf: (path) => this.nameOf(path),
      copy: (text) => this.copy(text),
      replace: (path, by) => (this.tabs.open(by), this.tabs.close(path)),
    })
    const failed: Failed = (title, fault) => this.failed(title, fault)
    this.layout = new LayoutState(this.#look.changed)
    this.tabs = new TabsState(() => this.#tabsChanged())
    this.settings = new SettingsState(backend, failed)
    this.agents = new AgentsState(backend, {
      open: (file) => this.tabs.open(file),
      gone: (file) => this.#gone(file),
      refer: (file) => this.refer(file),
      failed,
      changed: this.#look.changed,
    })
    this.stopping = new StopState(backend, this.agents, failed)
    this.interrupted = new InterruptedState(backend, this.agents, failed)
    this.context = new ContextState(backend, failed)
    this.preview = new PreviewState(backend)
    this.deck = new DeckState(backend)
    this.files = new FilesState(backend, failed)
    this.trust = new TrustState(backend, failed)
    this.kinds = new KindsState(backend, failed)
    this.hands = new HandsState(backend)
    this.folders = new FoldersState(backend, failed)
    this.approvals = new ApprovalsState(backend, {
      failed,
      kinds: () => this.kinds.list,
      providers: () => this.settings.view?.providers ?? [],
      kindOf: (path) => this.agents.node(path)?.kind ?? this.#notebooks.get(path)?.meta?.agentType ?? '',
    })
    this.rules = new RulesState(backend, failed)
    this.paused = new PausedState(backend, failed)
    this.changesHost = { done: (title, detail, undo) => this.toasts.done(title, detail, { label: 'Undo', run: undo }), failed }
    this.changes = new ChangesState(backend, this.changesHost)
    this.ownTree = new OwnTreeState(backend, this.changesHost)
    this.leftTrees = new LeftTreesState(backend, { open: (path) => this.tabs.open(path), failed })
    this.restore = new RestoreState(backend, {
      flush: async (path) => (await this.#notebooks.get(path)?.flush()) ?? true,
      done: (title, detail, undo) => this.toasts.done(title, detail, undo && { label: 'Undo', run: undo }),
      failed,
    })
    this.tasks = new TasksState(backend, failed)
    this.#followers = [this.context, this.preview, this.deck, this.changes, this.ownTree, this.leftTrees, this.hands]
    this.#stream = new EventStream({
      load: () => this.#load(),
      onEvent: (e) => this.apply(e),
      onConnection: (c) => (this.#connection = c),
      window: backend.window,
    })
  }

  /** What was loaded last; undefined until the first time. */
  get snapshot(): workspace.Snapshot | undefined {
    return this.#snapshot
  }
  get connection(): Connection {
    return this.#connection
  }
  /** The notebook on view. */
  get active(): NotebookState | undefined {
    return this.#notebooks.get(this.tabs.active)
  }
  notebook(path: string): NotebookState | undefined {
    return this.#notebooks.get(path)
  }

  /** Loads everything and follows what happens, until stop. */
  start(): void {
    void this.#stream.follow()
  }
  retryNow(): void {
    this.#stream.retryNow()
  }
  stop(): void {
    this.#stopped.abort()
    this.#stream.stop()
    this.clock.stop()
    this.settings.stop()
    for (const follower of this.#followers) follower.stop()
    this.approvals.stop()
    this.tasks.close()
    this.#notebooks.dispose()
    void this.saveUI()
  }

  async #load(): Promise<number> {
    const snapshot = await this.backend.call.Snapshot()
    const again = this.#look.known
    this.#look.known = false
    this.#snapshot = snapshot
    this.settings.load(snapshot.settings)
    this.trust.load(snapshot.trust, snapshot.scanning)
    this.kinds.load(snapshot.kinds)
    this.folders.load(snapshot)
    this.approvals.load(snapshot.approvals)
    this.paused.load(snapshot.paused)
    this.rules.changed()
    this.changes.refresh()
    this.ownTree.refresh()
    this.leftTrees.refresh()
    this.hands.refresh()
    void this.tasks.load()
    this.agents.load(snapshot.nodes, again ? undefined : snapshot.ui)
    // A program that was started anew does not know it.
    if (this.#front !== undefined) this.setFront(this.#front)
    if (again) {
      // Events were missed.
      this.settings.missed()
      await this.#notebooks.load()
      this.context.retry()
      this.preview.retry()
      this.deck.retry()
    } else {
      this.#window = snapshot.ui.window
      this.layout.load(snapshot.ui)
      // A folder that is not looked through yet cannot say which files are gone.
      this.tabs.load(
        (snapshot.ui.tabs ?? []).filter((tab) => snapshot.scanning || this.agents.node(deckOf(tab) ?? tab)),
        snapshot.ui.active,
      )
    }
    this.#look.known = true
    if (snapshot.scanning) void this.#untilScanned()
    return snapshot.seq
  }

  /** Learns when the folder has been looked through; the agents themselves come as events. */
  async #untilScanned(): Promise<void> {
    try {
      while (!this.#stopped.signal.aborted && this.#snapshot?.scanning) {
        await wait(scanAskedAfterMs, this.#stopped.signal)
        const { scanning, trust } = await this.backend.call.Snapshot()
        if (scanning || !this.#snapshot) continue
        this.#snapshot = { ...this.#snapshot, scanning }
        this.trust.load(trust, scanning)
      }
    } catch {
      // The stream notices as well, and loads again.
    }
  }

  /** Hands an event to the state it concerns. */
  apply(e: BackendEvent): void {
    for (const follower of this.#followers) follower.apply(e)
    switch (e.type) {
      case 'treeChanged':
        this.agents.apply(e.data)
        return
      case 'settingsChanged':
        void this.settings.reload()
        return
      case 'connectionTested':
        this.settings.apply(e.data)
        return
      case 'trustChanged':
        this.trust.apply(e)
        return
      case 'approvalsChanged':
        this.approvals.apply(e.data)
        return
      case 'grantsChanged':
        this.rules.changed()
        return
      case 'taskChanged':
        this.tasks.apply(e.data)
        return
      case 'contextChanged':
        if (e.data.rules) void this.trust.reload()
        return
      case 'pausedChanged':
        this.paused.load(e.data.paused)
        return
      case 'kindsChanged':
        this.kinds.apply(e.data)
        return
      case 'cellWanted':
        void this.show(e.data.path, e.data.cell)
        return
      case 'filesChanged':
      case 'timelineChanged':
        return // of the followers alone
      case 'pathsDropped':
        this.active?.apply(e)
        return
      case 'notebookMoved':
        void this.#moved(e.data.from, e.data.to)
        return
      case 'notebookSaved':
        this.#notebooks.get(e.data.path)?.apply(e)
        if (e.data.fault && e.data.path !== this.tabs.active) this.failed(`Could not save “${this.nameOf(e.data.path)}”`, Fault.of(e.data.fault))
        return
      case 'cellsSpliced':
      case 'notebookReloaded':
      case 'diskConflict':
      case 'runQueued':
      case 'runStarted':
      case 'delta':
      case 'messagePut':
      case 'runWaiting':
      case 'runFinished':
        this.#notebooks.get(e.data.path)?.apply(e)
        return
      default:
        // A new kind of event fails to compile here; one from a newer program is left out.
        e satisfies never
    }
  }

  /** The first notebook of the tree whose flight deck is in front; undefined while a notebook is. */
  get deckShown(): string | undefined {
    return deckOf(this.tabs.active)
  }

  /** Shows the flight deck of the tree of a notebook: of the one on view, else of the first one that is open. */
  showDeck(path = this.active?.path ?? this.tabs.paths.find((tab) => deckOf(tab) === undefined) ?? this.agents.rows[0]?.node.file): void {
    if (this.deckShown !== undefined || !path) return
    const root = this.agents.rootOf(path)
    if (root) this.tabs.open(deckTab(root.file))
  }

  /** The name of a notebook: that of the tree, or its file's. */
  nameOf(path: string): string {
    return visible(this.agents.node(path)?.name.trim() || this.#notebooks.get(path)?.meta?.name || path.slice(path.lastIndexOf('/') + 1))
  }

  /** Shows a cell of a notebook, "" its last one, as soon as the notebook is there; with an index that message of its answer. */
  async show(path: string, cell: string, index?: number): Promise<void> {
    if (!this.agents.node(path)) return
    this.preview.hide()
    this.tabs.open(path)
    const book = this.#notebooks.get(path)
    if (book?.status === 'loading') await book.load()
    if (!book) return
    const at = cell && book.cell(cell)
    const shown = at || book.cells.at(-1)
    if (at && index !== undefined) book.selection.read(at.id, index)
    else if (shown) book.selection.command(shown.id)
  }

  /** Puts a reference to a notebook into the prompt of the one on view. */
  refer(file: string): void {
    const book = this.active
    if (book?.status !== 'ready' || book.path === file || this.agents.node(file)?.problem) return
    this.preview.hide()
    book.refer(file)
  }

  /** Tells the program whether the person sees this window. */
  setFront(front: boolean): void {
    this.#front = front
    // Only notifications depend on it; a connection that is lost says so by itself.
    this.backend.call.SetInFront(front).catch(() => undefined)
  }

  /** Tells a failure that nobody expected. */
  unexpected(thrown: unknown): void {
    const fault = Fault.from(thrown)
    this.failed('Could not finish what was asked for', new Fault(fault.kind, `${fault.message} The window goes on. If something in it looks wrong, reload it.`))
  }

  /** Tells a failure. What a person stopped is none. */
  failed(title: string, fault: Fault): void {
    if (fault.kind !== 'canceled') this.toasts.failed(title, fault.message)
  }

  /** Closes tabs once what was typed in them has arrived. */
  async close(...paths: string[]): Promise<void> {
    for (const path of paths) {
      const notebook = this.#notebooks.get(path)
      if (notebook && !(await notebook.flush())) {
        this.toasts.failed(`Could not close “${this.nameOf(path)}”`, `What you typed is not saved: ${notebook.saveFault?.message ?? 'The program does not answer.'} Try again, or copy it first.`)
        continue
      }
      this.tabs.close(path)
    }
  }

  /** Gives a notebook its model; null takes the default. */
  async choose(path: string, choice: Choice | null): Promise<void> {
    await this.#notebooks.get(path)?.edit([{ kind: 'model', text: choice?.provider ?? '', rest: choice?.model ?? '' }])
  }

  /** Lets a notebook's agent touch one more folder. */
  async allow(path: string, folder: string): Promise<void> {
    try {
      await this.backend.call.AllowFolder(path, folder)
    } catch (thrown) {
      this.failed('Could not add the folder', Fault.from(thrown))
    }
  }

  async copy(text: string): Promise<void> {
    try {
      await this.backend.copyText(text)
    } catch (thrown) {
      this.failed('Could not copy the text', Fault.from(thrown))
    }
  }

  /** A file has another name: its tab follows, what is typed in it first. */
  async #moved(from: string, to: string): Promise<void> {
    this.tabs.rename(deckTab(from), deckTab(to))
    const notebook = this.#notebooks.get(from)
    if (notebook?.typing && !(await notebook.flush())) return
    this.tabs.rename(from, to)
  }

  /** A file is gone from the folder. A tab that holds what the file does not stays open. */
  #gone(file: string): void {
    this.tabs.close(deckTab(file))
    const notebook = this.#notebooks.get(file)
    if (notebook?.typing) notebook.vanish()
    if (notebook?.typing || notebook?.doc.dirty || notebook?.conflict) return
    this.tabs.close(file)
  }

  #tabsChanged(): void {
    // A notebook comes to the front, or there is none left.
    if (this.tabs.active) this.preview.hide()
    else this.preview.close()
    const deck = this.deckShown
    const front = deck === undefined ? this.tabs.active : ''
    this.#notebooks.follow(this.tabs.paths, front)
    const at = deck ?? front
    if (at) this.agents.cursor = at
    this.#look.changed()
  }

  /** Has how the window looks kept now. */
  saveUI(): Promise<void> {
    return this.#look.keep()
  }

  async #keepLook(): Promise<void> {
    const state: settings.UIState = { ...this.layout.kept(), tabs: [...this.tabs.paths], active: this.tabs.active, ...this.agents.kept(), window: this.#window }
    try {
      await this.backend.call.SaveUI(state)
    } catch (thrown) {
      this.failed('Could not save how the window looks', Fault.from(thrown))
    }
  }
}

import { Backend, Fault, type BackendEvent, type Connection, type workspace } from '$lib/backend/backend'
import { EventStream } from '$lib/backend/events'
import type { Feature } from '$lib/backend/feature'
import { Clock } from '$lib/clock/clock.svelte'
import { sentence } from '$lib/format/sentence'
import { Toasts, type Toast } from '$lib/ui/toasts.svelte'
import { AcpState } from './features/acp/acp.svelte'
import { AgentsState } from './features/agents/agents.svelte'
import { InterruptedState } from './features/agents/interrupted.svelte'
import { StopState } from './features/agents/stop.svelte'
import { ApprovalsState } from './features/approvals/approvals.svelte'
import { RulesState } from './features/approvals/rules.svelte'
import { ChangesState, type ChangesHost } from './features/changes/changes.svelte'
import { ChildTreesState } from './features/changes/childTrees.svelte'
import { LeftTreesState } from './features/changes/leftTrees.svelte'
import { OwnTreeState } from './features/changes/ownTree.svelte'
import { BranchesState } from './features/branches/branches.svelte'
import { PromptHistoryState } from './features/branches/promptHistory.svelte'
import { RestoreState } from './features/changes/restore.svelte'
import { ContextState } from './features/context/context.svelte'
import { SummariesState } from './features/summaries/summaries.svelte'
import { DeckState } from './features/deck/deck.svelte'
import { FoldersState } from './features/folders/folders.svelte'
import { FindState } from './features/find/find.svelte'
import { FilesState } from './features/files/files.svelte'
import { FileUseState } from './features/fileuse/fileUse.svelte'
import type { NotebookState } from './features/notebook/notebook.svelte'
import { KindsState } from './features/kinds/kinds.svelte'
import { PreviewState } from './features/preview/preview.svelte'
import { ServersState } from './features/servers/servers.svelte'
import { SignIns } from './features/servers/signIns'
import { SettingsState } from './features/settings/settings.svelte'
import type { TabsState } from './features/tabs/tabs.svelte'
import { TasksState } from './features/tasks/tasks.svelte'
import { TrustState } from './features/trust/trust.svelte'
import { LayoutState } from './shell/layout.svelte'
import { LayoutSaver } from './shell/layoutSaver'
import { Names } from './shell/names'
import { Navigation } from './shell/navigation'
import { OpenBooks } from './shell/openBooks'
import { PausedState } from './shell/paused.svelte'
import { Places } from './shell/readingPositions'
import { Recent } from './shell/recent'
import { Presence } from './shell/presence'
import { Rescue } from './shell/unsentText'
import { FolderScan } from './shell/scan.svelte'
import { t } from '$lib/language/language'

/** Reports a failure of something that the person asked for. */
type Failed = (title: string, fault: Fault) => void

/**
 * AppState is the whole state of the interface: it builds the features and passes every snapshot
 * and every event to each of them. Navigation between features belongs to Navigation.
 */
export class AppState {
  readonly backend: Backend
  readonly toasts = new Toasts()
  readonly clock = new Clock()
  readonly names: Names
  readonly navigation: Navigation
  readonly tabs: TabsState
  readonly layout: LayoutState
  readonly recent: Recent
  readonly presence: Presence
  readonly rescue: Rescue
  readonly agents: AgentsState
  readonly stopping: StopState
  readonly interrupted: InterruptedState
  readonly settings: SettingsState
  readonly context: ContextState
  readonly summaries: SummariesState
  readonly preview: PreviewState
  readonly deck: DeckState
  readonly find = new FindState()
  readonly files: FilesState
  readonly trust: TrustState
  readonly approvals: ApprovalsState
  readonly rules: RulesState
  readonly acp: AcpState
  readonly servers: ServersState
  readonly signIns: SignIns
  /** Shows the MCP servers in the settings, once there is a page. */
  lookAtServers: () => void = () => undefined
  readonly paused: PausedState
  readonly changesHost: ChangesHost
  readonly changes: ChangesState
  readonly ownTree: OwnTreeState
  readonly childTrees: ChildTreesState
  readonly leftTrees: LeftTreesState
  readonly restore: RestoreState
  readonly promptHistory: PromptHistoryState
  readonly branches: BranchesState
  readonly tasks: TasksState
  readonly kinds: KindsState
  readonly folders: FoldersState
  readonly fileUse: FileUseState
  /** In the order in which they get snapshots: tabs are restored after the list of notebooks. */
  readonly #features: readonly Feature[]
  readonly #books: OpenBooks
  readonly #scan: FolderScan
  readonly #saver: LayoutSaver
  readonly #stream: EventStream
  #connection = $state.raw<Connection>({ state: 'connecting' })

  constructor(backend = new Backend()) {
    this.backend = backend
    const failed: Failed = (title, fault) => this.failed(title, fault)
    this.#saver = new LayoutSaver(backend, {
      parts: () => ({
        ...this.layout.kept(),
        ...this.navigation.kept(),
        recent: this.recent.list,
        ...this.agents.kept(),
        ...places.kept(),
      }),
      failed,
    })
    const { changed } = this.#saver
    const places = new Places(changed)
    this.layout = new LayoutState(changed)
    this.recent = new Recent(changed)
    this.presence = new Presence(backend)
    this.#books = new OpenBooks(backend, places, {
      lost: (path, texts) => this.rescue.lost(path, texts),
      unsaved: (path, fault) => path !== this.tabs.active && failed(t`Could not save “${this.names.full(path)}”`, fault),
    })
    this.agents = new AgentsState(backend, {
      answers: (id) => this.acp.wordsOf(id),
      show: (file) => this.tabs.open(file),
      open: (file) => this.navigation.enter(file),
      openBeside: (file) => this.navigation.openBeside(file),
      gone: (file) => this.navigation.gone(file),
      refer: (file) => this.navigation.refer(file),
      done: (title, undo) => this.toasts.done(title, '', { label: t`Undo`, run: undo }),
      failed,
      changed,
    })
    this.names = new Names(this.agents, this.#books)
    this.preview = new PreviewState(backend, changed)
    this.navigation = new Navigation({
      agents: this.agents,
      books: this.#books,
      preview: this.preview,
      names: this.names,
      toasts: this.toasts,
      share: () => this.layout.share,
      changed,
    })
    this.tabs = this.navigation.tabs
    this.rescue = new Rescue(backend, {
      books: () => this.#books,
      toasts: this.toasts,
      nameOf: (path) => this.names.of(path),
      copy: (text) => this.copy(text),
      replace: (path, by) => (this.tabs.open(by), this.tabs.close(path)),
    })
    this.settings = new SettingsState(backend, failed)
    this.stopping = new StopState(backend, this.agents, failed)
    this.interrupted = new InterruptedState(backend, this.agents, failed)
    this.context = new ContextState(backend, failed)
    this.summaries = new SummariesState(backend, {
      failed,
      made: (path, cell) => {
        if (path === this.tabs.active) this.active?.selection.show(cell, 'glimpse')
      },
    })
    this.deck = new DeckState(backend)
    this.files = new FilesState(backend, failed)
    this.trust = new TrustState(backend, failed)
    this.kinds = new KindsState(backend, failed)
    this.fileUse = new FileUseState(backend)
    this.folders = new FoldersState(backend, failed)
    this.approvals = new ApprovalsState(backend, {
      failed,
      kinds: () => this.kinds.list,
      fixed: (path) => Boolean(this.agents.node(path)?.answeredBy),
      providers: () => this.settings.view?.providers ?? [],
      nameOf: (path) => (this.agents.node(path) ? this.names.full(path) : ''),
      kindOf: (path) => this.agents.node(path)?.kind ?? this.#books.get(path)?.meta?.agentType ?? '',
    })
    this.rules = new RulesState(backend, failed)
    const asking = {
      failed,
      ask: (title: string, detail: string, action: Toast['action']) => this.toasts.failed(title, detail, action),
      done: (title: string) => this.toasts.list.filter((toast) => toast.title === title).forEach((toast) => this.toasts.close(toast.id)),
    }
    this.acp = new AcpState(backend, { failed, done: (title, detail) => this.toasts.done(title, detail) })
    this.servers = new ServersState(backend, { ...asking, look: () => this.lookAtServers() })
    this.signIns = new SignIns(backend, { ...asking, say: (title, detail) => this.toasts.done(title, detail) })
    this.paused = new PausedState(backend, failed)
    // Two agents may do the same at once, so the message names the agent.
    const done = (path: string, title: string, detail: string, undo?: () => void) =>
      this.toasts.done(title, [`“${this.names.full(path)}”`, detail].filter(Boolean).join(': '), undo && { label: t`Undo`, run: undo })
    this.changesHost = { done, failed }
    this.changes = new ChangesState(backend, this.changesHost)
    this.ownTree = new OwnTreeState(backend, this.changesHost)
    this.childTrees = new ChildTreesState(backend)
    this.leftTrees = new LeftTreesState(backend, { open: (path) => this.tabs.open(path), failed })
    this.restore = new RestoreState(backend, {
      flush: async (path) => (await this.#books.get(path)?.flush()) ?? true,
      done,
      failed,
    })
    this.branches = new BranchesState(backend, {
      flush: async (path) => (await this.#books.get(path)?.flush()) ?? true,
      done,
      failed,
    })
    this.promptHistory = new PromptHistoryState(backend, {
      text: ({ path, cell }) => this.notebook(path)?.cell(cell)?.text ?? '',
      bringBack: async ({ path, cell }, until) => (await this.notebook(path)?.intents.bringBack(cell, until)) ?? false,
    })
    this.tasks = new TasksState(backend, failed)
    this.#scan = new FolderScan((snapshot) => this.navigation.openOnly(snapshot))
    this.#features = [
      this.#saver,
      this.layout,
      this.recent,
      places,
      this.settings,
      this.trust,
      this.kinds,
      this.folders,
      this.approvals,
      this.paused,
      this.rules,
      this.acp,
      this.servers,
      this.signIns,
      this.tasks,
      this.changes,
      this.ownTree,
      this.childTrees,
      this.leftTrees,
      this.fileUse,
      this.agents,
      this.presence,
      this.navigation,
      this.#books,
      this.context,
      this.summaries,
      this.preview,
      this.deck,
      this.branches,
      this.#scan,
    ]
    this.#stream = new EventStream({
      load: () => this.#load(),
      onEvent: (e) => this.apply(e),
      onConnection: (c) => (this.#connection = c),
      window: backend.window,
    })
  }

  /** The last snapshot; undefined before the first. */
  get snapshot(): workspace.Snapshot | undefined {
    return this.#scan.snapshot
  }
  get connection(): Connection {
    return this.#connection
  }
  /** The current notebook. */
  get active(): NotebookState | undefined {
    return this.navigation.active
  }
  notebook(path: string): NotebookState | undefined {
    return this.#books.get(path)
  }

  /** Loads everything and follows events until stop. */
  start(): void {
    void this.#stream.follow()
  }
  retryNow(): void {
    this.#stream.retryNow()
  }
  stop(): void {
    this.#stream.stop()
    this.clock.stop()
    for (const feature of this.#features) feature.stop()
    void this.saveLayout()
  }

  async #load(): Promise<number> {
    const snapshot = await this.backend.snapshot()
    const again = this.#saver.restoring()
    await Promise.all(this.#features.map((feature) => feature.load(snapshot, again)))
    this.#saver.restored()
    return snapshot.seq
  }

  /** Passes an event to every feature. */
  apply(e: BackendEvent): void {
    for (const feature of this.#features) feature.apply(e)
  }

  /** Reports an unexpected failure. */
  unexpected(thrown: unknown): void {
    const fault = Fault.from(thrown)
    this.failed(
      t`Could not finish what was asked for`,
      new Fault(fault.kind, t`${sentence(fault.message)} The window still works. If something in it looks wrong, reload it.`),
    )
  }

  /** Reports a failure. A stop by the person is not a failure. */
  failed(title: string, fault: Fault): void {
    if (fault.kind !== 'canceled') this.toasts.failed(title, sentence(fault.message))
  }

  /** Reloads a notebook from its file, whatever its state here. */
  async reload(path: string): Promise<void> {
    try {
      await this.notebook(path)?.flush()
      await this.backend.call.Reload(path)
    } catch (thrown) {
      this.failed(t`Could not load “${this.names.full(path)}” again`, Fault.from(thrown))
    }
  }

  async copy(text: string): Promise<void> {
    try {
      await this.backend.copyText(text)
    } catch (thrown) {
      this.failed(t`Could not copy the text`, Fault.from(thrown))
    }
  }

  /** Saves what the next load of the page needs: settings, the layout of the window, and what is selected. */
  async leave(): Promise<void> {
    this.#books.keepSelections()
    await Promise.all([this.settings.leave(), this.saveLayout()])
  }

  /** Saves the layout of the window at once. */
  saveLayout(): Promise<void> {
    return this.#saver.save()
  }
}

import type { BackendEvent, settings, workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { sentence } from '$lib/format/sentence'
import type { Toasts } from '$lib/ui/toasts.svelte'
import type { AgentsState } from '../features/agents/agents.svelte'
import type { NotebookState } from '../features/notebook/notebook.svelte'
import type { PreviewState } from '../features/preview/preview.svelte'
import type { Closing } from '../features/tabs/groups'
import { TabsState } from '../features/tabs/tabs.svelte'
import { leaveList } from './focus'
import type { Names } from './names'
import type { OpenBooks } from './openBooks'
import { pathOf, viewOf, viewTab, type ViewKind } from './viewTabs'
import { comma, t } from '$lib/language/language'

/** The features that navigation controls. */
export interface NavigationHost {
  agents: AgentsState
  books: OpenBooks
  preview: PreviewState
  names: Names
  toasts: Toasts
  /** The percentage of the room for the left group. */
  share(): number
  /** The tabs changed and must be saved with the layout. */
  changed(): void
}

/** Navigation holds the tabs and the current one, and moves between the parts of the window. */
export class Navigation implements Feature {
  readonly tabs: TabsState
  readonly #host: NavigationHost
  /** The uuid of each notebook that has a tab or had one, by path: its file is found by it under another name. */
  #uuids: ReadonlyMap<string, string> = new Map()
  /** The tabs that close once their drafts are saved. */
  readonly #closing = new Set<Closing>()

  constructor(host: NavigationHost) {
    this.#host = host
    this.tabs = new TabsState(() => this.#tabsChanged())
  }

  /** The current notebook of the active group. */
  get active(): NotebookState | undefined {
    return this.#host.books.get(this.tabs.active)
  }

  /** The current view other than a notebook, with the notebook that it is about; undefined while a notebook is in front. */
  get view(): { kind: ViewKind; path: string } | undefined {
    return viewOf(this.tabs.active)
  }

  /** Restores the tabs of the last session whose files still exist. */
  load(snapshot: workspace.Snapshot, again: boolean): void {
    if (again) {
      if (!snapshot.scanning) this.#follow(this.tabs.paths)
      return
    }
    const { tabs, active, closed, beside, preview } = snapshot.ui
    // Before the folder is scanned, missing files are not known.
    const there = (kept: readonly string[] | null) => (kept ?? []).filter((tab) => snapshot.scanning || this.#host.agents.node(pathOf(tab)))
    this.tabs.load(there(tabs), active, closed, beside && { ...beside, tabs: there(beside.tabs) })
    this.#restorePreview(preview, beside?.front ? beside.active : active)
    if (!snapshot.scanning) this.openOnly(snapshot)
  }

  /** Restores the tab of what will be sent; in front only over the notebook that it was about. */
  #restorePreview(kept: string | undefined, about: string): void {
    if (!this.tabs.active || (kept !== 'shown' && kept !== 'open')) return
    this.#host.preview.restore(this.tabs.active === about ? kept : 'open')
  }

  /** The tabs to save for the next start. */
  kept(): Pick<settings.UIState, 'tabs' | 'active' | 'closed' | 'beside' | 'preview'> {
    const { groups, front, closed } = this.tabs
    const [first, second] = groups
    return {
      tabs: [...first!.paths],
      active: first!.active,
      closed: [...closed],
      preview: this.#host.preview.kept,
      beside: second && { tabs: [...second.paths], active: second.active, front: second === front, share: this.#host.share() },
    }
  }

  apply(e: BackendEvent): void {
    if (e.type === 'cellWanted') void this.show(e.data.path, e.data.cell)
    else if (e.type === 'notebookMoved') this.#moved(e.data.from, e.data.to)
    else if (e.type === 'treeChanged') this.#follow(this.tabs.closed)
    else if (e.type === 'pathsDropped') {
      this.#useAt(e.data)
      this.active?.apply(e)
    }
  }

  stop(): void {} // it requests nothing by itself

  /** Opens the only notebook of a folder that was never open before. */
  openOnly(snapshot: workspace.Snapshot): void {
    const [only, ...more] = this.#host.agents.rows
    if (snapshot.ui.fresh && only && more.length === 0 && this.tabs.paths.length === 0 && !only.node.problem) this.tabs.open(only.node.file)
  }

  /** Shows the flight deck of a notebook's tree: of the current notebook, or else of the first open one. */
  showDeck(
    path = this.view?.path ?? this.active?.path ?? this.tabs.paths.find((tab) => !viewOf(tab)) ?? this.#host.agents.rows[0]?.node.file,
  ): void {
    if (this.view?.kind === 'deck' || !path) return
    const root = this.#host.agents.rootOf(path)
    if (root) this.tabs.open(viewTab('deck', root.file))
  }

  /** Shows the branches of a notebook side by side. */
  showBranches(path: string): void {
    leaveList()
    this.#host.preview.hide()
    this.tabs.open(viewTab('branches', path))
  }

  /** Reopens the tab that was closed last, at its reading position; a file that is gone is skipped and named. */
  reopen(): void {
    const { agents, toasts } = this.#host
    const gone: string[] = []
    for (const tab of this.tabs.closed) {
      if (agents.node(pathOf(tab))) {
        this.tabs.open(tab)
        break
      }
      this.tabs.forget(tab)
      gone.push(pathOf(tab))
    }
    if (gone.length) toasts.done(t`Skipped what is gone`, gone.join(comma))
  }

  /** Shows a notebook and focuses it. */
  enter(path: string): void {
    leaveList()
    this.#host.preview.hide()
    this.tabs.open(path)
    this.#refocus(path)
  }

  /** Gives the keyboard to a notebook in front. */
  #refocus(path: string): void {
    this.#host.books.with(path, (book) => book.selection.refocus())
  }

  /** Shows a cell of a notebook once it is loaded, "" for the last one; with an index, that message of its answer. */
  async show(path: string, cell: string, index?: number): Promise<void> {
    if (!this.#host.agents.node(path)) return
    this.enter(path)
    const book = await new Promise<NotebookState>((there) => this.#host.books.with(path, there))
    if (book.status === 'loading') await book.load()
    const found = cell && book.cell(cell)
    const shown = found || book.cells.at(-1)
    if (shown) book.selection.command(shown.id, found ? index : undefined)
  }

  /** Shows the cell of an agent's request. */
  openAsking(path: string, cell: string): void {
    void this.show(path, cell)
  }

  /** Shows a cell of an open notebook. */
  jumpTo(book: NotebookState, cell: string): void {
    this.enter(book.path)
    book.selection.command(cell)
  }

  /** Puts a reference to a notebook into the current prompt. */
  refer(file: string): void {
    const book = this.active
    if (book?.status !== 'ready' || book.path === file || this.#host.agents.node(file)?.problem) return
    this.#host.preview.hide()
    book.refer(file)
  }

  /** Makes the group of tabs at a point of the page active. */
  #useAt({ x, y }: { x: number; y: number }): void {
    const id = document.elementFromPoint?.(x, y)?.closest<HTMLElement>('[data-group]')?.dataset.group
    if (id !== undefined) this.tabs.use(Number(id))
  }

  /** Shows a notebook or another view in the group beside the active one, and focuses it. */
  openBeside(path: string): void {
    leaveList()
    this.#host.preview.hide()
    this.tabs.openBeside(path)
    this.#refocus(this.tabs.active)
  }

  /** Makes the other group of tabs active, and focuses it. */
  toOther(): void {
    const { other } = this.tabs
    if (!other) return
    leaveList()
    this.tabs.use(other.id)
    this.#refocus(this.tabs.active)
  }

  /** Moves the current tab to the other group, or to a new one, together with the focus. */
  send(path = this.tabs.active, group?: number, at?: number): void {
    this.tabs.send(path, group, at)
    this.#refocus(this.tabs.active)
  }

  /** Closes the current tab of the active group; while tabs are closing, the one that is current then. */
  async closeCurrent(): Promise<void> {
    const { id, active } = this.tabs.frontWithout(this.#closing)
    if (active) await this.closeIn(id, active)
  }

  /** Closes a group with all its tabs. */
  closeGroup(id = this.tabs.front.id): Promise<void> {
    return this.closeIn(id, ...(this.tabs.groups.find((group) => group.id === id)?.paths ?? []))
  }

  /** Closes tabs in all groups once their drafts are saved. */
  close(...paths: string[]): Promise<void> {
    return this.closeIn(undefined, ...paths)
  }

  /** Closes tabs of one group once their drafts are saved. */
  async closeIn(group: number | undefined, ...paths: string[]): Promise<void> {
    const closing = paths.map((path): Closing => ({ path, group }))
    for (const tab of closing) this.#closing.add(tab)
    for (const tab of closing) {
      const book = this.#host.books.get(tab.path)
      const saved = !book || (await book.flush())
      this.#closing.delete(tab)
      const path = book?.path ?? tab.path // it may have been renamed
      if (saved) this.tabs.closeIn(group, path)
      else
        this.#host.toasts.failed(
          t`Could not close “${this.#host.names.full(path)}”`,
          t`What you typed is not saved: ${book.saveFault ? sentence(book.saveFault.message) : t`The program does not answer.`} Try again, or copy it first.`,
        )
    }
  }

  /** Handles a file that is gone: a tab that is not loaded follows it to another name. One with unsaved text stays open. */
  gone(file: string): void {
    // The program judges about a loaded one itself: a copy beside it is not a rename.
    const now = this.#host.books.get(file) ? undefined : this.#nowAt(file)
    if (now && !this.tabs.paths.includes(now)) return this.#moved(file, now)
    this.tabs.close(viewTab('deck', file), viewTab('branches', file))
    const book = this.#host.books.get(file)
    if (book?.typing) book.vanish()
    if (book?.typing || book?.doc.dirty || book?.conflict) return
    this.tabs.close(file)
  }

  /** Handles a renamed file: its notebook and its tabs follow at once, so that nothing interrupts who types. */
  #moved(from: string, to: string): void {
    for (const kind of ['deck', 'branches'] as const) this.tabs.rename(viewTab(kind, from), viewTab(kind, to))
    this.#host.books.rename(from, to)
    this.tabs.rename(from, to)
  }

  /** The path of a notebook whose file was renamed while the program did not have it open. */
  #nowAt(path: string): string | undefined {
    const { agents } = this.#host
    const uuid = this.#uuids.get(path)
    return uuid && agents.node(path)?.uuid !== uuid ? agents.byUuid(uuid)?.file : undefined
  }

  /** Lets tabs follow notebooks whose files are gone, or another notebook's, to their names in the tree. */
  #follow(tabs: readonly string[]): void {
    for (const path of new Set(tabs.map(pathOf))) {
      const now = this.#nowAt(path)
      if (now) this.#moved(path, now)
    }
  }

  #tabsChanged(): void {
    const { paths, closed } = this.tabs
    const open = new Set(paths.map(pathOf))
    const uuids = [...open, ...closed.map(pathOf)].map((path) => {
      const [now, known] = [this.#host.agents.node(path)?.uuid, this.#uuids.get(path)]
      return [path, (open.has(path) ? now || known : known || now) ?? ''] as const
    })
    this.#uuids = new Map(uuids)
    const { preview, books, agents } = this.#host
    // A notebook comes to the front, or none is left.
    if (this.tabs.active) preview.hide()
    else preview.close()
    books.follow({ groups: this.tabs.groups, isBook: (tab) => !viewOf(tab), front: this.tabs.front.id })
    const shown = pathOf(this.tabs.active)
    if (shown) agents.cursor = shown
    this.#host.changed()
  }
}

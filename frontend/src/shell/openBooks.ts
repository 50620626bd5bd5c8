import { SvelteMap } from 'svelte/reactivity'
import type { Backend, BackendEvent, workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Fault } from '$lib/backend/fault'
import { newID } from '../features/notebook/newID'
import type { NotebookState } from '../features/notebook/notebook.svelte'
import type { Group } from '../features/tabs/groups'
import { lazyNotebook } from './lazyNotebook'
import type { Places } from './readingPositions'
import { Selections } from './selections'

/** The callbacks of open notebooks. */
export interface BooksHost {
  /** Texts that could not be sent before a notebook was closed. */
  lost(path: string, texts: readonly string[]): void
  /** A notebook could not be saved. */
  unsaved(path: string, fault: Fault): void
}

/** The groups of tabs, which of their tabs are notebooks, and the active group. */
interface Shown {
  groups: readonly Group[]
  isBook: (tab: string) => boolean
  front: number
}

/**
 * OpenBooks are the notebooks that have a tab. A notebook is loaded when it first comes to the
 * front, and released with its tab. The first one waits for the code of notebooks to be loaded.
 */
export class OpenBooks implements Feature {
  readonly #backend: Backend
  readonly #host: BooksHost
  readonly #places: Places
  readonly #code: typeof lazyNotebook
  readonly #clientId = newID()
  readonly #selections = new Selections()
  readonly #books = new SvelteMap<string, NotebookState>()
  #shown: Shown = { groups: [], isBook: () => false, front: 0 }

  /** places: the reading position of each; code: that of a notebook. */
  constructor(backend: Backend, places: Places, host: BooksHost, code = lazyNotebook) {
    this.#backend = backend
    this.#places = places
    this.#host = host
    this.#code = code
  }

  get(path: string): NotebookState | undefined {
    return this.#books.get(path)
  }

  /** Acts on a notebook in front of a group: at once, or when its code is loaded; never if its tab is closed before. */
  with(path: string, act: (book: NotebookState) => void): void {
    const book = this.get(path)
    if (book) return act(book)
    if (this.#missing().includes(path))
      this.#code.use(() => {
        const book = this.get(path)
        if (book) act(book)
      })
  }

  /** Lets a notebook follow its renamed file as it is, with its drafts and views. Its tabs must be renamed next. */
  rename(from: string, to: string): void {
    const book = this.#books.get(from)
    if (!book) return
    this.#replace(to)
    this.#books.delete(from)
    this.#books.set(to, book)
    book.renamed(to)
  }

  /** Releases the notebook of a file that is gone: another file has its name, so what is typed into it must not be sent. */
  #replace(path: string): void {
    const book = this.#books.get(path)
    if (!book) return
    const texts = book.drafts.unsaved
    book.drafts.abandon()
    void book.dispose()
    if (texts.length > 0) this.#host.lost(path, texts)
  }

  /** Sets what is shown. */
  follow(shown: Shown): void {
    this.#shown = shown
    const { groups, front } = shown
    const open = new Set(groups.flatMap((group) => group.paths))
    for (const [path, book] of this.#books) {
      if (open.has(path)) continue
      this.#books.delete(path)
      void book.dispose().then((texts) => texts.length > 0 && this.#host.lost(path, texts))
      // After the drafts: calls about a notebook keep their order.
      void this.#backend.call.CloseNotebook(path, this.#backend.window).catch(() => undefined)
    }
    for (const [path, book] of this.#books) {
      book.keepViews(groups.filter((group) => group.paths.includes(path)).map((group) => group.id))
      if (groups.some((group) => group.id === front && group.active === path)) book.use(front)
    }
    if (this.#missing().length) this.#code.use(({ NotebookState }) => this.#open(NotebookState))
  }

  /** The notebooks in front of a group that are not there yet. */
  #missing(): string[] {
    const { groups, isBook } = this.#shown
    return groups.map((group) => group.active).filter((path) => path && isBook(path) && !this.#books.has(path))
  }

  #open(State: typeof NotebookState): void {
    const { groups, front } = this.#shown
    for (const path of new Set(this.#missing())) {
      const book = new State(this.#backend, path, this.#clientId, this.#places, this.#selections)
      // Each view begins where it was left, so all of them must be there before the notebook is loaded.
      for (const { id } of groups.filter((group) => group.paths.includes(path))) book.view(id)
      const shows = groups.filter((group) => group.active === path).map((group) => group.id)
      book.use(shows.includes(front) ? front : shows[0]!)
      this.#books.set(path, book)
      void book.load()
    }
  }

  /** Keeps what is selected in them: the page ends, and may be loaded again. */
  keepSelections(): void {
    this.#selections.keep(Object.assign({}, ...[...this.#books.values()].map((book) => book.selected)) as NotebookState['selected'])
  }

  /** Reloads all of them after missed events; drafts stay. */
  async load(_snapshot: workspace.Snapshot, again: boolean): Promise<void> {
    if (again) await Promise.all([...this.#books.values()].map((book) => book.reload()))
  }

  apply(e: BackendEvent): void {
    switch (e.type) {
      case 'notebookSaved':
        this.#books.get(e.data.path)?.apply(e)
        if (e.data.fault) this.#host.unsaved(e.data.path, Fault.of(e.data.fault))
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
      case 'callProgress':
        this.#books.get(e.data.path)?.apply(e)
        return
      case 'acpAgentsChanged':
      case 'acpSessionChanged':
      case 'approvalsChanged':
      case 'cellWanted':
      case 'compaction':
      case 'connectionTested':
      case 'contextChanged':
      case 'filesChanged':
      case 'folderScanned':
      case 'grantsChanged':
      case 'kindsChanged':
      case 'notebookMoved':
      case 'pathsDropped':
      case 'pausedChanged':
      case 'serversChanged':
      case 'settingsChanged':
      case 'signInWanted':
      case 'taskChanged':
      case 'timelineChanged':
      case 'toolsHeld':
      case 'treeChanged':
      case 'trustChanged':
        return // for other features
      default:
        // A new kind of event fails to compile here, so that its features are found; one from a newer program is ignored.
        e satisfies never
    }
  }

  stop(): void {
    for (const book of this.#books.values()) void book.dispose()
  }
}

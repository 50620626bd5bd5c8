import { SvelteMap } from 'svelte/reactivity'
import type { Backend, BackendEvent, workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Fault } from '$lib/backend/fault'
import { newID } from '../features/notebook/cells.svelte'
import { NotebookState } from '../features/notebook/notebook.svelte'
import type { Group } from '../features/tabs/groups'
import type { Places } from './readingPositions'

/** The callbacks of open notebooks. */
export interface BooksHost {
  /** Texts that could not be sent before a notebook was closed. */
  lost(path: string, texts: readonly string[]): void
  /** A notebook could not be saved. */
  unsaved(path: string, fault: Fault): void
}

/**
 * OpenBooks are the notebooks that have a tab. A notebook is loaded when it first comes to the
 * front, and released with its tab.
 */
export class OpenBooks implements Feature {
  readonly #backend: Backend
  readonly #host: BooksHost
  readonly #places: Places
  readonly #clientId = newID()
  readonly #books = new SvelteMap<string, NotebookState>()

  /** places: the reading position of each. */
  constructor(backend: Backend, places: Places, host: BooksHost) {
    this.#backend = backend
    this.#places = places
    this.#host = host
  }

  get(path: string): NotebookState | undefined {
    return this.#books.get(path)
  }

  /** Sets the groups of tabs, which of their tabs are notebooks, and the active group. */
  follow(groups: readonly Group[], isBook: (tab: string) => boolean, front: number): void {
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
    for (const { id, active: path } of groups) {
      if (!path || !isBook(path) || this.#books.has(path)) continue
      const book = new NotebookState(this.#backend, path, this.#clientId, this.#places)
      book.use(groups.some((group) => group.id === front && group.active === path) ? front : id)
      this.#books.set(path, book)
      void book.load()
    }
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

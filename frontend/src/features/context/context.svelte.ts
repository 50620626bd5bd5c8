import { SvelteMap } from 'svelte/reactivity'
import { Fault, type Backend, type BackendEvent, type workspace, type preview } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { CellFollower } from '$lib/follow/cellFollower.svelte'
import type { Target } from '$lib/follow/refreshDelays'
import { Recent } from '$lib/follow/recent'
import { inOrder } from './stableOrder'
import { t } from '$lib/language/language'

/** Rules in the order of sending, including disabled ones. */
const byName = (rules: readonly preview.Part[]) => rules.toSorted((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0))

/** The number of notebooks whose last state is cached, to show it at once. */
const maxKept = 12

/**
 * ContextState holds the content of the current cell's next request. It follows
 * typing and changes on disk; old values stay until new ones
 * arrive. A switch changes at once and reverts on failure.
 */
export class ContextState implements Feature {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  readonly #views = new Recent<preview.Context>(maxKept)
  readonly #switched = new SvelteMap<string, boolean>()
  readonly #cell: CellFollower<preview.Context>

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
    this.#cell = new CellFollower({
      ask: (t) => backend.call.Context(t.path, t.cell, t.draft),
      answered: (view, t) => this.#take(t.path, view),
      moved: () => this.#switched.clear(),
    })
  }

  /** The last known state of the current notebook; undefined until the first answer. */
  get view(): preview.Context | undefined {
    return this.#cell.target && this.#views.get(this.#cell.target.path)
  }
  get path(): string {
    return this.#cell.target?.path ?? ''
  }
  /** Why the last request for the state failed. */
  get fault(): Fault | undefined {
    return this.#cell.fault
  }
  /** Whether a part goes into the request, according to the person's last switch. */
  isOn(part: { id: string; state: string }): boolean {
    return this.#switched.get(part.id) ?? part.state !== 'off'
  }

  /** follow sets the cell to show; undefined for none. */
  follow(target: Target | undefined): void {
    this.#cell.follow(target)
  }

  load(_snapshot: workspace.Snapshot, again: boolean): void {
    if (again) this.retry()
  }
  apply(e: BackendEvent): void {
    this.#cell.apply(e)
  }

  /** Tries again after a failure. */
  retry(): void {
    this.#cell.retry()
  }

  switch(id: string, on: boolean): Promise<boolean> {
    this.#switched.set(id, on)
    return this.#do(
      on ? t`Could not switch it on` : t`Could not switch it off`,
      (path) => this.#backend.call.SwitchContext(path, id, on),
      () => this.#switched.delete(id),
    )
  }
  forget(id: string): Promise<boolean> {
    return this.#do(t`Could not remove it`, (path) => this.#backend.call.ForgetContext(path, id))
  }
  prune(): Promise<boolean> {
    return this.#do(t`Could not remove outdated versions`, (path) => this.#backend.call.PruneContext(path))
  }
  refreshTools(): Promise<boolean> {
    return this.#do(t`Could not run the tools again`, (path) => this.#backend.call.RefreshTools(path))
  }
  setMacro(name: string, value: string): Promise<boolean> {
    return this.#do(t`Could not set ${name}`, (path) => this.#backend.call.SetMacro(path, name, value))
  }
  removeMacro(name: string): Promise<boolean> {
    return this.#do(t`Could not remove ${name}`, (path) => this.#backend.call.RemoveMacro(path, name))
  }
  /** Lets a notebook's agent access one more folder; the current notebook's without a path. */
  allow(folder: string, path?: string): Promise<boolean> {
    return this.#do(t`Could not add the folder`, (at) => this.#backend.call.AllowFolder(at, folder), undefined, path)
  }
  disallow(folder: string): Promise<boolean> {
    return this.#do(t`Could not remove the folder`, (path) => this.#backend.call.DisallowFolder(path, folder))
  }
  place(placement: string): Promise<boolean> {
    return this.#do(t`Could not change the placement`, (path) => this.#backend.call.SetPlacement(path, placement))
  }

  /** Sets the notebook's reasoning effort; '' means the value from the settings. */
  think(effort: string): Promise<boolean> {
    return this.#do(t`Could not change the effort`, (path) => this.#backend.call.SetEffort(path, effort))
  }
  /** The cost of each placement for the current cell; undefined without a cell. */
  async placements(): Promise<preview.Placement[] | undefined> {
    const t = this.#cell.target
    return t && this.#backend.call.Placements(t.path, t.cell, t.draft)
  }

  stop(): void {
    this.#cell.stop()
  }

  #take(path: string, view: preview.Context): void {
    const old = this.#views.get(path)
    this.#views.set(
      path,
      old
        ? {
            ...view,
            rules: byName(view.rules),
            files: inOrder(old.files, view.files),
            resources: inOrder(old.resources, view.resources),
            results: inOrder(old.results, view.results),
            images: inOrder(old.images, view.images),
            documents: inOrder(old.documents, view.documents),
          }
        : { ...view, rules: byName(view.rules) },
    )
    // The answer contains the switch, or the backend has not applied it yet.
    const ofServers = view.offered.servers.flatMap((server) => [server, ...server.tools])
    for (const part of [
      ...ofServers,
      ...view.rules,
      ...view.skills,
      ...view.files,
      ...view.resources,
      ...view.results,
      ...view.images,
      ...view.documents,
    ]) {
      if (this.#switched.get(part.id) === (part.state !== 'off')) this.#switched.delete(part.id)
    }
  }

  async #do(title: string, call: (path: string) => Promise<unknown>, undo?: () => void, path = this.#cell.target?.path): Promise<boolean> {
    if (path === undefined) return false
    try {
      await call(path)
      if (this.#cell.target?.path === path) this.#cell.again()
      return true
    } catch (thrown) {
      undo?.()
      this.#failed(title, Fault.from(thrown))
      return false
    }
  }
}

import { SvelteMap } from 'svelte/reactivity'
import { Fault, type Backend, type BackendEvent, type workspace, type preview } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { changedMs, requestAfter, typedMs, type Target } from '$lib/follow/refreshDelays'
import { Follower } from '$lib/follow/follower'
import { Recent } from '$lib/follow/recent'
import { inOrder } from './stableOrder'

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
  readonly #follower: Follower<Target, preview.Context>
  #target = $state.raw<Target>()
  #fault = $state.raw<Fault>()

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
    this.#follower = new Follower({
      ask: (t) => backend.call.Context(t.path, t.cell, t.draft),
      subject: (t) => t.path,
      answered: (view, t) => this.#take(t.path, view),
      failed: (fault) => {
        if (fault.kind !== 'canceled') this.#fault = fault
      },
    })
  }

  /** The last known state of the current notebook; undefined until the first answer. */
  get view(): preview.Context | undefined {
    return this.#target && this.#views.get(this.#target.path)
  }
  get path(): string {
    return this.#target?.path ?? ''
  }
  /** Why the last question was not answered. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** Whether a part goes into the request, as the person last put it. */
  isOn(part: { id: string; state: string }): boolean {
    return this.#switched.get(part.id) ?? part.state !== 'off'
  }

  /** follow sets the cell to show; undefined for none. */
  follow(target: Target | undefined): void {
    const before = this.#target
    this.#target = target
    if (!target) {
      this.#follower.stop()
      return
    }
    if (before?.path !== target.path) {
      this.#fault = undefined
      this.#switched.clear()
    }
    this.#follower.ask(target, before?.cell === target.cell ? typedMs : changedMs)
  }

  load(_snapshot: workspace.Snapshot, again: boolean): void {
    if (again) this.retry()
  }
  apply(e: BackendEvent): void {
    if (!this.#target) return
    const afterMs = requestAfter(e, this.#target.path)
    if (afterMs !== undefined) this.#follower.again(afterMs)
  }

  /** Asks once more, after a failure. */
  retry(): void {
    this.#fault = undefined
    this.#follower.again()
  }

  switch(id: string, on: boolean): Promise<boolean> {
    this.#switched.set(id, on)
    return this.#do(
      on ? 'Could not switch it on' : 'Could not switch it off',
      (path) => this.#backend.call.SwitchContext(path, id, on),
      () => this.#switched.delete(id),
    )
  }
  forget(id: string): Promise<boolean> {
    return this.#do('Could not remove it', (path) => this.#backend.call.ForgetContext(path, id))
  }
  prune(): Promise<boolean> {
    return this.#do('Could not remove outdated versions', (path) => this.#backend.call.PruneContext(path))
  }
  refreshTools(): Promise<boolean> {
    return this.#do('Could not run the tools again', (path) => this.#backend.call.RefreshTools(path))
  }
  setMacro(name: string, value: string): Promise<boolean> {
    return this.#do(`Could not set ${name}`, (path) => this.#backend.call.SetMacro(path, name, value))
  }
  removeMacro(name: string): Promise<boolean> {
    return this.#do(`Could not remove ${name}`, (path) => this.#backend.call.RemoveMacro(path, name))
  }
  /** Lets a notebook's agent access one more folder; the current notebook's without a path. */
  allow(folder: string, path?: string): Promise<boolean> {
    return this.#do('Could not add the folder', (at) => this.#backend.call.AllowFolder(at, folder), undefined, path)
  }
  disallow(folder: string): Promise<boolean> {
    return this.#do('Could not remove the folder', (path) => this.#backend.call.DisallowFolder(path, folder))
  }
  place(placement: string): Promise<boolean> {
    return this.#do('Could not change the placement', (path) => this.#backend.call.SetPlacement(path, placement))
  }

  /** Sets how much the notebook's models think; "" for what the settings say. */
  think(effort: string): Promise<boolean> {
    return this.#do('Could not change the effort', (path) => this.#backend.call.SetEffort(path, effort))
  }
  /** What each placement costs for the current cell; undefined when there is no cell. */
  async placements(): Promise<preview.Placement[] | undefined> {
    const t = this.#target
    return t && this.#backend.call.Placements(t.path, t.cell, t.draft)
  }

  stop(): void {
    this.#follower.stop()
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
            results: inOrder(old.results, view.results),
            images: inOrder(old.images, view.images),
          }
        : { ...view, rules: byName(view.rules) },
    )
    this.#fault = undefined
    // The answer contains the switch, or the backend has not applied it yet.
    for (const part of [...view.rules, ...view.files, ...view.results, ...view.images]) {
      if (this.#switched.get(part.id) === (part.state !== 'off')) this.#switched.delete(part.id)
    }
  }

  async #do(title: string, call: (path: string) => Promise<unknown>, undo?: () => void, path = this.#target?.path): Promise<boolean> {
    if (path === undefined) return false
    try {
      await call(path)
      if (this.#target?.path === path) this.#follower.again()
      return true
    } catch (thrown) {
      undo?.()
      this.#failed(title, Fault.from(thrown))
      return false
    }
  }
}

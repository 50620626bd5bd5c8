import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend, type BackendEvent, type checkpoint } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { filesAfter } from '$lib/follow/refreshDelays'
import { Follower } from '$lib/follow/follower'
import { Recent } from '$lib/follow/recent'
import { t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'

/** Tools of a working agent follow each other closely. */
const workingMs = 600
/** The number of notebooks whose last state is cached, to show it at once. */
const maxKept = 8

export interface ChangesHost {
  /** Reports a change to the work of a notebook's agent, and offers to undo it. */
  done(path: string, title: string, detail: string, undo: () => void): void
  failed(title: string, fault: Fault): void
}

/**
 * ChangesState holds the file changes of the current notebook's agent since its start. It follows
 * the agent while shown. Old values stay until new ones arrive, and a late answer for another
 * notebook is dropped.
 */
export class ChangesState implements Feature {
  readonly #backend: Backend
  readonly #host: ChangesHost
  readonly #follower: Follower<string, checkpoint.Change[]>
  readonly #known = new Recent<readonly checkpoint.Change[]>(maxKept)
  readonly #open = new SvelteSet<string>()
  readonly #rejecting = new SvelteSet<string>()
  readonly #trouble = new SvelteMap<string, string>()
  #path = $state('')
  #fault = $state.raw<Fault>()

  constructor(backend: Backend, host: ChangesHost) {
    this.#backend = backend
    this.#host = host
    this.#follower = new Follower({
      ask: (path) => backend.call.Changes(path),
      subject: (path) => path,
      answered: (list, path) => this.#take(path, list ?? []), // Go may write an empty list as null
      failed: (fault) => {
        if (fault.kind !== 'canceled') this.#fault = fault
      },
    })
  }

  /** The notebook that is shown; "" for none. */
  get path(): string {
    return this.#path
  }
  /** Its changes, perhaps slightly outdated; undefined until the first answer. */
  get list(): readonly checkpoint.Change[] | undefined {
    return this.#known.get(this.#path)
  }
  /** Why the last request failed. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** The numbers of added and removed lines in all files. */
  get stat(): { added: number; removed: number } {
    let added = 0
    let removed = 0
    for (const c of this.list ?? []) {
      added += c.added
      removed += c.removed
    }
    return { added, removed }
  }

  /** follow sets the notebook to show; undefined for none. */
  follow(path: string | undefined): void {
    if (!path) {
      this.#follower.stop()
      this.#path = ''
      return
    }
    if (path === this.#path) return
    this.#path = path
    this.#fault = undefined
    this.#trouble.clear()
    this.#open.clear()
    this.#follower.ask(path)
  }

  load(): void {
    this.refresh()
  }
  apply(e: BackendEvent): void {
    const delay = this.#path ? filesAfter(e, this.#path, workingMs) : undefined
    if (delay !== undefined) this.#follower.again(delay)
  }

  /** Loads again, after a failure or because others may have changed files. */
  refresh(): void {
    this.#fault = undefined
    this.#follower.again()
  }

  isOpen(file: string): boolean {
    return this.#open.has(file)
  }
  toggle(file: string): void {
    if (!this.#open.delete(file)) this.#open.add(file)
  }

  /** The failure of a file; "" for none. */
  trouble(file: string): string {
    return this.#trouble.get(file) ?? ''
  }
  rejecting(file: string, hunk: string): boolean {
    return this.#rejecting.has(key(file, hunk))
  }

  /** Reverts a hunk on disk and offers to undo that; false if it failed. */
  async reject(file: string, hunk: string, place = t`A change`): Promise<boolean> {
    const path = this.#path
    const mine = key(file, hunk)
    if (!path || this.#rejecting.has(mine)) return false
    this.#rejecting.add(mine)
    this.#trouble.delete(file)
    try {
      const id = await this.#backend.call.RejectHunk(path, file, hunk)
      this.#host.done(path, t`${place} of ${file.slice(file.lastIndexOf('/') + 1)} went back`, '', () => void this.#undo(path, file, id))
      return true
    } catch (thrown) {
      if (this.#path === path) this.#trouble.set(file, Fault.from(thrown).message)
      return false
    } finally {
      this.#rejecting.delete(mine)
      // After a conflict, too, the view is outdated.
      if (this.#path === path) this.#follower.again()
    }
  }

  /** Restores a rejected hunk, unless somebody changed the file since. */
  async #undo(path: string, file: string, id: string): Promise<void> {
    try {
      const applied = await this.#backend.call.UndoRestore(path, id)
      const left = applied.left?.find(() => true)
      if (left)
        this.#host.failed(t`Could not bring the change back`, new Fault('conflict', ofProgram(left.why) || t`${file} was changed since.`))
    } catch (thrown) {
      this.#host.failed(t`Could not bring the change back`, Fault.from(thrown))
    }
    if (this.#path === path) this.#follower.again()
  }

  stop(): void {
    this.#follower.stop()
  }

  #take(path: string, list: readonly checkpoint.Change[]): void {
    this.#known.set(path, list)
    this.#fault = undefined
    const there = new Set(list.map((c) => c.path))
    for (const file of [...this.#open]) if (!there.has(file)) this.#open.delete(file)
  }
}

const key = (file: string, hunk: string) => `${hunk} ${file}`

import { SvelteMap } from 'svelte/reactivity'
import { codeDisconnected, Fault, type Backend, type BackendEvent, type worktree } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { plural } from '$lib/format/number'
import { filesAfter } from '$lib/follow/refreshDelays'
import { Follower } from '$lib/follow/follower'
import type { ChangesHost } from './changes.svelte'
import { t } from '$lib/language/language'

/** Tools of a working agent follow each other closely, and git reads every file. */
const workingMs = 1500

/** The actions on a work tree. */
export type Operation = 'merge' | 'unmerge' | 'update' | 'discard'

const failedWords: Record<Operation, string> = {
  merge: t`Could not merge it`,
  unmerge: t`Could not take the merge back`,
  update: t`Could not bring it up to date`,
  discard: t`Could not discard the work tree`,
}

/**
 * OwnTreeState holds the git work tree of the current notebook's agent, its changes there, and the
 * actions to merge them into the folder or discard them. A late answer for another notebook is
 * dropped.
 */
export class OwnTreeState implements Feature {
  readonly #backend: Backend
  readonly #host: ChangesHost
  readonly #follower: Follower<string, worktree.View>
  /** The running actions, by notebook. */
  readonly #busy = new SvelteMap<string, Operation>()
  #path = $state('')
  #view = $state.raw<worktree.View>()
  #fault = $state.raw<Fault>()
  #trouble = $state('')
  #updated = $state.raw<readonly string[]>([])

  constructor(backend: Backend, host: ChangesHost) {
    this.#backend = backend
    this.#host = host
    this.#follower = new Follower({
      ask: (path) => backend.call.Worktree(path),
      subject: (path) => path,
      answered: (view) => this.#take(view),
      failed: (fault) => {
        // Most notebooks have no work tree that could fail, and a lost connection is shown elsewhere.
        if (fault.kind !== 'canceled' && (this.#view || fault.code !== codeDisconnected)) this.#fault = fault
      },
    })
  }

  /** The notebook that is shown; "" for none. */
  get path(): string {
    return this.#path
  }
  /** The work tree; undefined until it is known, or if there is none. */
  get view(): worktree.View | undefined {
    return this.#view?.folder ? this.#view : undefined
  }
  /** Why the last request failed. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** The failure of the person's last action. */
  get trouble(): string {
    return this.#trouble
  }
  get busy(): Operation | undefined {
    return this.#busy.get(this.#path)
  }
  /** Files of the work tree with conflict markers, for the agent or the person to resolve. */
  get unsettled(): readonly string[] {
    const marked = (this.#view?.files ?? []).filter((f) => f.marks).map((f) => f.path)
    return [...new Set([...marked, ...this.#updated])]
  }

  /** follow sets the notebook to show; undefined for none. */
  follow(path: string | undefined): void {
    if (path === this.#path) return
    this.#view = this.#fault = undefined
    this.#trouble = ''
    this.#updated = []
    this.#path = path ?? ''
    if (path) this.#follower.ask(path)
    else this.#follower.stop()
  }

  load(): void {
    this.refresh()
  }
  apply(e: BackendEvent): void {
    const delay = this.#path ? filesAfter(e, this.#path, workingMs) : undefined
    if (delay !== undefined) this.#follower.again(delay)
  }

  refresh(): void {
    this.#fault = undefined
    this.#follower.again()
  }
  stop(): void {
    this.#follower.stop()
  }

  /**
   * Merges the agent's work into the folder and offers to undo that. With conflicts it writes nothing, and the view shows them.
   */
  merge(): Promise<void> {
    const files = this.#view?.files.length ?? 0
    return this.#do('merge', async (path) => {
      const view = await this.#backend.call.MergeWorktree(path)
      if (!view.merged && path === this.#path)
        this.#trouble = t`${failedWords.merge}: ${plural(view.conflict.length, 'file is', 'files are')} in conflict.`
      if (view.merged) this.#host.done(path, t`${plural(files, 'file')} merged into the folder`, '', () => void this.unmerge(path))
      return view
    })
  }

  /** Undoes the last merge of a notebook. */
  async unmerge(path = this.#path): Promise<void> {
    if (path === this.#path) return this.#do('unmerge', () => this.#backend.call.UnmergeWorktree(path))
    try {
      await this.#backend.call.UnmergeWorktree(path)
    } catch (thrown) {
      this.#host.failed(failedWords.unmerge, Fault.from(thrown))
    }
  }

  /** Merges the folder's changes into the work tree; files in conflict get both sides there. */
  update(): Promise<void> {
    const conflict = this.#view?.conflict ?? []
    return this.#do('update', async (path) => {
      const view = await this.#backend.call.UpdateWorktree(path)
      if (path === this.#path) this.#updated = conflict
      return view
    })
  }

  /** Discards the work tree. From then on the agent works in the folder itself. */
  discard(): Promise<void> {
    return this.#do('discard', async (path) => {
      await this.#backend.call.DiscardWorktree(path)
      return undefined
    })
  }

  /** Shows the folder in the system's file manager. */
  async reveal(): Promise<void> {
    try {
      await this.#backend.call.RevealWorktree(this.#path)
    } catch (thrown) {
      this.#host.failed(t`Could not show the folder`, Fault.from(thrown))
    }
  }

  /** Returns a prompt that asks the agent to resolve its files, and marks them as the agent's to resolve. */
  asked(): string {
    const list = this.unsettled.map((f) => `- ${f}`).join('\n')
    this.#updated = []
    return `These files of your work tree were changed in the folder as well, and both sides are in them now:\n${list}\nPut together what both sides meant, remove git's marks (<<<<<<<, =======, >>>>>>>), and check that everything still works.`
  }

  async #do(operation: Operation, work: (path: string) => Promise<worktree.View | undefined>): Promise<void> {
    const path = this.#path
    if (!path || this.#busy.has(path)) return
    this.#busy.set(path, operation)
    this.#trouble = ''
    try {
      const view = await work(path)
      if (path !== this.#path) return
      if (view) this.#take(view)
      else this.#view = undefined
    } catch (thrown) {
      const fault = Fault.from(thrown)
      if (path === this.#path) this.#trouble = `${failedWords[operation]}: ${fault.message}`
      else this.#host.failed(failedWords[operation], fault)
    } finally {
      this.#busy.delete(path)
      // An answer requested before the action is outdated.
      if (path === this.#path) this.#follower.again()
    }
  }

  #take(view: worktree.View): void {
    // Go may write an empty list as null.
    this.#view = { ...view, files: view.files ?? [], conflict: view.conflict ?? [] }
    this.#fault = undefined
    const there = new Set(this.#view.files.map((f) => f.path))
    if (this.#updated.some((f) => !there.has(f))) this.#updated = this.#updated.filter((f) => there.has(f))
  }
}

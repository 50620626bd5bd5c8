import { SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend, type BackendEvent, type workspace } from '$lib/backend/backend'
import { Follower } from '$lib/follow/follower'

/** A notebook that is renamed goes and comes: what is left then is told late. */
const goneMs = 1500

export interface LeftTreesHost {
  /** Shows a notebook. */
  open(path: string): void
  failed(title: string, fault: Fault): void
}

/** The work trees of the folder whose notebooks were deleted outside the program, and what to do with them. */
export class LeftTreesState {
  readonly #backend: Backend
  readonly #host: LeftTreesHost
  readonly #follower: Follower<string, workspace.LeftTree[]>
  readonly #later = new SvelteSet<string>()
  #list = $state.raw<readonly workspace.LeftTree[]>([])
  #busy = $state(false)

  constructor(backend: Backend, host: LeftTreesHost) {
    this.#backend = backend
    this.#host = host
    this.#follower = new Follower({
      ask: () => backend.call.LeftWorktrees(),
      subject: () => '',
      answered: (list) => (this.#list = list ?? []),
      failed: () => {}, // of most folders there is nothing to tell; the next change asks again
    })
  }

  /** Those that the person is told of. */
  get told(): readonly workspace.LeftTree[] {
    return this.#list.filter((t) => !this.#later.has(t.uuid))
  }
  get busy(): boolean {
    return this.#busy
  }

  refresh(): void {
    this.#follower.ask('')
  }
  apply(e: BackendEvent): void {
    if (e.type === 'treeChanged' && (e.data.removed?.length || this.#list.length)) this.#follower.again(goneMs)
  }
  stop(): void {
    this.#follower.stop()
  }

  /** Tells of none of these again before the next start. */
  dismiss(): void {
    for (const t of this.#list) this.#later.add(t.uuid)
  }

  /** Gives a work tree a notebook again, and shows that. */
  recall(tree: workspace.LeftTree): Promise<void> {
    return this.#do(tree, 'Could not recreate the notebook', async () => this.#host.open(await this.#backend.call.RecallWorktree(tree.uuid)))
  }

  /** Throws a work tree away with what was done in it. */
  discard(tree: workspace.LeftTree): Promise<void> {
    return this.#do(tree, 'Could not discard the work tree', () => this.#backend.call.DiscardLeftWorktree(tree.uuid))
  }

  async #do(tree: workspace.LeftTree, failed: string, work: () => Promise<void>): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      await work()
      this.#list = this.#list.filter((t) => t.uuid !== tree.uuid)
    } catch (thrown) {
      this.#host.failed(failed, Fault.from(thrown))
    } finally {
      this.#busy = false
      this.#follower.again()
    }
  }
}

import { SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend, type BackendEvent, type owned } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Follower } from '$lib/follow/follower'
import { t } from '$lib/language/language'

/** A renamed notebook disappears and reappears: wait before reporting its work tree. */
const goneMs = 1500

export interface LeftTreesHost {
  /** Shows a notebook. */
  open(path: string): void
  failed(title: string, fault: Fault): void
}

/** The folder's work trees whose notebooks were deleted outside the program, and the actions on them. */
export class LeftTreesState implements Feature {
  readonly #backend: Backend
  readonly #host: LeftTreesHost
  readonly #follower: Follower<string, owned.LeftTree[]>
  readonly #later = new SvelteSet<string>()
  #list = $state.raw<readonly owned.LeftTree[]>([])
  #busy = $state(false)

  constructor(backend: Backend, host: LeftTreesHost) {
    this.#backend = backend
    this.#host = host
    this.#follower = new Follower({
      ask: () => backend.call.LeftWorktrees(),
      subject: () => '',
      answered: (list) => (this.#list = list ?? []),
      failed: () => {}, // most folders have none; the next change asks again
    })
  }

  /** The work trees that the bar shows. */
  get visible(): readonly owned.LeftTree[] {
    return this.#list.filter((t) => !this.#later.has(t.uuid))
  }
  get busy(): boolean {
    return this.#busy
  }

  load(): void {
    this.#follower.ask('')
  }
  apply(e: BackendEvent): void {
    if (e.type === 'treeChanged' && (e.data.removed?.length || this.#list.length)) this.#follower.again(goneMs)
  }
  stop(): void {
    this.#follower.stop()
  }

  /** Dismisses these work trees until the next start. */
  dismiss(): void {
    for (const t of this.#list) this.#later.add(t.uuid)
  }

  /** Makes a notebook for a work tree, and shows it. */
  recall(tree: owned.LeftTree): Promise<void> {
    return this.#do(tree, t`Could not recreate the notebook`, async () =>
      this.#host.open(await this.#backend.call.RecallWorktree(tree.uuid)),
    )
  }

  /** Discards a work tree with all work in it. */
  discard(tree: owned.LeftTree): Promise<void> {
    return this.#do(tree, t`Could not discard the work tree`, () => this.#backend.call.DiscardLeftWorktree(tree.uuid))
  }

  async #do(tree: owned.LeftTree, failed: string, work: () => Promise<void>): Promise<void> {
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

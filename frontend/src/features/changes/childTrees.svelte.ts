import type { Backend, BackendEvent, owned } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Follower } from '$lib/follow/follower'

/** Git reads every file of each work tree, so do not ask after each step of an agent. */
const lookedMs = 1500

/** ChildTreesState holds the unmerged work of the agents below the current notebook, while shown. */
export class ChildTreesState implements Feature {
  readonly #follower: Follower<string, owned.ChildTree[]>
  #path = $state('')
  #list = $state.raw<readonly owned.ChildTree[]>([])

  constructor(backend: Backend) {
    this.#follower = new Follower({
      ask: (path) => backend.call.ChildTrees(path),
      subject: (path) => path,
      answered: (list) => (this.#list = list ?? []), // Go may write an empty list as null
      failed: () => undefined, // each work tree reports failures itself
    })
  }

  /** The work trees with changes that the folder lacks. */
  get list(): readonly owned.ChildTree[] {
    return this.#list
  }

  /** follow sets the notebook to show, if it has agents below it; undefined for none. */
  follow(path: string | undefined): void {
    if (path === this.#path) return
    this.#list = []
    this.#path = path ?? ''
    if (path) this.#follower.ask(path)
    else this.#follower.stop()
  }

  load(): void {
    this.#follower.again()
  }
  apply(e: BackendEvent): void {
    if (!this.#path) return
    if (e.type === 'filesChanged' || e.type === 'treeChanged' || e.type === 'runFinished') this.#follower.again(lookedMs)
  }

  stop(): void {
    this.#follower.stop()
  }
}

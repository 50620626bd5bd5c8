import { Fault, type Backend, type event, type kind } from '$lib/backend/backend'
import { whole, type Kind } from './words'

/** The kind of an agent whose notebook names none. */
export const usualKind = 'chat'

/** The kinds of agents that there are: the program's, and those of the folder. */
export class KindsState {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  #list = $state.raw<readonly Kind[]>([])

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
  }

  get list(): readonly Kind[] {
    return this.#list
  }
  /** The kind that a notebook names; undefined for one that is not there. One that cannot be chosen is the last to be meant. */
  find(name: string): Kind | undefined {
    const all = this.#list.filter((k) => k.name === (name || usualKind))
    return all.find((k) => !k.inert) ?? all[0]
  }

  load(kinds: readonly kind.Kind[] | null): void {
    this.#list = (kinds ?? []).map(whole)
  }
  apply(change: event.KindsChanged): void {
    this.load(change.kinds)
  }

  /** Makes a notebook's agent one of another kind; it counts from its next run on. */
  async set(path: string, name: string): Promise<void> {
    try {
      await this.#backend.call.SetKind(path, name)
    } catch (thrown) {
      this.#failed(`Could not change the kind to ${name}`, Fault.from(thrown))
    }
  }
}

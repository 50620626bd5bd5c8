import { Fault, type Backend, type BackendEvent, type kind } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { whole, type Kind } from './words'
import { t } from '$lib/language/language'

/** The kind of an agent whose notebook names none. */
export const usualKind = 'chat'

/** The available kinds of agents: the program's and the folder's. */
export class KindsState implements Feature {
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
  /** The kind that a notebook names; undefined if it does not exist. Prefers a selectable kind over an untrusted one of the same name. */
  find(name: string): Kind | undefined {
    const all = this.#list.filter((k) => k.name === (name || usualKind))
    return all.find((k) => !k.inert) ?? all[0]
  }

  load({ kinds }: { kinds: readonly kind.Kind[] | null }): void {
    this.#list = (kinds ?? []).map(whole)
  }
  apply(e: BackendEvent): void {
    if (e.type === 'kindsChanged') this.load(e.data)
  }
  stop(): void {} // it requests nothing by itself

  /** Changes the kind of a notebook's agent, from its next run on. */
  async set(path: string, name: string): Promise<void> {
    try {
      await this.#backend.call.SetKind(path, name)
    } catch (thrown) {
      this.#failed(t`Could not change the kind to ${name}`, Fault.from(thrown))
    }
  }
}

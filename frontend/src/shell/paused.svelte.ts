import { Fault, type Backend, type BackendEvent } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { t } from '$lib/language/language'

/** Whether the person holds all agents before their next request. */
export class PausedState implements Feature {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  #on = $state(false)
  #busy = $state(false)

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
  }

  get on(): boolean {
    return this.#on
  }
  /** The program was asked and has not answered yet. */
  get busy(): boolean {
    return this.#busy
  }

  load({ paused }: { paused: boolean }): void {
    this.#on = paused
  }
  apply(e: BackendEvent): void {
    if (e.type === 'pausedChanged') this.load(e.data)
  }
  stop(): void {} // it requests nothing by itself

  /** Pauses or resumes all agents; the state changes with the program's event. */
  async set(paused: boolean): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      await this.#backend.call.SetPaused(paused)
    } catch (thrown) {
      this.#failed(paused ? t`Could not pause the agents` : t`Could not resume the agents`, Fault.from(thrown))
    } finally {
      this.#busy = false
    }
  }
}

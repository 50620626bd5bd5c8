import { Fault, type Backend } from '$lib/backend/backend'

/** Whether the person holds all agents before their next request. */
export class PausedState {
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
  /** The program has been asked and has not answered. */
  get busy(): boolean {
    return this.#busy
  }

  /** Takes what the program says, of a snapshot or an event. */
  load(paused: boolean): void {
    this.#on = paused
  }

  /** Holds all agents, or lets them go on; the program's event says that it is so. */
  async set(paused: boolean): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      await this.#backend.call.SetPaused(paused)
    } catch (thrown) {
      this.#failed(paused ? 'Could not pause the agents' : 'Could not resume the agents', Fault.from(thrown))
    } finally {
      this.#busy = false
    }
  }
}

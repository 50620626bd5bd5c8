import { Fault, type Backend } from '$lib/backend/backend'
import type { AgentsState } from './agents.svelte'
import { isLive, nameOf } from './sign'
import type { Node } from './tree'

/** An agent that is to be stopped while others that it started are at work. */
export interface Question {
  node: Node
  /** Those that it started, directly or through others, and that run or wait. */
  others: Node[]
}

/** Stopping agents. Whether those that one started are to be stopped too is asked once, and only when there are any. */
export class StopState {
  readonly #backend: Backend
  readonly #agents: AgentsState
  readonly #failed: (title: string, fault: Fault) => void
  #asking = $state.raw<Question | undefined>()

  constructor(backend: Backend, agents: AgentsState, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#agents = agents
    this.#failed = failed
  }

  /** What the person is asked. */
  get asking(): Question | undefined {
    return this.#asking
  }

  /** Stops the agent of a notebook; asks first when those that it started are at work. */
  async stop(file: string): Promise<void> {
    const node = this.#agents.node(file)
    const others = node ? this.#agents.liveBelow(node) : []
    if (!node || others.length === 0) await this.#do(file, 'Stop')
    else if (isLive(node)) this.#asking = { node, others }
    else await this.#do(file, 'StopTree')
  }

  cancel(): void {
    this.#asking = undefined
  }

  /** Stops the agent that was asked about: with all that it started, or alone. */
  async answer(all: boolean): Promise<void> {
    const asked = this.#asking
    if (!asked) return
    this.#asking = undefined
    await this.#do(asked.node.file, all ? 'StopTree' : 'Stop')
  }

  async #do(file: string, how: 'Stop' | 'StopTree'): Promise<void> {
    try {
      await this.#backend.call[how](file)
    } catch (thrown) {
      const node = this.#agents.node(file)
      this.#failed(`Could not stop “${node ? nameOf(node) : file}”`, Fault.from(thrown))
    }
  }
}

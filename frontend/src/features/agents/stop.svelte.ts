import { Fault, type Backend } from '$lib/backend/backend'
import type { AgentsState } from './agents.svelte'
import { isLive, nameOf } from './statusDot'
import type { Node } from './node'
import { t } from '$lib/language/language'

/** A request to stop an agent whose descendants are active. */
export interface Question {
  node: Node
  /** Its active descendants. */
  others: Node[]
}

/** Stops agents. If an agent has active descendants, it asks once whether to stop them too. */
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

  /** The open question. */
  get asking(): Question | undefined {
    return this.#asking
  }

  /** Stops the agent of a notebook; asks first if it has active descendants. */
  async stop(file: string): Promise<void> {
    const node = this.#agents.node(file)
    const others = node ? this.#agents.liveBelow(node) : []
    // eslint-disable-next-line words/sentences -- the name of a call
    if (!node || others.length === 0) await this.#do(file, 'Stop')
    else if (isLive(node)) this.#asking = { node, others }
    else await this.#do(file, 'StopTree')
  }

  cancel(): void {
    this.#asking = undefined
  }

  /** Stops the agent in question, with its descendants or alone. */
  async answer(all: boolean): Promise<void> {
    const asked = this.#asking
    if (!asked) return
    this.#asking = undefined
    // eslint-disable-next-line words/sentences -- the name of a call
    await this.#do(asked.node.file, all ? 'StopTree' : 'Stop')
  }

  async #do(file: string, how: 'Stop' | 'StopTree'): Promise<void> {
    try {
      await this.#backend.call[how](file)
    } catch (thrown) {
      const node = this.#agents.node(file)
      this.#failed(t`Could not stop “${node ? nameOf(node) : file}”`, Fault.from(thrown))
    }
  }
}

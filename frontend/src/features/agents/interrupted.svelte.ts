import { SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend } from '$lib/backend/backend'
import type { AgentsState } from './agents.svelte'
import { nameOf } from './statusDot'
import type { Node } from './node'
import { topmost } from './tree'
import { t } from '$lib/language/language'

/** The agents that were running when the program ended, and their resumption. */
export class InterruptedState {
  readonly #backend: Backend
  readonly #agents: AgentsState
  readonly #failed: (title: string, fault: Fault) => void
  /** Files whose notice the person dismissed. */
  #dismissed = new SvelteSet<string>()
  #busy = $state(false)
  readonly #list = $derived.by(() => this.#agents.pick((n) => n.marks.includes('interrupted')))

  constructor(backend: Backend, agents: AgentsState, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#agents = agents
    this.#failed = failed
  }

  /** The agents that the notice shows. */
  get visible(): Node[] {
    return this.#list.filter((n) => !this.#dismissed.has(n.file))
  }
  /** Agents are being resumed. */
  get busy(): boolean {
    return this.#busy
  }

  dismiss(): void {
    for (const node of this.#list) this.#dismissed.add(node.file)
  }

  /** Shows only them in the list. */
  show(): void {
    this.#agents.filter = ''
    this.#agents.only = 'interrupted'
  }

  async resume(file: string): Promise<void> {
    await this.#resume([file])
  }

  /** Resumes all of them. An agent below another one is left to its parent, which rejoins its children itself. */
  async resumeAll(): Promise<void> {
    await this.#resume(topmost(this.#agents.family, this.visible).map((n) => n.file))
  }

  async #resume(files: string[]): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    const failed: { file: string; fault: Fault }[] = []
    for (const file of files) {
      try {
        await this.#backend.call.Resume(file)
      } catch (thrown) {
        failed.push({ file, fault: Fault.from(thrown) })
      }
    }
    this.#busy = false
    const [first] = failed
    if (!first) return
    const node = this.#agents.node(first.file)
    const others = failed.length > 1 ? t` and ${failed.length - 1} more` : ''
    this.#failed(t`Could not resume “${node ? nameOf(node) : first.file}”${others}`, first.fault)
  }
}

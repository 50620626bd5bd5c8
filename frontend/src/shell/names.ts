import { agentName } from '$lib/format/name'
import type { AgentsState } from '../features/agents/agents.svelte'
import type { OpenBooks } from './openBooks'

/** Names returns the display names of notebooks, the same everywhere in the window. */
export class Names {
  readonly #agents: AgentsState
  readonly #books: OpenBooks

  constructor(agents: AgentsState, books: OpenBooks) {
    this.#agents = agents
    this.#books = books
  }

  /** The name of a notebook in the tree, or its file's name. */
  of(path: string): string {
    return agentName(this.#agents.node(path)?.name.trim() || this.#books.get(path)?.meta?.name, path)
  }

  /** Its name, with a suffix if another notebook has the same name. */
  full(path: string): string {
    return [this.of(path), this.#agents.apart(path)].filter(Boolean).join(' · ')
  }
}

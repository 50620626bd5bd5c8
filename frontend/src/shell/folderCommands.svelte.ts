import type { Backend, complete } from '$lib/backend/backend'

/** FolderCommands holds the commands that the folder offers for prompts. */
export class FolderCommands {
  #list = $state.raw<readonly complete.Item[]>()

  /** undefined: not known yet. */
  get list(): readonly complete.Item[] | undefined {
    return this.#list
  }

  /** Asks for the commands that the prompts of a notebook can name. */
  async load(backend: Pick<Backend, 'complete'>, path: string): Promise<void> {
    this.#list = await backend.complete(path, 'command', '').catch(() => [])
  }
}

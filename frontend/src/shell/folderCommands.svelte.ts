import type { Backend, complete } from '$lib/backend/backend'

/** FolderCommands holds the folder's commands for prompts. */
export class FolderCommands {
  #list = $state.raw<readonly complete.Item[]>()

  /** undefined: not loaded yet. */
  get list(): readonly complete.Item[] | undefined {
    return this.#list
  }

  /** Requests the commands that prompts of a notebook can use. */
  async load(backend: Pick<Backend, 'complete'>, path: string): Promise<void> {
    this.#list = await backend.complete(path, 'command', '').catch(() => [])
  }
}

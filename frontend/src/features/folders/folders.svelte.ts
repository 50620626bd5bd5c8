import { Fault, type Backend } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { t } from '$lib/language/language'

type Failed = (title: string, fault: Fault) => void

/** The folders that can be opened, each in its own window. */
export class FoldersState implements Feature {
  readonly #backend: Backend
  readonly #failed: Failed
  #desktop = $state(false)
  #folder = $state('')
  #recent = $state.raw<readonly string[]>([])
  #asking = $state(false)
  /** What is being opened: a second press opens nothing more. */
  readonly #opening = new Set<string>()

  constructor(backend: Backend, failed: Failed) {
    this.#backend = backend
    this.#failed = failed
  }

  load(snapshot: { desktop: boolean; folder: string; recent: readonly string[] }): void {
    this.#desktop = snapshot.desktop
    this.#folder = snapshot.folder
    this.#recent = snapshot.recent
  }
  apply(): void {} // no event concerns it
  stop(): void {}

  /** The folder of this window, as an absolute path. */
  get folder(): string {
    return this.#folder
  }
  /** Other folders that were opened before, newest first. */
  get recent(): readonly string[] {
    return this.#recent.filter((f) => f !== this.#folder)
  }
  /** The page asks for a path: a browser has no dialog for folders of the serving machine. */
  get asking(): boolean {
    return this.#asking
  }
  stopAsking(): void {
    this.#asking = false
  }

  /** Lets the person choose a folder, and opens it. */
  async choose(): Promise<void> {
    if (!this.#desktop) {
      this.#asking = true
      return
    }
    try {
      await this.#backend.call.ChooseFolder()
    } catch (thrown) {
      this.#failed(t`Could not open the folder`, Fault.from(thrown))
    }
  }

  /** Whether another window of this folder can be opened: only in a browser. */
  get another(): boolean {
    return !this.#desktop
  }

  /** Opens this folder in another window of the browser: the address of the first one works only once. */
  async openAnother(): Promise<void> {
    try {
      this.#show(await this.#backend.windowAddress())
    } catch (thrown) {
      this.#failed(t`Could not open another window`, Fault.from(thrown))
    }
  }

  /** Opens a folder and reports whether that worked. In a browser, this folder gets another window of the same program. */
  async open(path: string): Promise<boolean> {
    if (this.another && path.replace(/[/\\]+$/, '') === this.#folder) {
      await this.openAnother()
      return true
    }
    return this.#once(path, t`Could not open the folder`, () => this.#backend.call.OpenFolder(path))
  }

  /** Opens the sample folder, and makes it if it does not exist. */
  async openSample(): Promise<void> {
    await this.#once('', t`Could not open the tour`, () => this.#backend.call.OpenSample())
  }

  /** Shows the window whose address is asked for, unless it is being opened already; reports whether that worked. */
  async #once(what: string, title: string, ask: () => Promise<string>): Promise<boolean> {
    if (this.#opening.has(what)) return false
    this.#opening.add(what)
    try {
      const address = await ask()
      if (address) this.#show(address)
      return true
    } catch (thrown) {
      this.#failed(title, Fault.from(thrown))
      return false
    } finally {
      this.#opening.delete(what)
    }
  }

  #show(address: string): void {
    if (!window.open(address, '_blank'))
      throw new Fault('denied', t`The browser blocked the new tab. Allow pop-ups for this page, then open it again.`)
  }
}

/** The last name of a path and its parent folder, for a menu. */
export function pathParts(path: string): { name: string; around: string } {
  const trimmed = path.replace(/[/\\]+$/, '')
  const at = Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\'))
  return at < 0 ? { name: trimmed, around: '' } : { name: trimmed.slice(at + 1) || trimmed, around: trimmed.slice(0, at) || '/' }
}

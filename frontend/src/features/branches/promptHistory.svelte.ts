import { Fault, type Backend, type branches } from '$lib/backend/backend'

/** A prompt of a notebook. */
export interface PromptAt {
  path: string
  cell: string
  /** The number that the gutter shows. */
  number: number
}

export interface PromptHistoryHost {
  /** The current text of a prompt in the window. */
  text(at: PromptAt): string
  /** Restores the text that a prompt had until a time; false if it failed. */
  bringBack(at: PromptAt, until: string): Promise<boolean>
}

/** An earlier text of a prompt. */
export interface Version {
  /** The time of its replacement, in the program's notation. */
  until: string
  text: string
  /** The text that replaced it. */
  next: string
  added: number
  removed: number
}

/** PromptHistoryState shows the sent versions of a prompt, and restores one. */
export class PromptHistoryState {
  readonly #backend: Backend
  readonly #host: PromptHistoryHost
  #shown = $state.raw<PromptAt>()
  #versions = $state.raw<readonly Version[]>()
  #fault = $state.raw<Fault>()
  #busy = $state(false)
  #asked = 0

  constructor(backend: Backend, host: PromptHistoryHost) {
    this.#backend = backend
    this.#host = host
  }

  /** The prompt whose dialog is open. */
  get shown(): PromptAt | undefined {
    return this.#shown
  }
  /** Its earlier texts, the latest first; undefined until they are known. */
  get versions(): readonly Version[] | undefined {
    return this.#versions
  }
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** Whether a text is being restored. */
  get busy(): boolean {
    return this.#busy
  }

  async open(at: PromptAt): Promise<void> {
    const asked = ++this.#asked
    this.#shown = at
    this.#versions = this.#fault = undefined
    try {
      const found = await this.#backend.call.PromptHistory(at.path, at.cell)
      if (asked === this.#asked) this.#versions = versionsOf(found, this.#host.text(at))
    } catch (thrown) {
      if (asked === this.#asked) this.#fault = Fault.from(thrown)
    }
  }

  close(): void {
    this.#asked++
    this.#shown = undefined
  }

  /** bringBack restores an earlier text of the prompt, and closes the dialog. */
  async bringBack(version: Version): Promise<void> {
    const at = this.#shown
    if (!at || this.#busy) return
    this.#busy = true
    const done = await this.#host.bringBack(at, version.until)
    this.#busy = false
    if (done && this.#shown === at) this.close()
  }
}

/** Each version with its successor; the current text follows the latest one. */
function versionsOf(found: readonly branches.PromptVersion[], now: string): Version[] {
  return found.map((v, i) => ({ until: v.at, text: v.text, next: i === 0 ? now : found[i - 1]!.text, added: v.added, removed: v.removed }))
}

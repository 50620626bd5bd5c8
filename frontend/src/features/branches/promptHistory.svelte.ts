import { Fault, type Backend, type branches } from '$lib/backend/backend'

/** A prompt of a notebook. */
export interface PromptAt {
  path: string
  cell: string
  /** As the gutter shows it. */
  number: number
}

export interface PromptHistoryHost {
  /** The text of a prompt now, as the window has it. */
  text(at: PromptAt): string
  /** Gives a prompt the text again that it had until a time; false when it could not. */
  bringBack(at: PromptAt, until: string): Promise<boolean>
}

/** An earlier text of a prompt. */
export interface Version {
  /** When it was replaced, as the program names it. */
  until: string
  text: string
  /** What took its place. */
  next: string
  added: number
  removed: number
}

/** PromptHistoryState shows the texts that a prompt had when it was sent, and brings one back. */
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
  /** Whether a text is being brought back. */
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

  /** bringBack gives the prompt an earlier text again, and closes the dialog. */
  async bringBack(version: Version): Promise<void> {
    const at = this.#shown
    if (!at || this.#busy) return
    this.#busy = true
    const done = await this.#host.bringBack(at, version.until)
    this.#busy = false
    if (done && this.#shown === at) this.close()
  }
}

/** Each version with what followed it; the text of now follows the latest. */
function versionsOf(found: readonly branches.PromptVersion[], now: string): Version[] {
  return found.map((v, i) => ({ until: v.at, text: v.text, next: i === 0 ? now : found[i - 1]!.text, added: v.added, removed: v.removed }))
}

import { Fault, type Backend, type BackendEvent, type workspace } from '$lib/backend/backend'

const nothing: workspace.TrustView = { trusted: true, asked: true, rules: [], skills: [], kinds: [], servers: [], fresh: [], notebooks: 0 }

/**
 * TrustState is whether what the folder brings takes effect: the person is
 * asked once, and can change it at any time.
 */
export class TrustState {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  #view = $state.raw<workspace.TrustView>(nothing)
  #asking = $state(false)
  #quiet = $state(false)
  #loads = 0
  #answered = false

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
  }

  get view(): workspace.TrustView {
    return this.#view
  }
  get trusted(): boolean {
    return this.#view.trusted
  }
  /** Whether the folder brings anything that trust is about. */
  get brings(): boolean {
    return this.#view.rules.length + this.#view.skills.length + this.#view.kinds.length + this.#view.servers.length + this.#view.notebooks > 0
  }
  /** Whether the question is on the screen. */
  get asking(): boolean {
    return this.#asking
  }
  /** Files that came or changed since the person trusted the folder. */
  get fresh(): readonly string[] {
    return this.#view.trusted ? this.#view.fresh : []
  }
  /** Whether the bar says that something the folder brings is inert. */
  get told(): boolean {
    return (!this.#view.trusted && this.brings || this.fresh.length > 0) && !this.#quiet
  }

  /** Takes what a snapshot says; the first time it asks by itself. */
  load(view: workspace.TrustView, scanning: boolean): void {
    this.#view = { ...view, rules: view.rules ?? [], skills: view.skills ?? [], kinds: view.kinds ?? [], servers: view.servers ?? [], fresh: view.fresh ?? [] }
    // While the folder is looked through it is not known what it brings.
    if (!view.trusted && !view.asked && !this.#answered && !scanning && this.brings) this.#asking = true
  }

  apply(e: Extract<BackendEvent, { type: 'trustChanged' }>): void {
    this.#view = { ...this.#view, trusted: e.data.trusted, asked: e.data.asked, fresh: [] }
    this.#asking = false
    this.#quiet = false
  }

  /** Rules came or went: what the folder brings is looked at again. */
  async reload(): Promise<void> {
    const mine = ++this.#loads
    try {
      const { trust, scanning } = await this.#backend.call.Snapshot()
      if (mine === this.#loads) this.load(trust, scanning)
    } catch {
      // What was known stays; the stream notices as well.
    }
  }

  /** Takes the question away undecided, where it was answered before. */
  leave(): void {
    if (this.#view.asked) this.#asking = false
    else void this.decide(false)
  }
  /** Asks once more, because the person wants to. */
  ask(): void {
    this.#asking = true
  }
  /** Takes the bar away until the program starts again. */
  hush(): void {
    this.#quiet = true
  }

  async decide(trusted: boolean): Promise<void> {
    this.#asking = false
    this.#answered = true
    const before = this.#view
    this.#view = { ...before, trusted, asked: true, fresh: [] }
    try {
      await this.#backend.call.TrustFolder(trusted)
    } catch (thrown) {
      this.#view = before
      this.#failed(trusted ? 'Could not trust the folder' : 'Could not stop trusting the folder', Fault.from(thrown))
    }
  }
}

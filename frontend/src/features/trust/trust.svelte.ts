import { Fault, type Backend, type BackendEvent, type access, type workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { t } from '$lib/language/language'

const nothing: access.TrustView = {
  trusted: true,
  asked: true,
  rules: [],
  guides: [],
  skills: [],
  commands: [],
  kinds: [],
  servers: [],
  fresh: [],
  notebooks: 0,
}

/**
 * TrustState holds whether the folder's files take effect. The person is asked once, and can change
 * it at any time.
 */
export class TrustState implements Feature {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  #view = $state.raw<access.TrustView>(nothing)
  #asking = $state(false)
  #quiet = $state(false)
  #scanning = false
  #answered = false

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
  }

  get view(): access.TrustView {
    return this.#view
  }
  get trusted(): boolean {
    return this.#view.trusted
  }
  /** Whether the folder brings anything that needs trust. */
  get brings(): boolean {
    return (
      this.#view.rules.length +
        this.#view.guides.length +
        this.#view.skills.length +
        this.#view.kinds.length +
        this.#view.servers.length +
        this.#view.commands.length +
        this.#view.notebooks >
      0
    )
  }
  /** Whether the question is shown. */
  get asking(): boolean {
    return this.#asking
  }
  /** Files that are new or changed since the person trusted the folder. */
  get fresh(): readonly string[] {
    return this.#view.trusted ? this.#view.fresh : []
  }
  /** Whether the bar reports that something in the folder has no effect. */
  get visible(): boolean {
    return ((!this.#view.trusted && this.brings) || this.fresh.length > 0) && !this.#quiet
  }

  /** Takes the trust from a snapshot or an event; the first one may open the question. */
  load({ trust: view, scanning }: Pick<workspace.Snapshot, 'trust' | 'scanning'>): void {
    this.#scanning = scanning
    this.#view = {
      ...view,
      rules: view.rules ?? [],
      guides: view.guides ?? [],
      skills: view.skills ?? [],
      kinds: view.kinds ?? [],
      servers: view.servers ?? [],
      commands: view.commands ?? [],
      fresh: view.fresh ?? [],
    }
    // While the folder is being scanned, its files are not known.
    if (!view.trusted && !view.asked && !this.#answered && !scanning && this.brings) this.#asking = true
    // Another window answered: nothing is left to ask about.
    else if (view.trusted && this.fresh.length === 0) this.#asking = false
  }

  /** Takes the folder's trust with what it brings. */
  apply(e: BackendEvent): void {
    if (e.type === 'folderScanned') this.load({ trust: e.data.trust, scanning: false })
    if (e.type !== 'trustChanged') return
    const { trust } = e.data
    // A new or changed file is not an answer: an open question stays open.
    if (trust.trusted !== this.#view.trusted || trust.asked !== this.#view.asked) this.#asking = false
    this.#quiet = false
    this.load({ trust, scanning: this.#scanning })
  }

  /** Closes the question without a decision if it was answered before. */
  leave(): void {
    if (this.#view.asked) this.#asking = false
    else void this.decide(false)
  }
  /** Asks again, because the person wants to. */
  ask(): void {
    this.#asking = true
  }
  /** Hides the bar until the next start of the program. */
  dismiss(): void {
    this.#quiet = true
  }

  stop(): void {} // its only request is the person's decision

  async decide(trusted: boolean): Promise<void> {
    this.#asking = false
    this.#answered = true
    const before = this.#view
    this.#view = { ...before, trusted, asked: true, fresh: [] }
    try {
      await this.#backend.call.TrustFolder(trusted)
    } catch (thrown) {
      this.#view = before
      this.#failed(trusted ? t`Could not trust the folder` : t`Could not stop trusting the folder`, Fault.from(thrown))
    }
  }
}

import type { Backend, workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { wait } from '$lib/backend/wait'

const askedAfterMs = 300

/** FolderScan polls the folder's snapshot until the program has scanned it: no event reports that. */
export class FolderScan implements Feature {
  readonly #backend: Backend
  readonly #scanned: (snapshot: workspace.Snapshot) => void
  readonly #stopped = new AbortController()
  #snapshot = $state.raw<workspace.Snapshot>()
  #waiting = false

  /** scanned is called once the folder has been scanned; the agents themselves arrive as events. */
  constructor(backend: Backend, scanned: (snapshot: workspace.Snapshot) => void) {
    this.#backend = backend
    this.#scanned = scanned
  }

  /** The last snapshot; undefined before the first. */
  get snapshot(): workspace.Snapshot | undefined {
    return this.#snapshot
  }

  load(snapshot: workspace.Snapshot): void {
    this.#snapshot = snapshot
    if (snapshot.scanning && !this.#waiting) void this.#untilScanned()
  }

  apply(): void {} // no event is about it
  stop(): void {
    this.#stopped.abort()
  }

  async #untilScanned(): Promise<void> {
    this.#waiting = true
    try {
      while (!this.#stopped.signal.aborted && this.#snapshot?.scanning) {
        await wait(askedAfterMs, this.#stopped.signal)
        const { scanning, trust } = await this.#backend.call.Snapshot()
        if (scanning || !this.#snapshot.scanning) continue
        this.#snapshot = { ...this.#snapshot, scanning, trust }
        this.#scanned(this.#snapshot)
      }
    } catch {
      // The stream notices as well, and loads again.
    } finally {
      this.#waiting = false
    }
  }
}

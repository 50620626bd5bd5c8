import type { BackendEvent, workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'

/** FolderScan holds the last snapshot, and whether the program still looks through the folder. */
export class FolderScan implements Feature {
  readonly #scanned: (snapshot: workspace.Snapshot) => void
  #snapshot = $state.raw<workspace.Snapshot>()

  /** scanned is called once the folder has been scanned, if it had not been when the snapshot was made. */
  constructor(scanned: (snapshot: workspace.Snapshot) => void) {
    this.#scanned = scanned
  }

  /** The last snapshot; undefined before the first. */
  get snapshot(): workspace.Snapshot | undefined {
    return this.#snapshot
  }

  load(snapshot: workspace.Snapshot): void {
    this.#snapshot = snapshot
  }

  /** Takes the end of the scan; the agents themselves have arrived as events before it. */
  apply(e: BackendEvent): void {
    if (e.type !== 'folderScanned' || !this.#snapshot?.scanning) return
    this.#snapshot = { ...this.#snapshot, scanning: false, trust: e.data.trust }
    this.#scanned(this.#snapshot)
  }

  stop(): void {} // it asks nothing by itself
}

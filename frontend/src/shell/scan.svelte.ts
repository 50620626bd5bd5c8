import type { BackendEvent, workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'

/** FolderScan holds the last snapshot, and whether the program is still scanning the folder. */
export class FolderScan implements Feature {
  readonly #scanned: (snapshot: workspace.Snapshot) => void
  #snapshot = $state.raw<workspace.Snapshot>()

  /** scanned is called once the folder has been scanned, if it had not been at the time of the snapshot. */
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

  /** Notes the end of the scan; the agents themselves have already arrived as events. */
  apply(e: BackendEvent): void {
    if (e.type !== 'folderScanned' || !this.#snapshot?.scanning) return
    this.#snapshot = { ...this.#snapshot, scanning: false, trust: e.data.trust }
    this.#scanned(this.#snapshot)
  }

  stop(): void {} // it requests nothing by itself
}

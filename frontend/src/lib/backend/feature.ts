import type { workspace } from '$wails/go/models'
import type { BackendEvent } from './events'

/**
 * Feature is a part of the interface that follows the program. The window passes every snapshot and
 * every event to each of its features, in a fixed order.
 */
export interface Feature {
  /**
   * Takes a snapshot. again: it is not the first one, because events were missed; the person's
   * changes in this window stay. Events are held back until the promise is fulfilled. It never
   * rejects.
   */
  load(snapshot: workspace.Snapshot, again: boolean): void | Promise<void>
  /** Applies an event; most of them concern other features. */
  apply(event: BackendEvent): void
  /** Ends timers and running requests; nothing is called afterwards. */
  stop(): void
}

import type { workspace } from '$wails/go/models'
import type { BackendEvent } from './events'

/**
 * Feature is a part of the interface that follows the program. The window hands
 * every snapshot and every event to each of its features, in a fixed order.
 */
export interface Feature {
  /**
   * Takes a snapshot. again: it is not the first one, since events were
   * missed; changes that the person made in this window stay. Events are
   * held back until the promise is fulfilled. It never rejects.
   */
  load(snapshot: workspace.Snapshot, again: boolean): void | Promise<void>
  /** Takes an event; most of them concern other features. */
  apply(event: BackendEvent): void
  /** Ends timers and questions under way; nothing is called after it. */
  stop(): void
}

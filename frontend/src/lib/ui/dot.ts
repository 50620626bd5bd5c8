import { t } from '$lib/language/language'

/** The meaning of a dot; its colour and shape mean the same everywhere. */
export type DotKind = 'standby' | 'pending' | 'queued' | 'waiting' | 'running' | 'stuck' | 'finished' | 'failed' | 'interrupted'

/** The name of each kind, for screen readers and tooltips. */
export const dotNames: Record<DotKind, string> = {
  standby: t`Idle`,
  pending: t`Pending`,
  queued: t`Queued`,
  waiting: t`Needs you`,
  running: t`Running`,
  stuck: t`Stuck`,
  finished: t`Finished`,
  failed: t`Failed`,
  interrupted: t`Interrupted`,
}

/** How long a running dot rests before it turns by an eighth in WebKitGTK, in milliseconds; Dot.svelte has the same time. */
const STEP_MS = 500

/** Whether running dots turn in steps, and one is between two times of the page's timeline, in milliseconds. */
export const dotsTurn = (after: number, until: number): boolean =>
  globalThis.document?.documentElement.dataset.engine === 'webkitgtk' && Math.floor(after / STEP_MS) !== Math.floor(until / STEP_MS)

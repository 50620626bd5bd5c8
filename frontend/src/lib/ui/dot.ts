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

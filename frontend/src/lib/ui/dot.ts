/** The meaning of a dot; its colour and shape mean the same everywhere. */
export type DotKind = 'standby' | 'pending' | 'queued' | 'waiting' | 'running' | 'stuck' | 'finished' | 'failed' | 'interrupted'

/** The name of each, for screen readers and tooltips. */
export const dotNames: Record<DotKind, string> = {
  standby: 'Idle',
  pending: 'Pending',
  queued: 'Queued',
  waiting: 'Needs you',
  running: 'Running',
  stuck: 'Stuck',
  finished: 'Finished',
  failed: 'Failed',
  interrupted: 'Interrupted',
}

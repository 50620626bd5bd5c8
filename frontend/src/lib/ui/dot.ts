/** What a dot says; its colour means the same everywhere. */
export type DotKind = 'standby' | 'pending' | 'waiting' | 'running' | 'finished' | 'failed'

/** The name of each, for screen readers and tooltips. */
export const dotNames: Record<DotKind, string> = {
  standby: 'Standby',
  pending: 'Pending',
  waiting: 'Needs you',
  running: 'Running',
  finished: 'Finished',
  failed: 'Failed',
}

import type { event } from '$lib/backend/backend'
import { tenths } from '$lib/format/number'
import { t } from '$lib/language/language'

type Progress = Pick<event.CallProgress, 'done' | 'total'>

/** The completed share, from 0 to 1; undefined: unknown. */
export function shareOf({ done, total }: Progress): number | undefined {
  return total > 0 && done >= 0 ? Math.min(1, done / total) : undefined
}

/** The progress in numbers; a tool may count in any unit, so large numbers become a share. */
export function countOf(progress: Progress): string {
  const { done, total } = progress
  const share = shareOf(progress)
  if (share === undefined) return done > 0 && done < 1e9 ? tenths(done) : ''
  if (total <= 1 || total >= 1e6) return `${Math.round(share * 100)} %`
  return t`${tenths(done)} of ${tenths(total)} done`
}

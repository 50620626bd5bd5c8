import type { ApprovalsState } from './approvals.svelte'
import type { Request } from './words'

/** What every whole card of a request is given. */
export interface CardProps {
  approvals: ApprovalsState
  request: Request
  /** It stands in the answer of the agent that asks: who and where are plain. */
  inline?: boolean
  /** Shows where the agent asks. */
  onopen?: () => void
  /** It was decided with a key or a click. */
  ondecided?: () => void
  /** The keyboard goes back to where it was. */
  onleave?: () => void
}

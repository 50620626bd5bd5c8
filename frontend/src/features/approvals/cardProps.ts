import type { ApprovalsState } from './approvals.svelte'
import type { Request } from './words'

/** The props of every whole card of a request. */
export interface CardProps {
  approvals: ApprovalsState
  request: Request
  /** It is in the answer of the asking agent, which shows who and where. */
  inline?: boolean
  /** Shows where the agent asks. */
  onopen?: () => void
  /** It was decided with a key or a click. */
  ondecided?: () => void
  /** The keyboard goes back to where it was. */
  onleave?: () => void
}

import type { ApprovalsState } from './approvals.svelte'
import type { Request } from './words'

/** The props of every whole card of a request. */
export interface CardProps {
  approvals: ApprovalsState
  request: Request
  /** The card is in the answer of the asking agent, which shows who asks and where. */
  inline?: boolean
  /** Shows the place where the agent asks. */
  onopen?: () => void
  /** It was decided with a key or a click. */
  ondecided?: () => void
  /** The focus returns to its previous place. */
  onleave?: () => void
}

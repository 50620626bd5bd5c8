import type { acp } from '$lib/backend/backend'
import type { DotKind } from '$lib/ui/dot'
import { t } from '$lib/language/language'

/** The dot for each state of an agent. */
export const stateDots: Record<string, DotKind> = { ready: 'finished', signIn: 'waiting', broken: 'failed', missing: 'standby' }

const words: Record<string, string> = {
  ready: t`ready`,
  signIn: t`needs you to sign in`,
  broken: t`does not start`,
  missing: t`not on this computer`,
}

/** The state of an agent in words. */
export const stateOf = (agent: acp.View): string => words[agent.state] ?? agent.state

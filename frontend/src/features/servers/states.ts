import type { mcp } from '$lib/backend/backend'
import type { DotKind } from '$lib/ui/dot'
import { t } from '$lib/language/language'

/** The dots of the states of servers. */
export const stateDots: Record<string, DotKind> = { ready: 'finished', starting: 'running', failed: 'failed', signIn: 'waiting' }

const words: Record<string, string> = {
  configured: t`Starts when it is first used`,
  starting: t`Starting…`,
  ready: t`Ready`,
  failed: t`Failed`,
  signIn: t`Needs sign-in`,
  stopped: t`Stopped by you`,
}

/** cannotStart reports whether a server waits for the person to put something right, which its problem says. */
export const cannotStart = (s: mcp.View): boolean => s.state === 'configured' && s.problem !== ''

/** stateOf says how a server fares. */
export const stateOf = (s: mcp.View): string => (cannotStart(s) ? t`Not started` : (words[s.state] ?? s.state))

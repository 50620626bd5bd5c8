import type { mcp } from '$lib/backend/backend'
import type { DotKind } from '$lib/ui/dot'
import { t } from '$lib/language/language'

/** The dot for each state of a server. */
export const stateDots: Record<string, DotKind> = { ready: 'finished', starting: 'running', failed: 'failed', signIn: 'waiting' }

const words: Record<string, string> = {
  configured: t`Starts when it is first used`,
  starting: t`Starting…`,
  ready: t`Ready`,
  failed: t`Failed`,
  signIn: t`Needs sign-in`,
  stopped: t`Stopped by you`,
}

/** cannotStart reports whether the person has to correct something before a server can start; its problem says what. */
export const cannotStart = (s: mcp.View): boolean => s.state === 'configured' && s.problem !== ''

/** stateOf returns the state of a server in words. */
export const stateOf = (s: mcp.View): string => (cannotStart(s) ? t`Not started` : (words[s.state] ?? s.state))

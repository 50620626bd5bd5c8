import { isLive } from './statusDot'
import type { Node } from './node'
import { t } from '$lib/language/language'

/** The choices of agents that the list can show. */
export type Only = 'all' | 'running' | 'needsYou' | 'failed' | 'interrupted' | 'finished' | 'unread' | 'archived'

/** The choices, in menu order. */
export const onlyNames: Record<Only, string> = {
  all: t`All`,
  running: t`Running`,
  needsYou: t`Needs you`,
  unread: t`Unread`,
  failed: t`Failed`,
  interrupted: t`Interrupted`,
  finished: t`Finished`,
  archived: t`Archived`,
}

/** Whether an agent passes the filter. An archived agent passes only "Archived", unless it is running. */
export function belongs(node: Node, only: Only, archived: boolean, unread = false): boolean {
  if (only === 'archived') return archived
  if (archived && !isLive(node)) return false
  switch (only) {
    case 'all':
      return true
    case 'running':
      return node.status === 'running'
    case 'failed':
      return node.marks.includes('failed') || Boolean(node.problem)
    case 'unread':
      return unread
    case 'finished':
      return node.status === 'finished'
    default:
      return node.marks.includes(only)
  }
}

/** Whether an agent's name, file or kind contains the words of a search. */
export const found = (node: Node, text: string): boolean =>
  text === '' || `${node.name}\n${node.file}\n${node.kind ?? ''}`.toLowerCase().includes(text)

/* After which events what a Follower asked is asked again. */
import type { BackendEvent } from '$lib/backend/backend'

/** Whose next request is looked at: a cell of a notebook with its prompt as typed; cell "" is a new prompt at the end. */
export interface Target {
  path: string
  cell: string
  draft: string
}

/** Typing is asked about when it rests for so long, in milliseconds. */
export const typedMs = 400
/** Changes that come together are asked about once. */
export const changedMs = 60

/** How long after an event the next request of a notebook is to be asked for again, in milliseconds; undefined: nothing that is sent hangs on it. */
export function requestAfter(e: BackendEvent, path: string): number | undefined {
  switch (e.type) {
    case 'contextChanged':
      return e.data.path === '' || e.data.path === path ? changedMs : undefined
    case 'trustChanged':
    case 'settingsChanged':
      return changedMs
    case 'runStarted':
    case 'runFinished':
    case 'notebookReloaded':
      return e.data.path === path ? changedMs : undefined
    case 'cellsSpliced':
      // Typing causes these as well.
      return e.data.path === path ? typedMs : undefined
    default:
      return undefined
  }
}

/** Whether after an event the files of a notebook's agent are others, or perhaps are: the result of a tool came. */
export function filesAfter(e: BackendEvent, path: string): 'changed' | 'perhaps' | undefined {
  switch (e.type) {
    case 'filesChanged':
    case 'notebookReloaded':
    case 'runFinished':
      return e.data.path === path ? 'changed' : undefined
    case 'messagePut':
      return e.data.path === path && e.data.message.role === 'tool' ? 'perhaps' : undefined
    default:
      return undefined
  }
}

/* The events that make a Follower ask again. */
import type { BackendEvent } from '$lib/backend/backend'

/** The next request to show: of a cell with its typed prompt; cell "" is a new prompt at the end. */
export interface Target {
  path: string
  cell: string
  draft: string
}

/** How long typing must rest before a request, in milliseconds. */
export const typedMs = 400
/** The delay in which several changes cause one request. */
export const changedMs = 60

/** The delay after an event before the next request of a notebook is fetched again, in milliseconds; undefined: the event does not affect it. */
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

/** File changes often come in series: the delay before files are read again, in milliseconds. */
export const filesMs = 80

/**
 * The delay after an event before an agent's files are read again, in milliseconds; undefined: the event does
 * not affect them. workingMs: the delay when a tool finished that may have changed some.
 */
export function filesAfter(e: BackendEvent, path: string, workingMs: number): number | undefined {
  switch (e.type) {
    case 'filesChanged':
    case 'notebookReloaded':
    case 'runFinished':
      return e.data.path === path ? filesMs : undefined
    case 'messagePut':
      return e.data.path === path && e.data.message.role === 'tool' ? workingMs : undefined
    default:
      return undefined
  }
}

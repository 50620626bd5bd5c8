import type { BackendEvent } from '$lib/backend/backend'

/** The events that change an open notebook. */
export type NotebookEvent = Extract<
  BackendEvent,
  {
    type:
      | 'delta'
      | 'messagePut'
      | 'cellsSpliced'
      | 'notebookReloaded'
      | 'notebookSaved'
      | 'diskConflict'
      | 'runQueued'
      | 'runStarted'
      | 'runWaiting'
      | 'runFinished'
      | 'callProgress'
      | 'pathsDropped'
  }
>

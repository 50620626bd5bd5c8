import type { notebook } from '$lib/backend/backend'
import type { CellState } from './cell.svelte'
import type { MessageState } from './message.svelte'
import type { NotebookState } from './notebook.svelte'

/** The displayed parts of a tool call. */
export interface CallProps {
  book: NotebookState
  cell: CellState
  /** The message with the call; for a result without a call, the result. */
  message: MessageState
  call: notebook.ToolCallView
  /** The agents that it started. */
  started: readonly notebook.ChildView[]
  result: MessageState | undefined
  /** The position of the result in the answer, to load all of it. */
  index: number | undefined
  running: boolean
  /** It is being written, or waits for earlier calls. */
  pending?: boolean
}

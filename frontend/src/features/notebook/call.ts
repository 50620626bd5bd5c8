import type { notebook } from '$lib/backend/backend'
import type { CellState } from './cell.svelte'
import type { MessageState } from './message.svelte'
import type { NotebookState } from './notebook.svelte'

/** What is shown of a tool call. */
export interface CallProps {
  book: NotebookState
  cell: CellState
  call: notebook.ToolCallView
  /** The agents that it started. */
  started: readonly notebook.ChildView[]
  result: MessageState | undefined
  /** Where the result stands in the answer, to fetch the whole of it. */
  index: number | undefined
  running: boolean
}

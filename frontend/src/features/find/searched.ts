import type { documents, notebook, textsearch } from '$lib/backend/backend'

/** A message of an answer in a search. */
export interface SearchedMessage {
  readonly text: string
  /** Only the first part of a long text is loaded. */
  readonly truncated: boolean
  readonly toolCalls: readonly { readonly id: string }[]
  /** Unfolds a part of it: its reasoning, its answer, or a tool call by id. */
  unfold(part: string): void
}

/** A cell in a search. */
export interface SearchedCell {
  readonly id: string
  readonly answer: readonly SearchedMessage[]
  /** It is a summary. */
  readonly compaction: unknown
  /** It runs or waits to run. */
  readonly live: { readonly queued: boolean } | undefined
  /** Shows the parts of a summary in full. */
  showWhole(): void
  putMessage(index: number, view: notebook.MessageView): void
}

/** The notebook to search. */
export interface SearchedBook<C extends SearchedCell = SearchedCell> {
  readonly path: string
  readonly cells: readonly C[]
  /** Grows with each change. */
  readonly changes: number
  readonly backend: {
    readonly call: { FindText(path: string, query: textsearch.Query): Promise<documents.Found> }
    message(path: string, cell: string, index: number): Promise<notebook.MessageView>
  }
  readonly intents: { replaceText(what: documents.Replacement): Promise<documents.Replaced | undefined> }
  cell(id: string): C | undefined
  /** Shows a cell that a summary hides. */
  reveal(id: string): void
  /** Fetches the body of a cell. */
  fetched(cell: C): Promise<boolean>
  /** Sends the drafts; false if they did not arrive. */
  flush(): Promise<boolean>
  /** Shows a failure. */
  say(thrown: unknown): void
}

/** The selection of the view that the bar is over; the notebook may be in another view too. */
export interface SearchedSelection {
  /** The target of a running scroll. */
  readonly wanted: unknown
  show(cell: string, part: 'glimpse' | number): void
  select(cell: string): void
}

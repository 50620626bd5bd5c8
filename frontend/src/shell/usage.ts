import type { chat, notebook } from '$lib/backend/backend'

/** The parts of a cell that are read. */
interface Answered {
  readonly loaded: boolean
  readonly hasAnswer: boolean
  readonly run: notebook.RunInfo | undefined
}

/**
 * The newest answer's run, and the usage of all answers together. There is no total if some answers
 * are not loaded, because half a sum would be wrong.
 */
export function usageOf(cells: readonly Answered[]): { last: notebook.RunInfo | undefined; total: chat.Usage | undefined } {
  const last = cells.findLast((c) => c.run?.usage)?.run
  let total: chat.Usage | undefined
  for (const cell of cells) {
    if (!cell.loaded && cell.hasAnswer) return { last, total: undefined }
    const usage = cell.run?.usage
    if (usage) total = add(total, usage)
  }
  return { last, total }
}

function add(a: chat.Usage | undefined, b: chat.Usage): chat.Usage {
  return {
    input: (a?.input ?? 0) + b.input,
    cached: (a?.cached ?? 0) + (b.cached ?? 0),
    output: (a?.output ?? 0) + b.output,
    reasoning: (a?.reasoning ?? 0) + (b.reasoning ?? 0),
    estimated: Boolean(a?.estimated || b.estimated),
  }
}

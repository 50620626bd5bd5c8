import type { CellState } from './cell.svelte'

/** answerText returns the answer of a cell as Markdown: the model's text, without tools and thoughts. */
export function answerText(cell: CellState): string {
  return cell.answer
    .filter((m) => m.role === 'assistant' && m.hasText)
    .map((m) => m.text.trim())
    .join('\n\n')
}

/** cellMarkdown returns the whole cell as Markdown: the prompt as a quote, the answer, tool calls as lines. */
export function cellMarkdown(cell: CellState): string {
  const parts: string[] = []
  if (cell.text) parts.push(cell.text.replace(/^/gm, '> '))
  for (const m of cell.answer) {
    if (m.role === 'assistant' && m.hasText) parts.push(m.text.trim())
    for (const call of m.toolCalls) parts.push(`- \`${call.name}\` \`${call.arguments.replace(/`/g, "'")}\``)
  }
  return `${parts.join('\n\n')}\n`
}

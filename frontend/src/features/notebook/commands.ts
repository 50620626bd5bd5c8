import { composing } from '$lib/ui/composing'
import type { CellState } from './cell.svelte'
import type { NotebookState } from './notebook.svelte'
import type { Selection } from './selection.svelte'

/** What the keys and menus of a cell do. */
export class Commands {
  #lastD = -Infinity

  constructor(
    readonly book: NotebookState,
    readonly at: Selection,
  ) {}

  /** run runs the cell and goes on to the next prompt. */
  async run(cell: CellState): Promise<void> {
    if (cell.role !== 'user' || cell.live || cell.text.trim() === '') return
    const running = this.book.run(cell, 'cell')
    this.at.editNextOf(cell.id)
    if (!(await running)) this.at.edit(cell.id)
  }

  async runAndInsert(cell: CellState): Promise<void> {
    if (cell.role !== 'user' || cell.live || cell.text.trim() === '') return
    const running = this.book.run(cell, 'cell')
    this.insertBelow(cell)
    await running
  }

  insertAbove(cell: CellState): void {
    this.at.edit(this.book.insert(cell))
  }

  insertBelow(cell: CellState): void {
    const shown = this.book.shown
    const next = shown[shown.indexOf(cell) + 1]
    // The empty prompt at the end is what would be inserted.
    if (next && this.book.isBlank(next)) {
      this.at.edit(next.id)
      return
    }
    this.at.edit(this.book.insert(next))
  }

  async split(cell: CellState): Promise<void> {
    const id = await this.book.split(cell, this.at.caretAt)
    if (id) this.at.edit(id, 'start')
  }

  /** key handles a key in command mode; it says whether it did. */
  key(event: KeyboardEvent, cell: CellState): boolean {
    if (composing(event)) return false
    // A key that is held down goes on moving and undoing; it runs, inserts and deletes once.
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey
    if (event.repeat && /^(Enter|[abd])$/.test(event.key)) return plain || event.key === 'Enter'
    if ((event.ctrlKey || event.metaKey) && event.shiftKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      void this.book.move(cell, event.key === 'ArrowUp' ? -1 : 1)
      return true
    }
    if (event.key === 'Enter' && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      void (event.shiftKey ? this.run(cell) : this.runAndInsert(cell))
      return true
    }
    if (event.key.toLowerCase() === 'z' && !event.altKey && (plain || event.ctrlKey || event.metaKey || event.shiftKey)) {
      void (event.shiftKey ? this.book.redo() : this.book.undo())
      return true
    }
    if (!plain) return false
    const twice = event.key === 'd' && event.timeStamp - this.#lastD < 600
    this.#lastD = event.key === 'd' && !twice ? event.timeStamp : -Infinity
    switch (event.key) {
      case 'ArrowUp':
      case 'k':
        this.at.step(-1)
        return true
      case 'ArrowDown':
      case 'j':
        this.at.step(1)
        return true
      case 'Home':
      case 'End': {
        const shown = this.book.shown
        const to = event.key === 'Home' ? shown[0] : shown.at(-1)
        if (to) this.at.command(to.id)
        return true
      }
      case 'Enter':
        if (cell.role === 'assistant') return false
        this.at.edit(cell.id)
        return true
      case 'a':
        this.insertAbove(cell)
        return true
      case 'b':
        this.insertBelow(cell)
        return true
      case 'd':
        if (twice) void this.book.remove(cell)
        return true
      default:
        return false
    }
  }
}

/** answerText is the answer of a cell as Markdown: what the model wrote, without tools and thoughts. */
export function answerText(cell: CellState): string {
  return cell.answer
    .filter((m) => m.role === 'assistant' && m.hasText)
    .map((m) => m.text.trim())
    .join('\n\n')
}

/** cellMarkdown is the whole cell as Markdown: the prompt as a quote, the answer, tool calls as lines. */
export function cellMarkdown(cell: CellState): string {
  const parts: string[] = []
  if (cell.text) parts.push(cell.text.replace(/^/gm, '> '))
  for (const m of cell.answer) {
    if (m.role === 'assistant' && m.hasText) parts.push(m.text.trim())
    for (const call of m.toolCalls) parts.push(`- \`${call.name}\` \`${call.arguments.replace(/`/g, "'")}\``)
  }
  return `${parts.join('\n\n')}\n`
}

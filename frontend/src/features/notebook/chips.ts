import type { EditorView } from '@codemirror/view'
import { scan, type Mark } from './scan'

/** A chip that can be opened: a reference or a tool call, with the text inside its brackets. */
export interface Chip {
  kind: 'reference' | 'tool'
  text: string
}

/** chipAt finds the chip around a character of a prompt. */
export function chipAt(text: string, at: number): Chip | undefined {
  const mark = scan(text).find((m) => m.from <= at && at <= m.to)
  return mark && isChip(mark) ? { kind: mark.kind, text: text.slice(mark.innerFrom, mark.innerTo) } : undefined
}

const isChip = (mark: Mark): mark is Mark & { kind: Chip['kind'] } => mark.kind === 'reference' || mark.kind === 'tool'

/** chipUnder finds the chip under the pointer, in the drawn prompt or in its editor. */
export function chipUnder(event: MouseEvent, text: string, view: EditorView | undefined): Chip | undefined {
  const element = (event.target as Element).closest<HTMLElement>('.chip')
  if (!element) return undefined
  if (!view) return chipAt(text, Number(element.dataset.from))
  return chipAt(view.state.doc.toString(), view.posAtDOM(element))
}

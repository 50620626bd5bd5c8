import { Decoration, WidgetType } from '@codemirror/view'
import type { Range } from '@codemirror/state'
import { unseenIn, unseenInProse, type Unseen } from './visible'
import { decorated } from './viewDecorations'

/** What stands for a character that is not seen, as Visible.svelte draws it. */
class Label extends WidgetType {
  constructor(readonly label: string) {
    super()
  }
  override eq(other: Label): boolean {
    return other.label === this.label
  }
  override toDOM(): HTMLElement {
    const span = document.createElement('span')
    span.className = 'unseen'
    span.textContent = this.label
    return span
  }
}

/** shownAs stands a label in the place of characters that are not seen; at: where the text begins that it was found in. */
export const shownAs = (found: Unseen, at: number): Range<Decoration> =>
  Decoration.replace({ widget: new Label(found.label) }).range(at + found.from, at + found.to)

/** So much before the view decides on a character in it: the marks on its letter, a joiner before it. */
const before = 64

const showing = (find: (text: string) => Unseen[]) =>
  decorated((view) => {
    const made: Range<Decoration>[] = []
    for (const { from, to } of view.visibleRanges) {
      const first = Math.max(view.state.doc.lineAt(from).from, from - before)
      for (const found of find(view.state.sliceDoc(first, to))) made.push(shownAs(found, first))
    }
    return Decoration.set(made, true)
  })

/** unseen shows characters in a prompt that are not seen, or that turn others round, by their number. */
export const unseen = showing(unseenInProse)

/** unseenInCode does so in code, where all of them count. */
export const unseenInCode = showing(unseenIn)

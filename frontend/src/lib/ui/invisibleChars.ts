import { Decoration, WidgetType } from '@codemirror/view'
import type { Range } from '@codemirror/state'
import { unseenIn, unseenInProse, type Unseen } from './visible'
import { decorated } from './viewDecorations'

/** The label for an invisible character, drawn as in Visible.svelte. */
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

/** shownAs replaces invisible characters by a label; at is where the searched text begins. */
export const shownAs = (found: Unseen, at: number): Range<Decoration> =>
  Decoration.replace({ widget: new Label(found.label) }).range(at + found.from, at + found.to)

/** How much text before the view affects a character in it: marks on its letter, a joiner before it. */
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

/** unseen shows invisible characters of a prompt, and those that reverse the order of others, by number. */
export const unseen = showing(unseenInProse)

/** unseenInCode does the same in code, for all of them. */
export const unseenInCode = showing(unseenIn)

import { StateEffect, StateField, type Range } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'

/** A range of an editor's text, and whether it is the current match. */
export interface EditorMark {
  from: number
  to: number
  current: boolean
}

const setMarks = StateEffect.define<DecorationSet>()
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (set, change) => change.effects.reduce((now, effect) => (effect.is(setMarks) ? effect.value : now), set.map(change.changes)),
  provide: (field) => EditorView.decorations.from(field),
})
const found = Decoration.mark({ class: 'found' })
const current = Decoration.mark({ class: 'found found-current' })

/** The editor that an element belongs to. */
export const editorOf = (element: HTMLElement): EditorView | null => EditorView.findFromDOM(element)

/** EditorMarks shows matches in editors, and removes them. */
export class EditorMarks {
  readonly #shown = new Map<EditorView, string>()

  /** show replaces the matches in all editors. */
  show(all: ReadonlyMap<EditorView, readonly EditorMark[]>): void {
    for (const view of this.#shown.keys()) if (!all.has(view)) this.#set(view, [])
    for (const [view, list] of all) this.#set(view, list)
  }

  #set(view: EditorView, list: readonly EditorMark[]): void {
    const key = list.map((m) => `${m.from}-${m.to}${m.current ? '!' : ''}`).join()
    if ((this.#shown.get(view) ?? '') === key) return
    if (key === '') this.#shown.delete(view)
    else this.#shown.set(view, key)
    if (!view.dom.isConnected) return
    const length = view.state.doc.length
    const ranges: Range<Decoration>[] = list
      .filter((m) => m.from < m.to && m.to <= length)
      .map((m) => (m.current ? current : found).range(m.from, m.to))
    const effects: StateEffect<unknown>[] = [setMarks.of(Decoration.set(ranges, true))]
    if (view.state.field(marks, false) === undefined) effects.unshift(StateEffect.appendConfig.of(marks))
    view.dispatch({ effects })
  }
}

/** scrollIn scrolls an editor and its surroundings to a position. */
export function scrollIn(view: EditorView, from: number): void {
  view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'center', x: 'nearest', xMargin: 60 }) })
}

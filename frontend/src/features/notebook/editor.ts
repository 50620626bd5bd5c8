import { defaultKeymap, historyKeymap, insertNewline } from '@codemirror/commands'
import { markdownLanguage, pasteURLAsLink } from '@codemirror/lang-markdown'
import { bracketMatching, forceParsing, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, Prec, Text, type Extension, type Range } from '@codemirror/state'
import { Decoration, EditorView, keymap, placeholder, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import { find, heardIn } from '$lib/actions/actions'
import { chordsOf } from '$lib/actions/keyboard'
import { composing } from '$lib/ui/composing'
import { unseenIn, visible } from '$lib/ui/visible'
import { isOwn, PromptHistory, type Outside } from './promptHistory'
import { folds, markClasses, markdownClasses } from './promptText'
import { imageName, scan, type Mark } from './scan'
import { shownAs, unseen } from '$lib/ui/invisibleChars'
import { selectionOnFocus } from '$lib/ui/selectionOnFocus'
import { decorated } from '$lib/ui/viewDecorations'
import { t } from '$lib/language/language'

/** The functions of the cell that a prompt's editor uses. */
export interface EditorEvents extends Outside {
  /** undone: the editor's own undo did it. */
  changed(text: string, undone: boolean): void
  /** The caret moved. */
  moved(to: number): void
  run(): void
  runAndInsert(): void
  leave(): void
  /** The caret leaves beyond the first or last line; false if there is no cell there. */
  beyond(direction: 1 | -1): boolean
  blur(): void
}

/** The keys that go back to an earlier selection; those of undo and redo are the prompt's own. */
const selectionHistory = historyKeymap.filter((binding) => /-u$/i.test(binding.key ?? ''))

/** A key in CodeMirror's notation. */
function bindingOf(keys: string): string {
  const { key, ctrl, alt, shift } = chordsOf(keys)[0]!
  const name = key === ' ' ? 'Space' : key.length > 1 ? key.replace(/^(?:arrow)?./, titled) : key
  return (ctrl ? 'Mod-' : '') + (alt ? 'Alt-' : '') + (shift ? 'Shift-' : '') + name
}
/** "arrowu" and "e" as KeyboardEvent.key begins: "ArrowU", "E". */
const titled = (start: string): string => (start.length > 1 ? 'Arrow' : '') + start.at(-1)!.toUpperCase()

/** Whether nothing is selected, in the editor or elsewhere on the page. */
const nothingSelected = () => getSelection()?.isCollapsed ?? true

/** Without a selection CodeMirror copies the line, and an empty one over what is on the clipboard. */
const copiesText = keymap.of([
  {
    key: 'Mod-c',
    run: ({ state }) =>
      nothingSelected() && state.selection.ranges.every((range) => range.empty && state.doc.lineAt(range.head).length === 0),
  },
  { key: 'Mod-x', run: ({ state }) => nothingSelected() && state.doc.length === 0 },
])

/** Makes an editor use changed keys. */
const rekeyed = new WeakMap<EditorView, () => void>()
/** Makes an editor use the current keys of its actions. */
export const takeKeys = (view: EditorView): void => rekeyed.get(view)?.()

class ImageChip extends WidgetType {
  constructor(readonly name: string) {
    super()
  }
  override eq(other: ImageChip): boolean {
    return other.name === this.name
  }
  override toDOM(): HTMLElement {
    const span = document.createElement('span')
    span.className = markClasses.image
    span.textContent = visible(this.name)
    return span
  }
  override ignoreEvent(): boolean {
    return false
  }
}

const hidden = Decoration.replace({})
const autoLine = Decoration.line({ attributes: { dir: 'auto' } })
const decorations = Object.fromEntries(Object.entries(markClasses).map(([kind, cls]) => [kind, Decoration.mark({ class: cls })])) as Record<
  Mark['kind'],
  Decoration
>

/** Draws marks as chips; brackets appear where the caret is. */
const chips = ViewPlugin.fromClass(
  class {
    marks: Mark[]
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.marks = scan(view.state.doc.toString())
      this.decorations = this.#draw(view)
    }
    update(u: ViewUpdate): void {
      if (u.docChanged) this.marks = scan(u.state.doc.toString())
      if (u.docChanged || u.selectionSet || u.viewportChanged || u.focusChanged) this.decorations = this.#draw(u.view)
    }
    #draw(view: EditorView): DecorationSet {
      const { from: first, to: last } = view.viewport
      const made: Range<Decoration>[] = []
      for (const m of this.marks) {
        if (m.to < first || m.from > last) continue
        const touched = view.hasFocus && view.state.selection.ranges.some((r) => r.from < m.to && r.to > m.from)
        if (m.kind === 'image' && !touched) {
          made.push(Decoration.replace({ widget: new ImageChip(imageName(m)) }).range(m.from, m.to))
          continue
        }
        if (folds(m) && !touched && m.innerTo > m.innerFrom) {
          made.push(hidden.range(m.from, m.innerFrom), decorations[m.kind].range(m.innerFrom, m.innerTo), hidden.range(m.innerTo, m.to))
          made.push(...unseenIn(view.state.sliceDoc(m.innerFrom, m.innerTo)).map((found) => shownAs(found, m.innerFrom)))
        } else made.push(decorations[m.kind].range(m.from, m.to))
      }
      return Decoration.set(made, true)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

/** Each line has the direction of its own text. */
const directions = [
  EditorView.perLineTextDirection.of(true),
  decorated((view) => {
    const made: Range<Decoration>[] = []
    for (const { from, to } of view.visibleRanges) {
      for (let at = from; at <= to;) {
        const line = view.state.doc.lineAt(at)
        made.push(autoLine.range(line.from))
        at = line.to + 1
      }
    }
    return Decoration.set(made)
  }),
]

const look = EditorView.theme({
  '&': { background: 'none' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'inherit', lineHeight: 'inherit', overflow: 'visible' },
  '.cm-content': { padding: '0', caretColor: 'var(--accent)', fontFamily: 'inherit' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { background: 'var(--selected)' },
})

/**
 * makeEditor makes the editor of a prompt with the caret at a place, or at the end of a shorter text; extra precedes its
 * own keys. The caller destroys it.
 */
export function makeEditor(
  parent: HTMLElement,
  text: string,
  caret: number,
  hint: string,
  events: EditorEvents,
  extra: Extension = [],
): EditorView {
  const edge =
    (direction: 1 | -1) =>
    (view: EditorView): boolean => {
      const { main } = view.state.selection
      if (!main.empty) return false
      // It leaves only if a step up or down on the screen does not stay inside.
      const moved = view.moveVertically(main, direction > 0)
      const line = view.state.doc.lineAt(main.head)
      const last = direction > 0 ? line.to === view.state.doc.length : line.from === 0
      if (!last || (moved.head !== main.head && view.coordsAtPos(moved.head)?.top !== view.coordsAtPos(main.head)?.top)) return false
      return events.beyond(direction)
    }
  // A key of a composition neither leaves nor runs anything; CodeMirror applies it to the text.
  let composed = false
  const compositions = EditorView.domEventObservers({
    keydown: (e) => {
      composed = composing(e)
    },
  })
  const act = (run: (view: EditorView) => boolean) => (view: EditorView) => !composed && run(view)
  const heard = (): Extension =>
    Prec.highest(
      keymap.of([
        ...heardIn('prompt').flatMap((id) =>
          find('prompt', id).keys!.map((keys) => ({ key: bindingOf(keys), run: act(() => (events[id](), true)) })),
        ),
        { key: 'Enter', run: (view) => composed || insertNewline(view) },
        { key: 'ArrowUp', run: act(edge(-1)) },
        { key: 'ArrowDown', run: act(edge(1)) },
      ]),
    )
  const past = new PromptHistory(events)
  const keys = new Compartment()
  // A held key runs one prompt, not the ones below it too.
  const once = Prec.highest(
    EditorView.domEventHandlers({
      keydown: (e) => e.key === 'Enter' && e.repeat && (e.shiftKey || e.ctrlKey || e.metaKey) && (e.preventDefault(), true),
    }),
  )
  const doc = Text.of(text.split(/\r\n?|\n/))
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc,
      selection: { anchor: Math.min(caret, doc.length) },
      extensions: [
        extra,
        compositions,
        once,
        keys.of(heard()),
        past.extension,
        selectionOnFocus,
        bracketMatching(),
        // Not markdown(): it adds the grammars of HTML, CSS and JavaScript, for HTML that a prompt never renders.
        markdownLanguage,
        pasteURLAsLink,
        syntaxHighlighting(markdownClasses),
        chips,
        directions,
        unseen,
        look,
        placeholder(hint),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': t`Prompt`, spellcheck: 'true', class: 'prompt-text' }),
        copiesText,
        keymap.of([...defaultKeymap, ...selectionHistory, { any: (editor, event) => past.key(editor, event) }]),
        EditorView.updateListener.of((u) => {
          const own = u.transactions.filter(isOwn)
          if (own.length > 0) {
            const undone = own.every((t) => t.isUserEvent('undo'))
            if (!undone) past.typed()
            events.changed(u.state.doc.toString(), undone)
          }
          if (u.docChanged || u.selectionSet) events.moved(u.state.selection.main.head)
          if (u.focusChanged && !u.view.hasFocus) events.blur()
        }),
      ],
    }),
  })
  past.attach(view)
  rekeyed.set(view, () => view.dispatch({ effects: keys.reconfigure(heard()) }))
  // CodeMirror parses for 20 ms, then only 100 ms later: on a busy machine the prompt would lose its look as it opens.
  forceParsing(view, view.viewport.to, 100)
  return view
}

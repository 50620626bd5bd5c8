import { defaultKeymap } from '@codemirror/commands'
import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { syntaxHighlighting } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Range } from '@codemirror/state'
import { Decoration, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tagHighlighter, tags } from '@lezer/highlight'

const look = EditorView.theme({
  '&': { height: '100%', background: 'var(--surface)', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'var(--text-s) / 1.6 var(--font-code)', overflow: 'auto' },
  '.cm-gutters': { background: 'var(--surface)', color: 'var(--ink-3)', border: '0', paddingLeft: '6px' },
  '.cm-content': { padding: '8px 0' },
  '.cm-marked': { background: 'var(--accent-soft)' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--ink)' },
  '.tok-heading, .tok-strong': { fontWeight: '600' },
  '.tok-quiet': { color: 'var(--ink-3)' },
})
const quiet = tagHighlighter([
  { tag: tags.heading, class: 'tok-heading' },
  { tag: tags.strong, class: 'tok-strong' },
  { tag: [tags.processingInstruction, tags.url, tags.contentSeparator], class: 'tok-quiet' },
])

/** lineRange bounds the lines of a reference by those that are there; undefined when there are none to mark. */
export function lineRange(lines: number, first: number, last: number): { first: number; last: number } | undefined {
  if (first < 1 || first > lines) return undefined
  return { first, last: Math.max(first, Math.min(last || first, lines)) }
}

/** makeViewer shows a text that cannot be changed, with the lines of a reference marked and in view. The caller destroys it. */
export function makeViewer(parent: HTMLElement, text: string, of: { name: string; first: number; last: number; wrap: boolean }): EditorView {
  const state = EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      EditorState.readOnly.of(true),
      search({ top: true }),
      keymap.of([...searchKeymap, ...defaultKeymap]),
      look,
      EditorView.contentAttributes.of({ 'aria-label': of.name, tabindex: '0' }),
      ...(of.wrap ? [EditorView.lineWrapping] : []),
      ...(/\.md$/i.test(of.name) ? [markdown({ base: markdownLanguage, addKeymap: false, completeHTMLTags: false }), syntaxHighlighting(quiet)] : []),
      EditorView.decorations.compute(['doc'], (s) => {
        const range = lineRange(s.doc.lines, of.first, of.last)
        const marks: Range<Decoration>[] = []
        for (let n = range?.first ?? 1; range && n <= range.last; n++) marks.push(Decoration.line({ class: 'cm-marked' }).range(s.doc.line(n).from))
        return Decoration.set(marks)
      }),
    ],
  })
  const view = new EditorView({ parent, state })
  const range = lineRange(state.doc.lines, of.first, of.last)
  if (range) view.dispatch({ selection: { anchor: state.doc.line(range.first).from }, effects: EditorView.scrollIntoView(state.doc.line(range.first).from, { y: 'start', yMargin: 60 }) })
  return view
}

import { defaultKeymap } from '@codemirror/commands'
import { markdownLanguage } from '@codemirror/lang-markdown'
import { syntaxHighlighting } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Range } from '@codemirror/state'
import { Decoration, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tagHighlighter, tags } from '@lezer/highlight'
import { rowPx } from './fixedRows.svelte'
import { unseenInCode } from './invisibleChars'
import { selectionOnFocus } from './selectionOnFocus'
import { viewerFolds } from './viewerFolds'
import { t } from '$lib/language/language'

const look = EditorView.theme({
  '&': { height: '100%', background: 'var(--surface)', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: `var(--text-code) / ${rowPx.code}px var(--font-code)`, overflow: 'auto' },
  '.cm-gutters': { background: 'var(--surface)', color: 'var(--ink-3)', border: '0', paddingLeft: '6px' },
  '.cm-content': { padding: '8px 0', caretColor: 'transparent' },
  '.cm-line': { padding: '0 12px' },
  '.cm-gutters + .cm-content .cm-line': { paddingLeft: '2px' },
  '.cm-foldGutter .cm-gutterElement': { width: '16px' },
  /* An arrow of two borders: down, and to the right where lines are folded away. */
  '.cm-fold': { display: 'grid', placeItems: 'center', height: '100%', cursor: 'pointer', opacity: '0' },
  '.cm-gutters:hover .cm-fold, .cm-folded': { opacity: '1' },
  '.cm-fold::after': {
    content: '""',
    width: '5px',
    height: '5px',
    border: 'solid currentColor',
    borderWidth: '0 1.5px 1.5px 0',
    transform: 'translateY(-1px) rotate(45deg)',
  },
  '.cm-folded::after': { transform: 'translateX(-1px) rotate(-45deg)' },
  '.cm-foldPlaceholder': {
    margin: '0 4px',
    padding: '0 6px',
    color: 'var(--ink-3)',
    background: 'var(--sunken)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-xs)',
  },
  '.cm-marked': { background: 'var(--accent-soft)' },
  '.cm-wrong': { background: 'var(--fail-soft)', boxShadow: 'inset 2px 0 0 var(--fail)' },
  '.cm-searchMatch': { background: 'var(--found)' },
  '.cm-searchMatch-selected, .cm-searchMatch-selected *': { background: 'var(--accent)', color: 'var(--ink-on-accent)' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '4px 6px',
    padding: '6px 36px 6px 12px',
    font: 'var(--weight) var(--text-s) / 1 var(--font-ui)',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '4px',
    margin: '0',
    fontSize: 'inherit',
    color: 'var(--ink-2)',
  },
  '.cm-panel.cm-search input[type=checkbox]': { margin: '0' },
  '.cm-textfield': {
    height: 'var(--control-m)',
    margin: '0',
    padding: '0 7px',
    fontSize: 'inherit',
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
  },
  '.cm-button': {
    height: 'var(--control-m)',
    margin: '0',
    padding: '0 9px',
    fontSize: 'inherit',
    color: 'var(--ink)',
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
  },
  '.cm-panel.cm-search [name=close]': {
    top: '6px',
    right: '8px',
    width: 'var(--control-m)',
    height: 'var(--control-m)',
    padding: '0',
    fontSize: 'var(--text-h)',
    color: 'var(--ink-3)',
  },
  '.tok-heading, .tok-strong': { fontWeight: '600' },
  '.tok-quiet': { color: 'var(--ink-3)' },
})
const quiet = tagHighlighter([
  { tag: tags.heading, class: 'tok-heading' },
  { tag: tags.strong, class: 'tok-strong' },
  { tag: [tags.processingInstruction, tags.url, tags.contentSeparator], class: 'tok-quiet' },
])

/** lineRange limits the lines of a reference to existing ones; undefined if there are none to mark. */
export function lineRange(lines: number, first: number, last: number): { first: number; last: number } | undefined {
  if (first < 1 || first > lines) return undefined
  return { first, last: Math.max(first, Math.min(last || first, lines)) }
}

export interface Viewed {
  /** Its name for screen readers; a name that ends in ".md" is coloured as Markdown. */
  name: string
  numbers?: boolean
  wrap?: boolean
  /** The lines to mark and show first, from 1; 0 marks none. */
  first?: number
  last?: number
  /** The marked lines are wrong at this column, from 1. */
  wrong?: number
}

/** makeViewer shows read-only text, all of which can be selected, copied and searched. The caller destroys it. */
export function makeViewer(parent: HTMLElement, text: string, of: Viewed): EditorView {
  const mark = Decoration.line({ class: of.wrong ? 'cm-wrong' : 'cm-marked' })
  const state = EditorState.create({
    doc: lines(text),
    extensions: [
      // A carriage return that does not end a line is an ordinary character, and is shown.
      EditorState.lineSeparator.of('\n'),
      ...(of.numbers ? [lineNumbers(), viewerFolds] : []),
      EditorState.readOnly.of(true),
      search({ top: true }),
      EditorState.phrases.of({
        next: t`Next`,
        previous: t`Previous`,
        all: t`Select all`,
        'match case': t`Match case`,
        regexp: t`Regular expression`,
        'by word': t`Whole words`,
      }),
      keymap.of([...searchKeymap, ...defaultKeymap]),
      look,
      selectionOnFocus,
      unseenInCode,
      EditorView.contentAttributes.of({ 'aria-label': of.name, tabindex: '0' }),
      ...(of.wrap ? [EditorView.lineWrapping] : []),
      ...(/\.md$/i.test(of.name) ? [markdownLanguage, syntaxHighlighting(quiet)] : []),
      EditorView.decorations.compute(['doc'], (s) => {
        const range = lineRange(s.doc.lines, of.first ?? 0, of.last ?? 0)
        const marks: Range<Decoration>[] = []
        for (let n = range?.first ?? 1; range && n <= range.last; n++) marks.push(mark.range(s.doc.line(n).from))
        return Decoration.set(marks)
      }),
    ],
  })
  const view = new EditorView({ parent, state })
  const range = lineRange(state.doc.lines, of.first ?? 0, of.last ?? 0)
  if (range) {
    const line = state.doc.line(range.first)
    const at = Math.min(line.to, line.from + Math.max(0, (of.wrong ?? 1) - 1))
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'start', yMargin: 60, xMargin: 120 }) })
  }
  return view
}

/**
 * setViewed gives a viewer another text. If it only continues the old one, it is appended, so that the selection and the position
 * stay.
 */
export function setViewed(view: EditorView, text: string): void {
  const [before, now] = [view.state.doc.toString(), lines(text)]
  if (before === now) return
  const more = now.startsWith(before)
  view.dispatch({
    changes: { from: more ? before.length : 0, to: before.length, insert: view.state.toText(more ? now.slice(before.length) : now) },
  })
}

const lines = (text: string): string => text.replaceAll('\r\n', '\n')

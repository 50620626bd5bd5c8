import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionStatus,
  pickedCompletion,
  snippet,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { insertNewline } from '@codemirror/commands'
import { EditorState, Prec, type Extension } from '@codemirror/state'
import { EditorView, keymap, tooltips, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import type { complete, CompletionKind } from '$lib/backend/backend'
import { visible } from '$lib/ui/visible'
import { iconOf } from './icons'
import { t } from '$lib/language/language'

/** Returns completions, the best first. */
export type Ask = (kind: CompletionKind, query: string, signal: AbortSignal) => Promise<complete.Item[]>

/** Starts an MCP server that the person chose. */
export type Start = (server: string) => void

/** When to request the list again while a server starts, in milliseconds. */
const startsWithin = [300, 1000, 3000, 8000]

/** How far before the caret a reference may begin, in characters: a line may be very long. */
const reach = 400

/** The text before the caret to complete: a macro, a reference, its lines, or a command. */
export interface Typed {
  kind: 'at' | 'range' | 'macro' | 'command'
  /** The position of the @, {{ or / in the line. */
  from: number
  query: string
  /** For a range: the digits typed so far, one or two numbers. */
  digits: string
}

/** typedAt returns what to complete after a line's text; undefined for plain text. */
export function typedAt(line: string): Typed | undefined {
  const macro = /\{\{([A-Za-z0-9_]*)$/.exec(line)
  if (macro) return { kind: 'macro', from: macro.index, query: macro[1]!, digits: '' }
  // In brackets a name may contain spaces; a tool's arguments are the person's own.
  const inside = /@\[([^[\]{}\n]{0,300})$/.exec(line)
  if (inside) {
    const range = /^(.*?[^:/\s]):(\d*(?::\d*)?)$/.exec(inside[1]!)
    if (range) return { kind: 'range', from: inside.index, query: range[1]!, digits: range[2]! }
    return { kind: 'at', from: inside.index, query: inside[1]!, digits: '' }
  }
  // Without brackets an @ must begin a word, unlike the one in a mail address. Chinese and Japanese have no spaces before it.
  const bare = /(?<![A-Za-z0-9_.@\\-])@([^\s[\]{}@]{0,300})$/u.exec(line)
  return bare ? { kind: 'at', from: bare.index, query: bare[1]!, digits: '' } : undefined
}

/** commandAt returns the completion of a command's name; text begins where the prompt begins. */
export function commandAt(text: string): Typed | undefined {
  const name = /^\/([\p{L}\p{N}_.:-]*)$/u.exec(text)
  return name ? { kind: 'command', from: 0, query: name[1]!, digits: '' } : undefined
}

/** What to complete at a position, and where the examined text begins. */
function typedBefore(state: EditorState, pos: number): { typed: Typed; start: number } | undefined {
  const line = state.doc.lineAt(pos)
  const start = Math.max(line.from, pos - reach)
  const text = state.sliceDoc(start, pos)
  const typed = typedAt(text) ?? (start === 0 ? commandAt(text) : undefined)
  return typed && { typed, start }
}

/** The length of the text after the caret that belongs to the completed text and is replaced with it. */
export function restOf(kind: Typed['kind'], behind: string): number {
  const rest = kind === 'macro' ? /^[A-Za-z0-9_]*\}\}/ : kind === 'command' ? /^[\p{L}\p{N}_.:-]* ?/u : /^[^\s[\]{}]*\]/
  return rest.exec(behind)?.[0].length ?? 0
}

/** Pairs of start and end of the matching letters, in the form that the list takes. */
export function matchRanges(at: readonly number[]): number[] {
  const ranges: number[] = []
  for (const i of at) {
    if (ranges.at(-1) === i) ranges[ranges.length - 1] = i + 1
    else ranges.push(i, i + 1)
  }
  return ranges
}

function detailOf(item: complete.Item): string {
  if (item.kind === 'file' || item.kind === 'folder') return ''
  return item.kind === 'server' ? t`Starts this MCP server to list its resources` : visible(item.detail)
}

type Option = Completion & { item: complete.Item }

const option = (typed: Typed['kind'], item: complete.Item, start: Start): Option => ({
  item,
  label: item.label,
  displayLabel: visible(item.hint ? `${item.label} ${item.hint}` : item.label),
  type: item.kind,
  // The path already shows the folder.
  detail: detailOf(item) || undefined,
  apply: (view, completion, from, to) => {
    const line = view.state.doc.lineAt(to)
    const bracketed = typed === 'macro' || typed === 'command' || view.state.sliceDoc(from, from + 2) === '@['
    const end = bracketed ? to + restOf(typed, line.text.slice(to - line.from)) : to
    if ((item.kind === 'tool' || item.kind === 'range' || item.kind === 'resource') && item.insert.includes('${')) {
      snippet(`${item.insert}\${}`)(view, completion, from, end)
      return
    }
    view.dispatch({
      // The server's resources are completed inside the brackets.
      changes: { from, to: end, insert: item.kind === 'server' ? `${item.insert}]` : item.insert },
      selection: { anchor: from + item.insert.length },
      annotations: pickedCompletion.of(completion),
      userEvent: 'input.complete',
      scrollIntoView: true,
    })
    if (item.kind !== 'server') return
    start(item.label)
    const { doc, selection } = view.state
    for (const ms of startsWithin)
      setTimeout(() => {
        const { state } = view
        if (state.doc === doc && state.selection.eq(selection) && view.hasFocus && !completionStatus(state)) startCompletion(view)
      }, ms)
  },
})

/** The already typed lines, as an option for Enter. */
function typedRange(typed: Typed): complete.Item {
  const [first, last] = typed.digits.split(':')
  const range = last ? `${first}:${last}` : first
  return {
    kind: 'range',
    label: `${typed.query}:${range}`,
    detail: last ? t`lines ${first} to ${last}` : t`line ${first}`,
    insert: `@[${typed.query}:${range}]`,
    match: [],
  }
}

/** Explains how to make a macro. Taking it changes nothing: the explanation goes, so that the next Enter breaks the line. */
const noMacros: Completion = {
  label: t`No macros yet`,
  detail: t`A line “#define NAME value” makes one`,
  type: 'macro',
  apply: (view) => void closeCompletion(view),
}

/** source requests completions at the caret; begin starts an MCP server that the person chose. An answer that arrives after more typing is dropped. */
export function source(ask: Ask, begin: Start = () => undefined): (context: CompletionContext) => Promise<CompletionResult | null> {
  return async (context) => {
    const before = typedBefore(context.state, context.pos)
    if (!before) return null
    const { typed, start } = before
    const abort = new AbortController()
    context.addEventListener('abort', () => abort.abort(), { onDocChange: true })
    let items: complete.Item[]
    try {
      if (typed.kind === 'range' && /\d/.test(typed.digits)) items = [typedRange(typed)]
      else items = await ask(typed.kind, typed.query, abort.signal)
    } catch {
      return null // typing continues without completion
    }
    if (context.aborted) return null
    if (items.length === 0)
      return typed.kind === 'macro' && typed.query === '' ? { from: start + typed.from, options: [noMacros], filter: false } : null
    return {
      from: start + typed.from,
      options: items.map((item) => option(typed.kind, item, begin)),
      filter: false,
      getMatch: (completion) => matchRanges((completion as Option).item.match ?? []),
    }
  }
}

const look = EditorView.theme({
  '.cm-tooltip.cm-tooltip-autocomplete': {
    background: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-m)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
    padding: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-ui)',
    fontSize: 'var(--text-s)',
    maxHeight: '272px',
    minWidth: '260px',
    maxWidth: 'min(440px, 80vw)',
    zoom: 'var(--zoom)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'center',
    gap: '8px',
    height: 'var(--control-l)',
    lineHeight: 'var(--control-l)',
    padding: '0 8px',
    borderRadius: 'var(--radius-s)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--selected)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete .completion-icon': { flex: 'none', width: '14px', height: '14px', color: 'var(--ink-3)' },
  '.cm-completionLabel': {
    fontFamily: 'var(--font-code)',
    flex: '0 1 auto',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.cm-completionMatchedText': {
    textDecoration: 'none',
    fontWeight: '700',
    color: 'var(--accent-ink)',
    background: 'var(--accent-soft)',
    borderRadius: 'var(--radius-xxs)',
  },
  '.cm-completionDetail': {
    flex: '1 1 60px',
    minWidth: '0',
    margin: '0',
    fontStyle: 'normal',
    textAlign: 'right',
    color: 'var(--ink-3)',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.cm-snippetField': { background: 'var(--selected)', borderRadius: 'var(--radius-xs)' },
})

/** A key that was pressed before the list for the typed text arrived. */
const held = ViewPlugin.fromClass(
  class {
    /** The key's action when no list arrives. */
    otherwise: ((view: EditorView) => boolean) | undefined
    update(u: ViewUpdate): void {
      const otherwise = this.otherwise
      if (!otherwise) return
      if (u.docChanged || u.selectionSet) {
        this.otherwise = undefined
        return
      }
      const status = completionStatus(u.state)
      if (status === 'pending') return
      this.otherwise = undefined
      queueMicrotask(() => (status === 'active' && acceptCompletion(u.view)) || otherwise(u.view))
    }
  },
)

/** hold keeps a key for a pending list; false when none is pending. */
function hold(view: EditorView, otherwise: (view: EditorView) => boolean): boolean {
  const { head } = view.state.selection.main
  const plugin = view.plugin(held)
  if (!plugin || completionStatus(view.state) !== 'pending' || !typedBefore(view.state, head)) return false
  plugin.otherwise = otherwise
  return true
}

/** Whether a list is visible; while the next one is pending, the previous one counts. */
const listShown = (view: EditorView) =>
  completionStatus(view.state) === 'active' || view.dom.ownerDocument.querySelector('.cm-tooltip-autocomplete') !== null

/** completion offers completions while a reference, a macro or a command is typed, and starts a chosen server. It precedes the editor's other keys, so that Enter and Escape reach the list first. */
export function completion(ask: Ask, start: Start): Extension {
  const offered = [{ autocomplete: source(ask, start) }]
  return [
    Prec.highest(
      keymap.of([
        { key: 'Enter', run: (view) => acceptCompletion(view) || hold(view, insertNewline) },
        { key: 'Tab', run: (view) => acceptCompletion(view) || hold(view, () => true) },
        // A pending list closes too, but then Escape also leaves the prompt.
        {
          key: 'Escape',
          run: (view) => {
            const open = listShown(view)
            return closeCompletion(view) && open
          },
        },
      ]),
    ),
    // Without a source, plain text starts no query: it would take two more updates of the editor for each key.
    EditorState.languageData.of((state, pos) => (typedBefore(state, pos) ? offered : [])),
    EditorView.contentAttributes.of({ 'aria-autocomplete': 'list' }),
    autocompletion({
      icons: false,
      activateOnTypingDelay: 0,
      interactionDelay: 0,
      updateSyncTime: 60,
      addToOptions: [{ render: (c) => iconOf(c.type ?? ''), position: 20 }],
    }),
    // Outside #app, which is scaled: inside it, positions on the screen and in the page differ.
    tooltips({ position: 'fixed', parent: document.body }),
    held,
    look,
  ]
}

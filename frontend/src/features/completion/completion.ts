import { acceptCompletion, autocompletion, closeCompletion, completionStatus, pickedCompletion, snippet, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { insertNewline } from '@codemirror/commands'
import { Prec, type Extension } from '@codemirror/state'
import { EditorView, keymap, tooltips, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import type { CompletionKind, workspace } from '$lib/backend/backend'
import { iconOf } from './icons'

/** Gives what may follow, the best first. */
export type Ask = (kind: CompletionKind, query: string, signal: AbortSignal) => Promise<workspace.Completion[]>

/** So far back from the caret, in characters, a reference may begin: a line may be very long. */
const reach = 400

/** What is being typed before the caret: a macro, a reference, or the lines of one. */
export interface Typed {
  kind: 'at' | 'range' | 'macro'
  /** Where the @ or {{ stands, counted from the start of the line. */
  from: number
  query: string
  /** Of a range: the digits typed so far, one or two numbers. */
  digits: string
}

/** typedAt says what is to be completed behind a line's text; undefined when it is only text. */
export function typedAt(line: string): Typed | undefined {
  const macro = /\{\{([A-Za-z0-9_]*)$/.exec(line)
  if (macro) return { kind: 'macro', from: macro.index, query: macro[1]!, digits: '' }
  // In brackets a name may hold spaces; arguments of a tool are the person's.
  const inside = /@\[([^[\]{}\n]{0,300})$/.exec(line)
  if (inside) {
    const range = /^(.*?[^:/\s]):(\d*(?::\d*)?)$/.exec(inside[1]!)
    if (range) return { kind: 'range', from: inside.index, query: range[1]!, digits: range[2]! }
    return { kind: 'at', from: inside.index, query: inside[1]!, digits: '' }
  }
  // Without brackets an @ begins a word: not the one in an address. Chinese and Japanese have no spaces before it.
  const bare = /(?<![A-Za-z0-9_.@\\-])@([^\s[\]{}@]{0,300})$/u.exec(line)
  return bare ? { kind: 'at', from: bare.index, query: bare[1]!, digits: '' } : undefined
}

/** How much of what stands behind the caret belongs to what is typed, and is replaced with it. */
export function restOf(kind: Typed['kind'], behind: string): number {
  const rest = kind === 'macro' ? /^[A-Za-z0-9_]*\}\}/ : /^[^\s[\]{}]*\]/
  return rest.exec(behind)?.[0].length ?? 0
}

/** Pairs of start and end of the letters that matched, as the list wants them. */
export function matchRanges(at: readonly number[]): number[] {
  const ranges: number[] = []
  for (const i of at) {
    if (ranges.at(-1) === i) ranges[ranges.length - 1] = i + 1
    else ranges.push(i, i + 1)
  }
  return ranges
}

type Option = Completion & { item: workspace.Completion }

const option = (typed: Typed['kind'], item: workspace.Completion): Option => ({
  item,
  label: item.label,
  type: item.kind,
  // The path says its folder already.
  detail: (item.kind === 'file' || item.kind === 'folder' ? '' : item.detail) || undefined,
  apply: (view, completion, from, to) => {
    const line = view.state.doc.lineAt(to)
    const bracketed = typed === 'macro' || view.state.sliceDoc(from, from + 2) === '@['
    const end = bracketed ? to + restOf(typed, line.text.slice(to - line.from)) : to
    if ((item.kind === 'tool' || item.kind === 'range') && item.insert.includes('${')) {
      snippet(`${item.insert}\${}`)(view, completion, from, end)
      return
    }
    view.dispatch({
      changes: { from, to: end, insert: item.insert },
      selection: { anchor: from + item.insert.length },
      annotations: pickedCompletion.of(completion),
      userEvent: 'input.complete',
      scrollIntoView: true,
    })
  },
})

/** The lines that are typed already, as something to take with Enter. */
function typedRange(typed: Typed): workspace.Completion {
  const [first, last] = typed.digits.split(':')
  const range = last ? `${first}:${last}` : first
  return { kind: 'range', label: `${typed.query}:${range}`, detail: last ? `lines ${first} to ${last}` : `line ${first}`, insert: `@[${typed.query}:${range}]`, match: [] }
}

/** Says how to make a macro, and changes nothing. */
const noMacros: Completion = { label: 'No macros yet', detail: 'A line “#define NAME value” makes one', type: 'macro', apply: () => undefined }

/** source asks for what may follow at the caret. An answer that comes after more was typed is dropped. */
export function source(ask: Ask): (context: CompletionContext) => Promise<CompletionResult | null> {
  return async (context) => {
    const line = context.state.doc.lineAt(context.pos)
    const from = Math.max(line.from, context.pos - reach)
    const typed = typedAt(context.state.sliceDoc(from, context.pos))
    if (!typed) return null
    const abort = new AbortController()
    context.addEventListener('abort', () => abort.abort(), { onDocChange: true })
    let items: workspace.Completion[]
    try {
      if (typed.kind === 'range' && /\d/.test(typed.digits)) items = [typedRange(typed)]
      else items = await ask(typed.kind, typed.query, abort.signal)
    } catch {
      return null // typing goes on without help
    }
    if (context.aborted) return null
    if (items.length === 0) return typed.kind === 'macro' && typed.query === '' ? { from: from + typed.from, options: [noMacros], filter: false } : null
    return {
      from: from + typed.from,
      options: items.map((item) => option(typed.kind, item)),
      filter: false,
      getMatch: (completion) => matchRanges((completion as Option).item.match ?? []),
    }
  }
}

const look = EditorView.theme({
  '.cm-tooltip.cm-tooltip-autocomplete': { background: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line-strong)', borderRadius: 'var(--radius-m)', boxShadow: 'var(--shadow)', overflow: 'hidden', padding: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-ui)', fontSize: 'var(--text-s)', maxHeight: '272px', minWidth: '260px', maxWidth: 'min(440px, 80vw)', zoom: 'var(--zoom)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { display: 'flex', alignItems: 'center', gap: '8px', height: '26px', lineHeight: '26px', padding: '0 8px', borderRadius: 'var(--radius-s)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--selected)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete .completion-icon': { flex: 'none', width: '14px', height: '14px', color: 'var(--ink-3)' },
  '.cm-completionLabel': { fontFamily: 'var(--font-code)', flex: '0 1 auto', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700', color: 'var(--accent-ink)', background: 'var(--accent-soft)', borderRadius: '2px' },
  '.cm-completionDetail': { flex: '1 1 60px', minWidth: '0', margin: '0', fontStyle: 'normal', textAlign: 'right', color: 'var(--ink-3)', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '.cm-snippetField': { background: 'var(--selected)', borderRadius: '3px' },
})

/** A key that was pressed while the list for what was just typed is on its way. */
const held = ViewPlugin.fromClass(
  class {
    /** What the key does when there is no list after all. */
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

/** hold keeps a key for the list that is on its way; false when none is. */
function hold(view: EditorView, otherwise: (view: EditorView) => boolean): boolean {
  const { head } = view.state.selection.main
  const line = view.state.doc.lineAt(head)
  const plugin = view.plugin(held)
  if (!plugin || completionStatus(view.state) !== 'pending' || !typedAt(view.state.sliceDoc(Math.max(line.from, head - reach), head))) return false
  plugin.otherwise = otherwise
  return true
}

/** completion helps while a reference or a macro is typed. It stands before other keys of the editor, so that Enter and Escape reach the list first. */
export function completion(ask: Ask): Extension {
  return [
    Prec.highest(keymap.of([
      { key: 'Enter', run: (view) => acceptCompletion(view) || hold(view, insertNewline) },
      { key: 'Tab', run: (view) => acceptCompletion(view) || hold(view, () => true) },
      // One that is only being looked for closes too, but Escape goes on: it leaves the prompt.
      { key: 'Escape', run: (view) => {
        const open = completionStatus(view.state) === 'active'
        return closeCompletion(view) && open
      } },
    ])),
    autocompletion({
      override: [source(ask)],
      icons: false,
      activateOnTypingDelay: 0,
      interactionDelay: 0,
      updateSyncTime: 60,
      addToOptions: [{ render: (c) => iconOf(c.type ?? ''), position: 20 }],
    }),
    // Outside #app, which is scaled: there a place on the screen is not a place in the page.
    tooltips({ position: 'fixed', parent: document.body }),
    held,
    look,
  ]
}

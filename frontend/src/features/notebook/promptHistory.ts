import { history, historyField, redo, undo } from '@codemirror/commands'
import { Annotation, Compartment, Transaction, type Extension, type Text } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { undoOrRedo } from '$lib/actions/keyboard'
import { composing } from '$lib/ui/composing'

/** Where undo and redo continue when an editor has nothing more to undo or redo. */
export interface Outside {
  /** Resolves once the editor has the text; the result says whether something was undone. */
  undo(): Promise<boolean>
  /** Resolves once the editor has the text. */
  redo(): Promise<unknown>
}

/** Marks a change from elsewhere: it is shown but not reported. */
const remote = Annotation.define<boolean>()

const takers = new WeakMap<EditorView, PromptHistory>()

/**
 * PromptHistory is the undo history of a prompt's editor. It holds only what was typed there; what others type is shown and
 * stays. Any other change, such as a replacement or an undo, would put that history at the wrong places of the text: it
 * begins again, and undo continues in the notebook, which knows all steps in their order.
 */
export class PromptHistory {
  readonly #outside: Outside
  readonly #field = new Compartment()
  /** How often undo continued outside since the last typing: redo restores that first. */
  #steps = 0
  /** The editor's own history as undo left it to continue outside. It holds again once redo is back at that text. */
  #left: { doc: Text; value: unknown } | undefined
  #typings = 0
  /** Keys that wait for a step outside, which changes the text that they are about. */
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  constructor(outside: Outside) {
    this.#outside = outside
  }

  /** The history of a new editor; what comes into it from elsewhere is `take`n. */
  get extension(): Extension {
    return this.#field.of(history())
  }

  /** attach lets `setText` find the history of the editor. */
  attach(view: EditorView): void {
    takers.set(view, this)
  }

  /** key takes the keys of undo and redo, and reports whether it did: the editor's own know no Caps Lock. In a composition they do nothing. */
  key(view: EditorView, event: KeyboardEvent): boolean {
    const step = undoOrRedo(event)
    if (!composing(event)) {
      if (step === 'undo') this.#undo(view)
      if (step === 'redo') this.#redo(view)
    }
    return step !== undefined
  }

  /** typed notes that the person changed the text, other than by undo. */
  typed(): void {
    this.#typings++
    this.#steps = 0
    this.#left = undefined
  }

  readonly #undo = (view: EditorView): void => {
    if (this.#waiting > 0 || !undo(view)) this.#wait(() => this.#undoNext(view))
  }

  async #undoNext(view: EditorView): Promise<void> {
    if (here(view) && undo(view)) return
    const { doc } = view.state
    const value: unknown = view.state.field(historyField)
    const typings = this.#typings
    if (!(await this.#outside.undo()) || typings !== this.#typings) return
    if (this.#steps++ === 0) this.#left = { doc, value }
  }

  readonly #redo = (view: EditorView): void => {
    if (this.#waiting > 0 || this.#steps > 0 || !redo(view)) this.#wait(() => this.#redoNext(view))
  }

  async #redoNext(view: EditorView): Promise<void> {
    if (this.#steps === 0 && here(view) && redo(view)) return
    this.#steps = Math.max(0, this.#steps - 1)
    await this.#outside.redo()
  }

  #wait(step: () => Promise<void>): void {
    this.#waiting++
    this.#last = this.#last.then(step).finally(() => this.#waiting--)
  }

  /** take applies a change from elsewhere. */
  take(view: EditorView, changes: { from: number; to: number; insert: string }, typed: boolean): void {
    view.dispatch({
      changes,
      // Undo reverts only text that was typed here.
      annotations: [remote.of(true), Transaction.addToHistory.of(false)],
      effects: typed ? [] : this.#field.reconfigure([]),
    })
    if (typed) return
    const left = this.#steps === 0 && this.#left?.doc.eq(view.state.doc) ? this.#left : undefined
    view.dispatch({ effects: this.#field.reconfigure(left ? [historyField.init(() => left.value), history()] : history()) })
  }
}

/** Whether the editor is still shown: the step that keys waited for may have taken its cell away. */
const here = (view: EditorView): boolean => view.dom.isConnected

/** Whether the person changed the text in a transaction. */
export const isOwn = (t: Transaction): boolean => t.docChanged && !t.annotation(remote)

/**
 * setText shows text from elsewhere; it replaces only the difference, so that the caret stays. typed: somebody typed it, in
 * another window or the other group of tabs.
 */
export function setText(view: EditorView, text: string, typed: boolean): void {
  const old = view.state.doc.toString()
  if (old === text) return
  let from = 0
  const shorter = Math.min(old.length, text.length)
  while (from < shorter && old.charCodeAt(from) === text.charCodeAt(from)) from++
  let end = 0
  while (end < shorter - from && old.charCodeAt(old.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end++
  takers.get(view)!.take(view, { from, to: old.length - end, insert: text.slice(from, text.length - end) }, typed)
}

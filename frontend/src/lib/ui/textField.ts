/*
 * The actions on text under the pointer, wherever it is: in a field,
 * an editor, or read-only text. Editors get the events that the
 * system's own menu would send.
 */

import { EditorView } from '@codemirror/view'
import { copyLate, selectAll } from './selectedText'

/** The text under the pointer, with its selection. */
export interface PointedText {
  /** The editable element; undefined for read-only text. */
  field: HTMLInputElement | HTMLTextAreaElement | HTMLElement | undefined
  /** What is selected; of read-only text perhaps only the part that is drawn. */
  selected: string
  /** What to copy; undefined if the text copies itself once all of it is there. */
  copied: () => string | undefined
  /** Selects all of it; undefined if the text has no boundary. */
  selectAll: (() => void) | undefined
}

const isField = (e: Element): e is HTMLInputElement | HTMLTextAreaElement =>
  e instanceof HTMLTextAreaElement ||
  (e instanceof HTMLInputElement && !/^(button|checkbox|radio|range|submit|reset|file|color)$/.test(e.type))

const writable = (e: HTMLInputElement | HTMLTextAreaElement) => !e.readOnly && !e.disabled

/** The text under the pointed element; undefined if there is none to act on. */
export function textAt(target: EventTarget | null): PointedText | undefined {
  if (!(target instanceof Element)) return undefined
  if (isField(target)) {
    const secret = target instanceof HTMLInputElement && target.type === 'password'
    const selected = secret ? '' : target.value.slice(target.selectionStart ?? 0, target.selectionEnd ?? 0)
    return {
      field: writable(target) ? target : undefined,
      selected,
      copied: () => selected,
      selectAll: () => (target.focus(), target.select()),
    }
  }
  const editor = target.closest<HTMLElement>('[contenteditable="true"]')
  if (editor) {
    const state = EditorView.findFromDOM(editor)?.state
    // Only the part of a long text near the view is drawn: the editor knows the selection.
    const selected = state ? state.sliceDoc(state.selection.main.from, state.selection.main.to) : (getSelection()?.toString() ?? '')
    return {
      field: state?.readOnly ? undefined : editor,
      selected,
      copied: () => selected,
      selectAll: () => (editor.focus(), void pressAll(editor)),
    }
  }
  const text = target.closest('.selectable')
  if (!text) return undefined
  const selection = getSelection()
  const range =
    selection && !selection.isCollapsed && selection.getRangeAt(0).intersectsNode(text) ? selection.getRangeAt(0).cloneRange() : undefined
  const copied = range ? copyOf(target) : ''
  return {
    field: undefined,
    selected: copied ?? selection!.toString(),
    copied: () => {
      if (copied !== undefined) return copied
      // The press of the menu may have taken the selection away.
      if (range && selection!.isCollapsed) selection!.addRange(range)
      copyLate()
      return undefined
    },
    selectAll: () => {
      if (pressAll(target)) selectAll(text)
    },
  }
}

/** The text that a copy under an element would take: a component that draws only part of its text reports its own selection. Undefined: it cannot be had at once. */
function copyOf(target: Element): string | undefined {
  const data = new DataTransfer()
  const left = target.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }))
  return left ? (getSelection()?.toString() ?? '') : data.getData('text/plain') || undefined
}

/** Presses the keys that select all; false if somebody handled it. */
const pressAll = (target: Element): boolean =>
  target.dispatchEvent(
    new KeyboardEvent('keydown', {
      key: 'a',
      code: 'KeyA',
      keyCode: 65,
      ctrlKey: !onMac(),
      metaKey: onMac(),
      bubbles: true,
      cancelable: true,
    }),
  )

const onMac = () => /Mac/.test(navigator.userAgent)

/** Cuts the selected text from a field and returns it; selected is what the menu was opened for. */
export function cutFrom(field: HTMLElement, selected: string): string {
  field.focus()
  const editor = EditorView.findFromDOM(field)
  if (!editor) {
    document.execCommand('delete')
    return selected
  }
  // Another window may have changed the text while the menu was open.
  const { from, to } = editor.state.selection.main
  const cut = editor.state.sliceDoc(from, to)
  if (cut) editor.dispatch(editor.state.replaceSelection(''), { scrollIntoView: true, userEvent: 'delete.cut' })
  return cut
}

/** Inserts text at the caret, replacing the selection. Without text an editor looks for an image itself. */
export function pasteInto(field: HTMLElement, text: string): void {
  field.focus()
  if (EditorView.findFromDOM(field)) {
    const data = new DataTransfer()
    if (text) data.setData('text/plain', text)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  } else if (text) document.execCommand('insertText', false, text)
}

// @vitest-environment jsdom
import { undo, undoDepth } from '@codemirror/commands'
import { expect, test, vi } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import { makeEditor, setText } from './editor'
import { linesOf } from './promptText'
import { eventually } from '$lib/testing/waits'

domOfComponents()

function editor(text: string) {
  const events = {
    changed: vi.fn(),
    moved: vi.fn(),
    run: vi.fn(),
    runAndInsert: vi.fn(),
    leave: vi.fn(),
    beyond: () => false,
    blur: () => {},
    undo: vi.fn(() => Promise.resolve(true)),
    redo: vi.fn(() => Promise.resolve(true)),
  }
  const view = makeEditor(document.body, text, 0, '', events)
  const press = (init: KeyboardEventInit) =>
    view.contentDOM.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }))
  return { view, events, press }
}

test('undo reverts text typed here, never text from another window', () => {
  const { view, events } = editor('mine')
  setText(view, 'mine and THEIRS')
  expect(undoDepth(view.state)).toBe(0)
  undo(view)
  expect([view.state.doc.toString(), events.changed.mock.calls]).toEqual(['mine and THEIRS', []])
  view.dispatch({ changes: { from: 0, insert: 'all ' }, userEvent: 'input.type' })
  setText(view, 'all mine and OURS')
  undo(view)
  expect(view.state.doc.toString()).toBe('mine and OURS')
})

test('undo continues outside the editor, and redo returns the same way', async () => {
  const { view, events, press } = editor('')
  const key = async (init: KeyboardEventInit) => {
    press({ code: 'KeyZ', keyCode: 90, ctrlKey: true, ...init })
    await Promise.resolve()
  }
  const back = () => key({ key: 'z' })
  const again = () => key({ key: 'Z', shiftKey: true })
  view.dispatch({ changes: { from: 0, insert: 'words' }, userEvent: 'input.type' })
  await back()
  expect(events.changed.mock.calls).toEqual([
    ['words', false],
    ['', true],
  ])
  expect(events.undo).not.toHaveBeenCalled()
  await back()
  await back()
  expect(events.undo).toHaveBeenCalledTimes(2)
  setText(view, 'from before')
  await again()
  await again()
  expect(events.redo).toHaveBeenCalledTimes(2)
  setText(view, '')
  await again()
  expect([view.state.doc.toString(), events.redo.mock.calls.length]).toEqual(['words', 2])
  // An undo that reverted nothing is not redone.
  events.undo.mockReturnValueOnce(Promise.resolve(false))
  await back()
  await back()
  await again()
  expect([view.state.doc.toString(), events.redo.mock.calls.length]).toEqual(['words', 2])
})

test('redo waits for an undo outside the editor that is under way', async () => {
  const { view, events, press } = editor('')
  view.dispatch({ changes: { from: 0, insert: 'words' }, userEvent: 'input.type' })
  const key = { key: 'z', code: 'KeyZ', keyCode: 90, ctrlKey: true }
  press(key)
  let undone!: (did: boolean) => void
  events.undo.mockReturnValueOnce(new Promise((done) => (undone = done)))
  press(key)
  press({ ...key, key: 'Z', shiftKey: true })
  expect([view.state.doc.toString(), events.redo.mock.calls.length]).toEqual(['', 0])
  undone(true)
  await eventually(() => expect(events.redo).toHaveBeenCalledOnce())
  expect(view.state.doc.toString()).toBe('')
})

test('a held Shift+Enter runs once', () => {
  const { events, press } = editor('x')
  const key = { key: 'Enter', code: 'Enter', keyCode: 13, shiftKey: true }
  press(key)
  press({ ...key, repeat: true })
  press({ ...key, repeat: true })
  expect(events.run).toHaveBeenCalledOnce()
})

test.each(['Enter', 'Escape'].flatMap((key) => [true, false].map((isComposing) => [key, isComposing] as const)))(
  '%s of a composition neither runs nor leaves (isComposing %s)',
  (key, isComposing) => {
    const { view, events, press } = editor('x')
    if (isComposing) view.contentDOM.dispatchEvent(new CompositionEvent('compositionstart'))
    press({ key, keyCode: 229, isComposing, shiftKey: key === 'Enter' })
    expect([events.run.mock.calls, events.leave.mock.calls]).toEqual([[], []])
  },
)

test('a web address pasted over words turns them into a link', () => {
  const { view } = editor('see the manual for it')
  view.dispatch({ selection: { anchor: 4, head: 14 } })
  const paste = new Event('paste', { bubbles: true, cancelable: true })
  Object.assign(paste, { clipboardData: { getData: (type: string) => (type === 'text/plain' ? 'https://example.org/m' : '') } })
  view.contentDOM.dispatchEvent(paste)
  expect(view.state.doc.toString()).toBe('see [the manual](https://example.org/m) for it')
})

function sameLook(passing: number) {
  let now = 0
  vi.spyOn(Date, 'now').mockImplementation(() => (now += passing))

  const text = '<?xml version="1.0"?>\n\n<style>\n  a { color: url(x) }\n</style>\n\n<b>**bold**</b> text'
  const { view } = editor(text)
  const edited = [...view.contentDOM.querySelectorAll('[class^="tok-"]')].map((e) => [e.className, e.textContent])
  const drawn = linesOf(text).flatMap((line) => line.filter((s) => s.cls).map((s) => [s.cls, s.text]))
  expect(edited).toEqual(drawn)
}
test('HTML in a prompt looks the same whether it is edited or not', () => sameLook(0))

// Longer than the first parse may take.
test('a prompt keeps its look as it opens, also when 21 ms pass with each block', () => sameLook(21))

test('the browser draws the caret and the selection: drawn by the editor, each key would be laid out twice', () => {
  const { view } = editor('some words')
  view.focus()
  view.dispatch({ selection: { anchor: 0, head: 4 } })
  expect(view.dom.querySelectorAll('.cm-layer, .cm-cursor')).toHaveLength(0)
  expect(String(getSelection())).toBe('some')
})

// @vitest-environment jsdom
import { undo, undoDepth } from '@codemirror/commands'
import { expect, test, vi } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import { makeEditor } from './editor'
import { setText } from './promptHistory'
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
  setText(view, 'mine and THEIRS', true)
  expect(undoDepth(view.state)).toBe(0)
  undo(view)
  expect([view.state.doc.toString(), events.changed.mock.calls]).toEqual(['mine and THEIRS', []])
  view.dispatch({ changes: { from: 0, insert: 'all ' }, userEvent: 'input.type' })
  setText(view, 'all mine and OURS', true)
  undo(view)
  expect(view.state.doc.toString()).toBe('mine and OURS')
})

/** An editor with the keys of undo and redo, and the steps that the notebook takes when they go on there. */
function withSteps(text: string) {
  const { view, events, press } = editor(text)
  const key = { code: 'KeyZ', keyCode: 90, ctrlKey: true }
  return {
    view,
    events,
    back: () => press({ key: 'z', ...key }),
    again: () => press({ key: 'Z', shiftKey: true, ...key }),
    types: (insert: string) => view.dispatch({ changes: { from: view.state.doc.length, insert }, userEvent: 'input.type' }),
    /** The next undo or redo in the notebook gives the prompt this text. */
    steps: (kind: 'undo' | 'redo', to: string) =>
      events[kind].mockImplementationOnce(async () => {
        await Promise.resolve()
        setText(view, to, false)
        return true
      }),
    says: (want: string) => eventually(() => expect(view.state.doc.toString()).toBe(want)),
    called: (kind: 'undo' | 'redo', times: number) => eventually(() => expect(events[kind]).toHaveBeenCalledTimes(times)),
  }
}

test.each([
  ['Caps Lock', { key: 'Z', code: 'KeyZ', keyCode: 90 }, { key: 'z', code: 'KeyZ', keyCode: 90, shiftKey: true }],
  ['a German keyboard', { key: 'z', code: 'KeyY', keyCode: 90 }, { key: 'Z', code: 'KeyY', keyCode: 90, shiftKey: true }],
  ['a Russian keyboard', { key: 'я', code: 'KeyZ', keyCode: 90 }, { key: 'Я', code: 'KeyZ', keyCode: 90, shiftKey: true }],
])('undo and redo with %s, which never act in a composition', async (_, undo, redo) => {
  const { view, events, press } = editor('')
  view.dispatch({ changes: { from: 0, insert: 'words' }, userEvent: 'input.type' })
  const text = () => view.state.doc.toString()
  press({ ...undo, ctrlKey: true, isComposing: true })
  expect(text()).toBe('words')
  press({ ...undo, ctrlKey: true })
  expect(text()).toBe('')
  press({ ...redo, ctrlKey: true, isComposing: true })
  expect(text()).toBe('')
  press({ ...redo, ctrlKey: true })
  expect(text()).toBe('words')
  press({ ...undo, ctrlKey: true })
  press({ ...undo, ctrlKey: true })
  await eventually(() => expect(events.undo).toHaveBeenCalledOnce())
})

test('undo continues outside the editor, and redo returns the same way', async () => {
  const { events, back, again, types, steps, says, called } = withSteps('')
  types('words')
  back()
  expect(events.changed.mock.calls).toEqual([
    ['words', false],
    ['', true],
  ])
  expect(events.undo).not.toHaveBeenCalled()
  steps('undo', 'from before')
  back()
  back() // of another cell
  await called('undo', 2)
  steps('redo', 'from before')
  steps('redo', '')
  again()
  again()
  again()
  await says('words')
  expect(events.redo).toHaveBeenCalledTimes(2)
  // An undo that reverted nothing is not redone.
  events.undo.mockReturnValueOnce(Promise.resolve(false))
  back()
  back()
  again()
  await says('words')
  expect(events.redo).toHaveBeenCalledTimes(2)
})

test('after a replacement, undo and redo go through the steps of the notebook', async () => {
  const { view, events, back, again, types, steps, says, called } = withSteps('three')
  types(' some other words')
  setText(view, 'three some OTHERS words', false)
  steps('undo', 'three some other words')
  steps('undo', 'three')
  back()
  back()
  await says('three')
  steps('redo', 'three some other words')
  steps('redo', 'three some OTHERS words')
  again()
  again()
  await says('three some OTHERS words')
  // Beyond the last step, redo asks the notebook: it may have one that was undone elsewhere.
  again()
  await called('redo', 3)
  expect(events.changed).toHaveBeenCalledOnce()
})

test('redo returns text to its place among what was typed elsewhere', async () => {
  const { view, back, again, types, steps, says } = withSteps('one')
  types(' left')
  setText(view, 'one left right', true)
  back()
  await says('one right')
  steps('undo', 'one')
  back()
  await says('one')
  steps('redo', 'one right')
  again()
  again()
  await says('one left right')
})

test('redo waits for an undo outside the editor that is under way', async () => {
  const { view, events, back, again, types, called } = withSteps('')
  types('words')
  back()
  let undone!: (did: boolean) => void
  events.undo.mockReturnValueOnce(new Promise((done) => (undone = done)))
  back()
  again()
  await called('undo', 1)
  expect([view.state.doc.toString(), events.redo.mock.calls.length]).toEqual(['', 0])
  undone(true)
  await called('redo', 1)
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

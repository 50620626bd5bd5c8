// @vitest-environment jsdom
import { undo, undoDepth } from '@codemirror/commands'
import { expect, test, vi } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import { makeEditor, setText } from './editor'

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
  }
  const view = makeEditor(document.body, text, '', events)
  const press = (init: KeyboardEventInit) =>
    view.contentDOM.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }))
  return { view, events, press }
}

test('undo takes back what was typed here, never what came from another window', () => {
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

test('Shift+Enter that is held down runs once', () => {
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

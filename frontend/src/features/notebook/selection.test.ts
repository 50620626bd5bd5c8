import { expect, test } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { NotebookState } from './notebook.svelte'

test('text typed before the editor exists waits for it, and goes only to that prompt', () => {
  const at = new NotebookState(new Backend(), '.mutsumi/a.mtm', 'w').selection
  const press = (key: string, more = {}) =>
    at.typeAhead({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, keyCode: 0, ...more })
  at.command('c1')
  expect(press('d')).toBe(false)
  at.edit('c2')
  expect([...'d文😀', 'Backspace', 'Enter', 'x'].map((key) => press(key))).not.toContain(false)
  expect([press('c', { ctrlKey: true }), press('Enter', { shiftKey: true }), press('ArrowUp'), press('Escape')]).not.toContain(true)
  expect([at.takeAhead(), at.takeAhead()]).toEqual(['d文\nx', ''])
  press('y')
  at.edit('c1')
  expect(at.takeAhead()).toBe('')
})

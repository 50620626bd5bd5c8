import { expect, test } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { CellState } from './cell.svelte'
import { NotebookState } from './notebook.svelte'
import { Selection } from './selection.svelte'

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

test('of several changed cells, the one nearest to the active cell is gone to', () => {
  const shown = ['a', 'b', 'c', 'd'].map((id) => new CellState(id))
  const at = new Selection({ shown, cell: (id) => shown.find((c) => c.id === id), reveal: () => undefined })
  expect(at.nearest(['b', 'd'])).toBe('b')
  at.command('c')
  expect([['a', 'b', 'c', 'd'], ['a', 'd'], ['hidden', 'a'], ['a'], []].map((ids) => at.nearest(ids))).toEqual([
    'c',
    'd',
    'a',
    'a',
    undefined,
  ])
})

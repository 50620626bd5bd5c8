import { expect, test } from 'vitest'
import { intentOf, shortcuts } from './shortcuts'

const press = (key: string, held = '', code = '') => ({
  key,
  code,
  ctrlKey: held.includes('c'),
  metaKey: held.includes('m'),
  shiftKey: held.includes('s'),
  altKey: held.includes('a'),
})

test.each([
  [press('n', 'c'), 'new'],
  [press('N', 'c'), 'new'],
  [press('k', 'm'), 'find'],
  [press('b', 'c'), 'sidebar'],
  [press('b', 'ca'), 'inspector'],
  [press('”', 'ca', 'KeyB'), 'inspector'],
  [press('Tab', 'c'), 'nextTab'],
  [press('Tab', 'cs'), 'previousTab'],
  [press('=', 'c'), 'zoomIn'],
  [press('+', 'cs'), 'zoomIn'],
  [press('-', 'c'), 'zoomOut'],
  [press('Z', 'cs'), 'redo'],
  [press('?', 's'), 'help'],
])('%o means %s', (e, intent) => expect(intentOf(e, false)).toBe(intent))

test.each([press('n'), press('n', 'cs'), press('Tab'), press('b', 'a'), press('Enter', 's')])('%o means nothing', (e) => expect(intentOf(e, false)).toBeNull())

test('while text is edited, plain keys and undo are left to it', () => {
  expect([press('?', 's'), press('z', 'c'), press('Z', 'cs')].map((e) => intentOf(e, true))).toEqual([null, null, null])
  expect(intentOf(press('k', 'c'), true)).toBe('find')
})

test('no two shortcuts share their keys', () => {
  expect(new Set(shortcuts.map((s) => s.keys)).size).toBe(shortcuts.length)
})

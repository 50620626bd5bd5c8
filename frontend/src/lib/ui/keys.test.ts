import { expect, test } from 'vitest'
import { capsOf, keysText } from './keys'

test.each([
  ['Ctrl+Shift+P', 'Ctrl+Shift+P'],
  ['Ctrl Shift P', 'Ctrl+Shift+P'],
  ['Ctrl ⇧ p', 'Ctrl+Shift+P'],
  ['Ctrl +', 'Ctrl++'],
  ['Ctrl++', 'Ctrl++'],
  ['Ctrl −', 'Ctrl+−'],
  ['+', '+'],
  ['Ctrl ,', 'Ctrl+,'],
  ['Shift Enter', 'Shift+Enter'],
  ['Control+Escape', 'Ctrl+Esc'],
  ['d d', 'D D'],
  ['↑ ↓', '↑ ↓'],
  ['1 – 4', '1 – 4'],
  ['{{', '{{'],
  ['Alt+A', 'Alt+A'],
])('%s is written %s', (keys, text) => expect(keysText(keys)).toBe(text))

test('words between keys are not keys', () => {
  expect(capsOf('1 – 4').map((cap) => cap.kind)).toEqual(['key', 'word', 'key'])
  expect(capsOf('Esc twice').map((cap) => cap.kind)).toEqual(['key', 'word'])
})

test.each([
  ['Ctrl+Shift+P', '⌘⇧P'],
  ['Ctrl+Alt+B', '⌘⌥B'],
  ['Shift+Enter', '⇧↩'],
  ['Ctrl+Tab', '⌃Tab'],
  ['Ctrl++', '⌘+'],
  ['D D', 'D D'],
])('%s is written %s on a Mac', (keys, text) => expect(keysText(keys, true)).toBe(text))

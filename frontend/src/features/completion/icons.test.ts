// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { iconOf } from './icons'

test('every kind of completion has its own icon, a new element each time', () => {
  const kinds = ['file', 'folder', 'tool', 'macro', 'notebook', 'range', 'command']
  const icons = kinds.map((kind) => iconOf(kind) as Element)
  expect(new Set(icons.map((icon) => icon.innerHTML)).size).toBe(kinds.length)
  for (const icon of icons)
    expect([icon.namespaceURI, icon.classList.contains('completion-icon'), icon.getAttribute('aria-hidden')]).toEqual([
      'http://www.w3.org/2000/svg',
      true,
      'true',
    ])
  expect(iconOf('file')).not.toBe(iconOf('file'))
  expect((iconOf('else') as Element).childElementCount).toBe(0)
})

// @vitest-environment jsdom
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { render } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import { onePath } from './icons'

domOfComponents()

test('shapes become one path', () => {
  expect(
    onePath([
      ['path', { d: 'M5 12h14' }],
      ['path', { d: 'm12 5 1 1' }],
    ]),
  ).toBe('M5 12h14M0 0m12 5 1 1')
  expect(onePath([['line', { x1: '12', x2: '12.01', y1: '8', y2: '16' }]])).toBe('M12 8L12.01 16')
  expect(
    onePath([
      ['polyline', { points: '4 7 4 4 20 4' }],
      ['polygon', { points: '1 2 3 4' }],
    ]),
  ).toBe('M4 7 4 4 20 4M1 2 3 4Z')
  expect(onePath([['circle', { cx: '12', cy: '10', r: '4' }]])).toBe('M8 10a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z')
  expect(onePath([['circle', { cx: '12', cy: '10', r: '1', fill: 'currentColor' }]])).toMatch(/M12 10h\.01$/)
  expect(onePath([['ellipse', { cx: '12', cy: '5', rx: '9', ry: '3' }]])).toBe('M3 5a9 3 0 1 0 18 0a9 3 0 1 0 -18 0Z')
  expect(onePath([['rect', { x: '3', y: '4', width: '18', height: '10' }]])).toBe('M3 4h18v10h-18Z')
  expect(onePath([['rect', { width: '18', height: '10', x: '3', y: '4', rx: '2' }]])).toBe(
    'M5 4h14a2 2 0 0 1 2 2v6a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-6a2 2 0 0 1 2 -2Z',
  )
  expect(() => onePath([['text', {}]])).toThrow('Could not draw <text>')
})

test('every icon of the library can be drawn', async () => {
  const library = dirname(fileURLToPath(import.meta.resolve('@lucide/svelte/icons/plus')))
  const files = readdirSync(library).filter((file) => file.endsWith('.svelte'))
  expect(files.length).toBeGreaterThan(1000)
  for (const file of files) {
    const data = /const iconData = (\{.*\});/.exec(readFileSync(join(library, file), 'utf8'))![1]!
    expect(onePath(JSON.parse(data).node), file).toMatch(/^M/)
  }
})

test('an icon has a size, a stroke and a label, under an old name too', async () => {
  const { default: Trash } = await import('@lucide/svelte/icons/trash-2')
  const { container, rerender } = render(Trash, { size: 12 })
  const icon = container.querySelector('svg')!
  expect(icon.getAttribute('width')).toBe('12')
  expect(icon.getAttribute('aria-hidden')).toBe('true')
  expect([...icon.querySelectorAll('path')].map((path) => path.getAttribute('stroke-width'))).toEqual(['1.75'])
  await rerender({ size: 20, 'aria-label': 'Remove' })
  expect(icon.getAttribute('width')).toBe('20')
  expect(icon.getAttribute('aria-label')).toBe('Remove')
  expect(icon.hasAttribute('aria-hidden')).toBe(false)
})

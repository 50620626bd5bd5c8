// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { placeTip, saidAlready, saysMore, tipOwner } from './tips'

afterEach(() => document.body.replaceChildren())

function page(html: string): HTMLElement {
  document.body.innerHTML = html
  return document.querySelector<HTMLElement>('[data-tip]')!
}

test('belongs to the nearest element that has one', () => {
  page('<p data-tip="tab"><b data-tip=""><i data-tip="close"><s></s></i></b></p>')
  expect(tipOwner(document.querySelector('s'))?.dataset.tip).toBe('close')
  expect(tipOwner(document.querySelector('b'))?.dataset.tip).toBe('tab')
  expect(tipOwner(document.body)).toBeNull()
  expect(tipOwner(null)).toBeNull()
})

test('does not repeat the visible text', () => {
  expect(saysMore(page('<p data-tip="a/b.go"><code>a/b.go</code></p>'))).toBe(false)
  expect(saysMore(page('<p data-tip="a/b.go">b.go</p>'))).toBe(true)
  expect(saysMore(page('<button data-tip="Stop" data-keys="Ctrl+.">Stop</button>'))).toBe(true)
})

test('repeats the visible text if it is cut off', () => {
  const owner = page('<p data-tip="a/b.go"><code style="overflow-x: hidden">a/b.go</code></p>')
  const code = owner.querySelector('code')!
  Object.defineProperty(code, 'scrollWidth', { value: 90 })
  Object.defineProperty(code, 'clientWidth', { value: 40 })
  expect(saysMore(owner)).toBe(true)
})

test('a screen reader does not announce a name twice', () => {
  expect(saidAlready(page('<button aria-label="Flight deck" data-tip="Flight deck"></button>'))).toBe(true)
  expect(saidAlready(page('<button data-tip="Drops what is queued">Stop</button>'))).toBe(false)
})

const window = { width: 900, height: 600 }
const size = { width: 100, height: 24 }
const owner = (left: number, top: number, width = 26) => ({ left, top, right: left + width, bottom: top + 26 })

test.each([
  ['below, in the middle of a small one', owner(400, 100), { left: 363, top: 132 }],
  ['at the left edge of a wide one', owner(400, 100, 300), { left: 400, top: 132 }],
  ['within the left edge', owner(0, 100), { left: 6, top: 132 }],
  ['within the right edge', owner(870, 100), { left: 794, top: 132 }],
  ['above at the bottom', owner(400, 570), { left: 363, top: 540 }],
])('stands %s', (_, box, place) => expect(placeTip(box, size, window)).toEqual(place))

test('never covers the field being typed in', () => {
  const field = { left: 300, top: 130, right: 600, bottom: 160 }
  expect(placeTip(owner(400, 100), size, window, field)).toEqual({ left: 363, top: 70 })
  const around = { left: 300, top: 60, right: 600, bottom: 160 }
  expect(placeTip(owner(400, 100), size, window, around)).toBeUndefined()
  expect(placeTip(owner(560, 100), size, window, { ...around, right: 590 })).toEqual({ left: 592, top: 101 })
})

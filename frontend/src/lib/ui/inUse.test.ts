// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest'
import { inUse, rowsInUse, rowsWithin } from './inUse'

beforeEach(() => {
  document.body.innerHTML = `<p>Outside</p><div>${['a', 'b', 'c', 'd'].map((key) => `<div data-row="${key}">Row ${key} <button>b</button></div>`).join('')}</div>`
  getSelection()!.removeAllRanges()
})
const list = () => document.querySelector('div')!
const row = (key: string) => document.querySelector(`[data-row="${key}"]`)!
const within = () => {
  const selected = getSelection()!
  return selected.rangeCount > 0 ? rowsWithin(list(), selected.getRangeAt(0)) : undefined
}
const select = (from: Node, to: Node) => {
  getSelection()!.setBaseAndExtent(from, 0, to, 1)
}

test('a row with the keyboard is in use', () => {
  row('c').querySelector('button')!.focus()
  expect(inUse(row('c'))).toBe(true)
  expect(inUse(row('b'))).toBe(false)
  expect(rowsInUse(list())).toEqual(['c'])
  expect(within()).toBeUndefined()
})

test('so are the rows in which a selection begins and ends, and the one with a caret that may be extended', () => {
  select(row('c').firstChild!, row('a').firstChild!)
  expect(rowsInUse(list())).toEqual(['a', 'c'])
  expect(within()).toEqual(['a', 'c'])
  getSelection()!.collapse(row('d').firstChild, 1)
  expect(rowsInUse(list())).toEqual(['d'])
  expect(within()).toBeUndefined()
})

test('a selection of the whole page keeps no row', () => {
  getSelection()!.selectAllChildren(document.body)
  expect(rowsInUse(list())).toEqual([])
  expect(within()).toBeUndefined()
})

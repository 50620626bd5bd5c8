import { expect, test } from 'vitest'
import type { Place } from '$lib/ui/readingPosition'
import { BookViews, type ViewedBook } from './bookView.svelte'

const place = (key: string): Place => ({ key, index: 0, into: 0, way: '', top: 0, height: 0 })

function views(kept: Record<string, Place> = {}, uuid = 'u') {
  const needed: (readonly string[])[] = []
  const book = {
    uuid: uuid as string | undefined,
    shown: [],
    cell: () => undefined,
    reveal: () => undefined,
    top: () => place('top'),
    need: (ids: readonly string[]) => void needed.push(ids),
    rest: () => void needed.push(['rest']),
  }
  const set: [string, string | undefined][] = []
  const made = new BookViews(book satisfies ViewedBook, {
    get: (name) => kept[name],
    set: (name, at) => void set.push([name, at?.key]),
  })
  return { views: made, book, needed, set }
}

test('each view has its own cell and position; a second one begins where the first one is', () => {
  const { views: of } = views({ u: place('left') })
  const first = of.of(0)
  expect(first.memory.place?.key).toBe('left')
  first.selection.edit('c3')
  first.memory.leave(place('c3'))
  const second = of.of(1)
  expect([second.memory.place?.key, second.selection.active, second.selection.mode]).toEqual(['c3', 'c3', 'command'])
  second.selection.command('c9')
  second.memory.leave(place('c9'))
  expect([first.memory.place?.key, first.selection.active, first.selection.mode]).toEqual(['c3', 'c3', 'edit'])
  of.use(1)
  expect(of.current).toBe(second)
})

test('positions are stored separately and restored; a single view uses the name of the notebook', () => {
  const { views: of, set } = views()
  of.of(0).memory.leave(place('a'))
  of.of(1).memory.leave(place('b'))
  expect(set).toEqual([
    ['u', 'a'],
    ['u 1', 'b'],
  ])
  of.keep([1])
  of.of(1).memory.leave(place('c'))
  expect(set.at(-1)).toEqual(['u', 'c'])

  const { views: again, book } = views({ u: place('a'), 'u 1': place('b') }, '')
  book.uuid = undefined
  const [left, right] = [again.of(0), again.of(1)]
  book.uuid = 'u'
  again.opened()
  expect([left.memory.place?.key, right.memory.place?.key]).toEqual(['a', 'b'])
})

test('a tab that moves to the other group keeps its view; a closed one does not', () => {
  const { views: of } = views()
  const view = of.of(0)
  of.keep([1])
  expect(of.of(1)).toBe(view)
  of.keep([0, 1])
  const other = of.of(0)
  expect(other).not.toBe(view)
  of.keep([0])
  of.use(0)
  expect([of.current, of.of(1) === view]).toEqual([other, false])
})

test('cells near any view are loaded, and everything rests once no view is drawn', () => {
  const { views: of, needed } = views()
  of.need(0, ['a', 'b'])
  of.need(1, ['b', 'c'])
  of.need(0, ['x'])
  of.rest(1)
  of.need(0, ['y'])
  of.rest(0)
  expect(needed).toEqual([['a', 'b'], ['b', 'c', 'a'], ['x', 'b', 'c'], ['y'], ['rest']])
})

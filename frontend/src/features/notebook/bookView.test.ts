import { expect, test } from 'vitest'
import type { Place } from '$lib/ui/readingPosition'
import { BookViews, type ViewedBook } from './bookView.svelte'
import { CellState } from './cell.svelte'
import type { KeptSelection } from './selection.svelte'

const place = (key: string): Place => ({ key, index: 0, into: 0, way: '', top: 0, height: 0 })

function views(kept: Record<string, Place> = {}, uuid = 'u', selected: Record<string, KeptSelection> = {}) {
  const needed: (readonly string[])[] = []
  const book = {
    uuid: uuid as string | undefined,
    shown: [new CellState('c1'), new CellState('last')],
    cell: (id: string) => book.shown.find((cell) => cell.id === id),
    reveal: () => undefined,
    top: () => place('top'),
    need: (ids: readonly string[]) => void needed.push(ids),
    rest: () => void needed.push(['rest']),
  }
  const set: [string, string | undefined][] = []
  const made = new BookViews(
    book satisfies ViewedBook,
    {
      get: (name) => kept[name],
      set: (name, at) => void set.push([name, at?.key]),
    },
    { take: (name) => selected[name] },
  )
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

test('what is selected in each view is kept and restored; the last cell has another id then, and a cell may be gone', () => {
  const { views: of } = views()
  of.of(0).selection.edit('c1')
  of.of(0).selection.caretMoved(3, true)
  of.of(1).selection.command('last')
  of.of(2)
  expect(of.selected).toEqual({
    u: { cell: 'c1', mode: 'edit', caret: 3 },
    'u 1': { cell: '', mode: 'command', caret: 0 },
    'u 2': { cell: 'c1', mode: 'command', caret: 0 },
  })

  const { views: again } = views({}, 'u', { ...of.selected, 'u 2': { cell: 'gone', mode: 'edit', caret: 9 } })
  const all = [0, 1, 2].map((id) => again.of(id).selection)
  again.opened()
  expect(all.map(({ active, mode, caretAt, wanted }) => [active, mode, caretAt, wanted])).toEqual([
    ['c1', 'edit', 3, undefined],
    ['last', 'command', 0, undefined],
    ['', 'command', 0, undefined],
  ])
})

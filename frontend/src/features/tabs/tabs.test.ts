import { beforeEach, expect, test } from 'vitest'
import { TabsState } from './tabs.svelte'

let tabs: TabsState, changes: number
beforeEach(() => {
  changes = 0
  tabs = new TabsState(() => changes++)
  tabs.load(['a', 'b', 'c'], 'b')
  changes = 0
})
const drawn = () => tabs.paths.map((p) => (p === tabs.active ? `[${p}]` : p)).join(' ')

test('a new tab opens after the current one, an open one only becomes current', () => {
  tabs.open('x')
  expect(drawn()).toBe('a b [x] c')
  tabs.open('a')
  expect(drawn()).toBe('[a] b x c')
  expect(changes).toBe(2)
})

test('closing shows the right neighbour, at the end the left one, and finally nothing', () => {
  tabs.close('b')
  expect(drawn()).toBe('a [c]')
  tabs.close('c')
  expect(drawn()).toBe('[a]')
  tabs.close('a')
  expect([drawn(), tabs.active]).toEqual(['', ''])
})

test('closing another tab leaves the view alone', () => {
  tabs.close('a', 'c', 'not there')
  expect(drawn()).toBe('[b]')
  tabs.close('not there')
  expect(changes).toBe(1)
})

test('moving keeps every tab', () => {
  tabs.move('a', 2)
  expect(drawn()).toBe('[b] c a')
  tabs.move('a', -5)
  expect(drawn()).toBe('a [b] c')
  tabs.move('gone', 0)
  expect(changes).toBe(2)
})

test('stepping wraps around in both directions', () => {
  tabs.step(1)
  tabs.step(1)
  expect(drawn()).toBe('[a] b c')
  tabs.step(-1)
  expect(drawn()).toBe('a b [c]')
})

test('saved tabs may be wrong: duplicates, and a view that is not open', () => {
  tabs.load(['a', 'a', 'b'], 'gone')
  expect(drawn()).toBe('[a] b')
})

test('a tab follows a file that is renamed, in its place and on view', () => {
  tabs.rename('b', 'x')
  expect(drawn()).toBe('a [x] c')
  tabs.rename('a', 'c')
  expect(drawn()).toBe('c [x]')
  tabs.rename('gone', 'y')
  expect([drawn(), changes]).toEqual(['c [x]', 2])
})

test('closed tabs are remembered, latest first, until they are opened again; they follow a rename', () => {
  const tabs = new TabsState(() => {})
  tabs.load(['a', 'b', 'c'], 'a', ['z'])
  tabs.close('b')
  tabs.close('c')
  expect(tabs.closed).toEqual(['c', 'b', 'z'])
  tabs.rename('b', 'folder/b')
  expect([tabs.closed, tabs.paths]).toEqual([['c', 'folder/b', 'z'], ['a']])
  tabs.open('folder/b')
  tabs.forget('z')
  expect([tabs.closed, tabs.paths]).toEqual([['c'], ['a', 'folder/b']])
})

test('a number shows the tab of that place, 9 the last one', () => {
  const tabs = new TabsState(() => {})
  tabs.load(['a', 'b', 'c'], 'a')
  const at = (n: number) => (tabs.go(n), tabs.active)
  expect([at(2), at(9), at(1), at(4), at(NaN)]).toEqual(['b', 'c', 'a', 'a', 'a'])
})

test('groups: each change is reported once, and a tab counts as closed once no group has it', () => {
  tabs.openBeside('b')
  expect([tabs.groups.map((g) => g.paths), tabs.front.id, tabs.other?.id]).toEqual([[['a', 'b', 'c'], ['b']], 1, 0])
  tabs.open('x')
  tabs.closeIn(1, 'b')
  expect([tabs.active, tabs.paths, tabs.closed]).toEqual(['x', ['a', 'b', 'c', 'x'], []])
  tabs.use(1)
  expect(changes).toBe(3)
  tabs.use(0)
  tabs.send('b')
  expect([tabs.front, changes]).toEqual([{ id: 1, paths: ['x', 'b'], active: 'b' }, 5])
  tabs.step(1)
  tabs.go(2)
  expect(tabs.active).toBe('b')
  tabs.closeIn(1, 'x', 'b', 'a')
  expect([tabs.groups.length, tabs.active, tabs.closed]).toEqual([1, 'c', ['x', 'b']])
})

test('both groups are restored, with the active one; without tabs at the left the right one stays', () => {
  tabs.load(['a', 'b'], 'b', ['z'], { tabs: ['c', 'a'], active: 'a', front: true })
  expect([tabs.groups.map((g) => g.active), tabs.active, tabs.closed]).toEqual([['b', 'a'], 'a', ['z']])
  tabs.load([], '', [], { tabs: ['c'], active: 'c', front: false })
  expect([tabs.groups.length, tabs.active]).toEqual([1, 'c'])
})

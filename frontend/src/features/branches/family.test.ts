import { expect, test } from 'vitest'
import type { branches } from '$lib/backend/backend'
import { numbersOf, placed, railRows } from './family'

const member = (id: string, cells = 1) =>
  ({
    id,
    path: `${id}.mtm`,
    name: id,
    cells,
    begin: `${id} begins`,
    first: `${id} parts`,
    marks: [],
    atMs: 0,
    timeMs: 0,
  }) as unknown as branches.Member
const edge = (from: string, to: string, cells = 1): branches.Edge => ({ from, to, kind: 'fork', cells, next: `${from} goes on` })
const family = (some: Partial<branches.Family>) => placed({ members: [], edges: [], more: 0, ...some })
const names = (some: Partial<branches.Family>) => family(some).map((m) => `${m.id} ${m.depth} ${m.common}`)
const rows = (some: Partial<branches.Family>) =>
  railRows(family(some)).map((r) => `${r.member.id} ${numbersOf(r)} ${r.words}, lane ${r.lane}, below ${r.above}`)

test('each member follows the one it was made from', () => {
  const members = ['a', 'b', 'c', 'd'].map((id) => member(id))
  expect(names({ members, edges: [edge('a', 'c', 2), edge('c', 'd', 5), edge('a', 'b')] })).toEqual(['a 0 0', 'b 1 1', 'c 1 2', 'd 2 5'])
})

test('no member is lost if its origin is gone, itself, or in a circle', () => {
  expect(names({ members: [member('a'), member('b')], edges: [edge('gone', 'a'), edge('b', 'b')] })).toEqual(['a 0 1', 'b 0 1'])
  expect(names({ members: [member('a'), member('b')], edges: [edge('a', 'b'), edge('b', 'a')] })).toEqual(['a 0 1', 'b 1 1'])
  expect(railRows(family({ members: [member('a'), member('b')], edges: [edge('a', 'b'), edge('b', 'a')] }))).toHaveLength(2)
})

test('a member is split where others branch off', () => {
  const members = [member('main', 9), member('aside', 5), member('one', 9), member('two', 11)]
  const edges = [edge('main', 'two', 6), edge('main', 'aside', 4), edge('main', 'one', 6)]
  expect(rows({ members, edges })).toEqual([
    'main [1–4] main begins, lane 0, below -1',
    'aside [5] aside parts, lane 1, below 0',
    'main [5–6] main goes on, lane 0, below 0',
    'one [7–9] one parts, lane 2, below 2',
    'two [7–11] two parts, lane 3, below 2',
    'main [7–9] main goes on, lane 0, below 2',
  ])
})

test('a fork without its own cells, and one of an empty notebook, have a row', () => {
  expect(rows({ members: [member('a', 2), member('b', 2), member('c', 3)], edges: [edge('a', 'b', 2), edge('b', 'c', 2)] })).toEqual([
    'a [1–2] a begins, lane 0, below -1',
    'b  b parts, lane 1, below 0',
    'c [3] c parts, lane 2, below 1',
  ])
  expect(rows({ members: [member('a', 0), member('b', 1)], edges: [edge('a', 'b', 0)] })).toEqual([
    'a  a begins, lane 0, below -1',
    'b [1] b parts, lane 1, below 0',
  ])
})

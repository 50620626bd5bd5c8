import { expect, test } from 'vitest'
import type { branches } from '$lib/backend/backend'
import { placed, shareOf } from './family'

const member = (id: string) =>
  ({ id, path: `${id}.mtm`, name: id, cells: 1, first: '', marks: [], atMs: 0, timeMs: 0 }) as unknown as branches.Member
const edge = (from: string, to: string, cells = 1): branches.Edge => ({ from, to, kind: 'forked', cells })
const names = (family: Partial<branches.Family>) =>
  placed({ members: [], edges: [], more: 0, ...family }).map((m) => `${m.id} ${m.depth} ${m.common}`)

test('each member stands behind the one that it was made from', () => {
  expect(names({ members: ['a', 'b', 'c', 'd'].map(member), edges: [edge('a', 'c', 2), edge('c', 'd', 5), edge('a', 'b')] })).toEqual([
    'a 0 0',
    'b 1 1',
    'c 1 2',
    'd 2 5',
  ])
})

test('an origin that is gone, itself, or in a circle loses nobody', () => {
  expect(names({ members: [member('a'), member('b')], edges: [edge('gone', 'a'), edge('b', 'b')] })).toEqual(['a 0 1', 'b 0 1'])
  expect(names({ members: [member('a'), member('b')], edges: [edge('a', 'b'), edge('b', 'a')] })).toEqual(['a 0 1', 'b 1 1'])
})

test('a share is against the larger one', () => expect([shareOf(1, 4), shareOf(4, 1), shareOf(0, 0)]).toEqual([0.25, 1, 0]))

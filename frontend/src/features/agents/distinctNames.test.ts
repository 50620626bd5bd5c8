import { expect, test } from 'vitest'
import { suffixesOf } from './distinctNames'
import type { Node } from './node'
import { familyOf } from './tree'

const total = { tokens: 0, cost: 0, estimated: false }
const node = (uuid: string, name: string, more: Partial<Node> = {}): Node => ({
  uuid,
  name,
  file: `.mutsumi/${uuid}.mtm`,
  status: 'standby',
  marks: [],
  createdAt: '',
  modifiedMs: 0,
  timeMs: 0,
  own: total,
  subtree: total,
  ...more,
})
const apart = (...all: Node[]) => Object.fromEntries(suffixesOf(all, familyOf(all)))

test('a unique name needs no suffix', () => {
  expect(apart(node('a', 'One'), node('b', 'Two'), node('c', ''))).toEqual({})
})

test('children of several agents are distinguished by their parents, others by their files', () => {
  const all = [node('p', 'Garden'), node('q', 'Kitchen'), node('c1', 'Worker', { parentId: 'p' }), node('c2', 'worker ', { parentId: 'q' })]
  expect(apart(...all)).toEqual({ '.mutsumi/c1.mtm': 'in Garden', '.mutsumi/c2.mtm': 'in Kitchen' })
  const third = node('c3', 'Worker', { parentId: 'q', file: 'notes/plan.mtm' })
  expect(apart(...all, third)).toEqual({ '.mutsumi/c1.mtm': 'c1', '.mutsumi/c2.mtm': 'c2', 'notes/plan.mtm': 'plan' })
})

test('a file that the program made is identified by the varying part of its name', () => {
  expect(
    apart(node('1', '翻译', { file: '.mutsumi/agent-1f3a9c20.mtm' }), node('2', '翻译', { file: '.mutsumi/agent-77aa01bc.mtm' })),
  ).toEqual({
    '.mutsumi/agent-1f3a9c20.mtm': '1f3a9c20',
    '.mutsumi/agent-77aa01bc.mtm': '77aa01bc',
  })
})

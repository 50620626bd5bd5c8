import { describe, expect, test } from 'vitest'
import type { agenttree } from '$lib/backend/backend'
import { relativesOf } from './relatives'

const none = { tokens: 0, cost: 0, estimated: false }
const node = (name: string, over: Partial<agenttree.Node> = {}): agenttree.Node =>
  ({
    uuid: name,
    name,
    parentId: 'p',
    file: `${name}.mtm`,
    status: 'pending',
    marks: [],
    createdAt: '2026-01-02T03:04:05Z',
    modifiedMs: 1,
    timeMs: 0,
    own: none,
    subtree: none,
    ...over,
  }) as agenttree.Node
const at = Date.parse('2026-01-02T03:04:05Z')

describe('the agents of a call', () => {
  test('are the children that the call started, in that order, whatever their current names', () => {
    const children = [node('b', { name: 'Renamed' }), node('a', { name: 'Same' }), node('c', { name: 'Same' })]
    expect(relativesOf(children, ['c', 'stranger', 'b'], at).map((r) => [r.uuid, r.name])).toEqual([
      ['c', 'Same'],
      ['b', 'Renamed'],
    ])
  })
  test.each([
    [{ status: 'running', action: 'reading a.go', startedMs: at - 3000, timeMs: 60_000 }, 'reading a.go · 1:03'],
    [
      { status: 'running', action: 'asking you', marks: ['needsYou'], subtree: { tokens: 3461, guessed: true, cost: 0, estimated: false } },
      'needs you · ~3.5k tokens',
    ],
    [{ subtree: { tokens: 3461, cost: 0, estimated: false, unpriced: true } }, '3.5k tokens'],
    [{ status: 'finished', timeMs: 48_000, subtree: { tokens: 9, cost: 30_000_000, estimated: false } }, '0:48 · $0.030'],
    [{ marks: ['queued'] }, 'queued'],
    [{}, ''],
  ])('%j is told in a few words', (over, want) =>
    expect(relativesOf([node('A', over as Partial<agenttree.Node>)], ['A'], at)[0]!.facts).toBe(want),
  )
})

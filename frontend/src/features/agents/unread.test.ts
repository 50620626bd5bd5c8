import { describe, expect, test } from 'vitest'
import type { Node } from './node'
import { Unread } from './unread.svelte'

const agent = (more: Partial<Node>): Node =>
  ({
    uuid: 'u1',
    name: 'A',
    file: 'a.mtm',
    status: 'standby',
    marks: [],
    createdAt: '',
    modifiedMs: 0,
    timeMs: 0,
    own: zero,
    subtree: zero,
    ...more,
  }) as Node
const zero = { tokens: 0, cost: 0, estimated: false }

describe('unread agents', () => {
  test('an agent that ended after it was last seen is unread until it is seen again', () => {
    const unread = new Unread()
    unread.load({}, 1000)
    expect(unread.has(agent({ endedMs: 900 }))).toBe(false)
    const node = agent({ endedMs: 1500 })
    expect(unread.has(node)).toBe(true)
    expect(unread.see(node)).toBe(true)
    expect(unread.has(node)).toBe(false)
    expect(unread.see(node)).toBe(false)
    expect(unread.has(agent({ endedMs: 1600 }))).toBe(true)
  })

  test('an agent that runs again, was stopped, or is a child that did not fail is not unread', () => {
    const unread = new Unread()
    unread.load({ readAll: 1 }, 1000)
    expect(unread.has(agent({ endedMs: 5, status: 'running' }))).toBe(false)
    expect(unread.has(agent({ endedMs: 0 }))).toBe(false)
    expect(unread.has(agent({ endedMs: 5, parentId: 'p' }))).toBe(false)
    expect(unread.has(agent({ endedMs: 5, parentId: 'p', marks: ['failed'] }))).toBe(true)
  })

  test('unread agents stay unread after a restart, and nothing is saved by name if all were seen', () => {
    const first = new Unread()
    first.load({ readAll: 10 }, 1000)
    const [a, b, gone] = [agent({ uuid: 'a', endedMs: 20 }), agent({ uuid: 'b', endedMs: 30 }), agent({ uuid: 'c', endedMs: 15 })]
    first.see(a)
    first.see(gone)
    const kept = first.kept([a, b])
    expect(kept).toEqual({ readAll: 10, read: { a: 20 } })
    const next = new Unread()
    next.load(kept, 5000)
    expect([next.has(a), next.has(b)]).toEqual([false, true])
    next.see(b)
    expect(next.kept([a, b])).toEqual({ readAll: 30, read: {} })
  })
})

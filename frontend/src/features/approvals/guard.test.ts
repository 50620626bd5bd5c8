import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { ApprovalsState, guardMs } from './approvals.svelte'
import { request } from './testing'

let approvals: ApprovalsState
const first = () => approvals.list[0]!
const wait = () => vi.advanceTimersByTimeAsync(guardMs)

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(null)))
  approvals = new ApprovalsState(new Backend(), { failed() {}, now: () => Date.now() })
})
afterEach(() => {
  approvals.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the guard', () => {
  test('a card that has just appeared cannot be decided', async () => {
    approvals.load({ approvals: [request('a')] })
    expect(await approvals.decide(first(), true)).toBe(false)
    await vi.advanceTimersByTimeAsync(guardMs - 1)
    expect(approvals.ready('a')).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await approvals.decide(first(), true)).toBe(true)
  })

  test('a rejection, which takes two steps, waits for nothing', async () => {
    approvals.load({ approvals: [request('a')] })
    expect(await approvals.decide(first(), false)).toBe(true)
  })

  test('a card that moves under the pointer waits again; one that stays does not', async () => {
    approvals.load({ approvals: [request('a'), request('b'), request('c')] })
    await wait()
    await approvals.decide(approvals.list[1]!, true)
    expect([approvals.ready('a'), approvals.ready('c')]).toEqual([true, false])
    await wait()
    expect(approvals.ready('c')).toBe(true)
    approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [request('d')] } })
    expect([approvals.ready('a'), approvals.ready('c'), approvals.ready('d')]).toEqual([true, true, false])
  })

  test('a card with a new conflict waits again, and its decision is about the conflicts that it showed', async () => {
    const conflict = { file: 'a.go', path: 'o.mtm', agent: 'Other', notebook: 'o', atMs: 5, running: true }
    const changed = (over: object) =>
      approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [request('a', { conflicts: [{ ...conflict, ...over }] })] } })
    approvals.load({ approvals: [request('a')] })
    await wait()
    changed({})
    expect([approvals.ready('a'), await approvals.decide(first(), true)]).toEqual([false, false])
    await wait()
    changed({ running: false })
    expect(approvals.ready('a')).toBe(true)
    changed({ atMs: 9 })
    expect(approvals.ready('a')).toBe(false)
    await wait()
    const sent = vi.fn<(url: string, init: { body: string }) => Promise<Response>>(() => Promise.resolve(Response.json(null)))
    vi.stubGlobal('fetch', sent)
    await approvals.decide(first(), true)
    expect(sent.mock.calls[0]![1].body).toContain('"seenMs":9')
  })

  test('a key decides only the card that has had the focus for a moment', async () => {
    approvals.load({ approvals: [request('a'), request('b')] })
    await wait()
    expect(approvals.readyForKey('a')).toBe(false)
    approvals.focused('a')
    expect(approvals.readyForKey('a')).toBe(false)
    await wait()
    expect([approvals.readyForKey('a'), approvals.readyForKey('b')]).toEqual([true, false])
    approvals.focused('b')
    expect(approvals.readyForKey('b')).toBe(false)
  })
})

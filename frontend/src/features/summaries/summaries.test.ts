import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Backend, BackendEvent, compaction, summaries, workspace } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import { lostGroups, lostWords } from './lost'
import { SummariesState } from './summaries.svelte'

const offer = (more: Partial<summaries.Offer> = {}): summaries.Offer => ({
  covers: ['a', 'b'],
  goes: { results: 10, answers: 20, prompts: 5 },
  stays: 30,
  pinned: [],
  after: 8,
  tokens: 800,
  window: 1250,
  trigger: 1000,
  now: 0,
  later: 0,
  eachTurn: 0,
  auto: true,
  muted: 0,
  saved: 0,
  running: false,
  ...more,
})

let answer = offer()
const calls: string[] = []
const call = {
  Compaction: (path: string) => Promise.resolve((calls.push(`offer ${path}`), answer)),
  SummaryDetails: (path: string, cell: string) =>
    Promise.resolve((calls.push(`details ${path} ${cell}`), { lost: [], sections: [], tokens: 1, turns: 0 })),
  Compact: () => Promise.reject(new Fault('conflict', 'one is being made')),
}
const failed: string[] = []
const made: string[] = []
const start = () =>
  new SummariesState({ call } as unknown as Backend, {
    failed: (title, fault) => failed.push(`${title}: ${fault.message}`),
    made: (path, cell) => made.push(`${path}#${cell}`),
  })
const event = (data: object): BackendEvent =>
  ({ seq: 1, type: 'compaction', data: { path: 'a.mtm', running: false, ...data } }) as BackendEvent

describe('summaries', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    answer = offer()
    for (const list of [calls, failed, made]) list.length = 0
  })
  afterEach(() => vi.useRealTimers())

  test('a summary is offered from three quarters of the trigger on, and again when the conversation has grown', async () => {
    const state = start()
    answer = offer({ tokens: 700 })
    state.follow('a.mtm')
    await vi.runAllTimersAsync()
    expect(state.isOffered('a.mtm')).toBe(false)
    answer = offer({ tokens: 760 })
    state.apply({ seq: 2, type: 'contextChanged', data: { path: '', rules: false } })
    await vi.runAllTimersAsync()
    expect(state.isOffered('a.mtm')).toBe(true)
    state.later('a.mtm')
    expect(state.isOffered('a.mtm')).toBe(false)
    answer = offer({ tokens: 870 })
    state.apply(event({ cell: 'c' }))
    await vi.runAllTimersAsync()
    expect(state.isOffered('a.mtm')).toBe(true)
    answer = offer({ tokens: 870, covers: [] })
    state.ask('a.mtm')
    await vi.runAllTimersAsync()
    expect(state.isOffered('a.mtm'), 'nothing to cover').toBe(false)
    state.stop()
  })

  test('after missed events it asks which summaries are still being made', async () => {
    const state = start()
    state.follow('a.mtm')
    await vi.runAllTimersAsync()
    for (const running of [true, false]) {
      answer = offer({ running })
      state.apply(event({ running: true }))
      state.load({} as workspace.Snapshot, true)
      await vi.runAllTimersAsync()
      expect(state.isRunning('a.mtm')).toBe(running)
    }
    state.stop()
  })

  test('it reports which summaries are being made, and how they ended', async () => {
    const state = start()
    state.apply(event({ running: true }))
    expect(state.isRunning('a.mtm')).toBe(true)
    state.apply(event({ fault: { kind: 'provider', message: 'no answer' } }))
    expect(state.isRunning('a.mtm')).toBe(false)
    state.apply(event({ cell: 's1' }))
    expect(await state.compact('a.mtm')).toBe(false)
    expect(failed).toEqual(['Could not make a summary: no answer', 'Could not make a summary: one is being made'])
    expect(made).toEqual(['a.mtm#s1'])
  })

  test('two summaries in view are both compared, each version once', async () => {
    const state = start()
    await Promise.all([state.look('a.mtm', 's1', 3), state.look('a.mtm', 's2', 4), state.look('a.mtm', 's1', 3)])
    expect(calls).toEqual(['details a.mtm s1', 'details a.mtm s2'])
    expect(state.details('a.mtm', 's1')).toBeDefined()
    expect(state.details('a.mtm', 's2')).toBeDefined()
    await state.look('a.mtm', 's1', 5)
    expect(calls).toHaveLength(3)
  })
})

test('left-out items are grouped and described in a few words', () => {
  const loss = (kind: string, text: string): compaction.Loss => ({ kind, text, cell: 'a', from: 0 })
  const lost = [loss('path', 'a.go'), loss('path', 'b.go'), loss('todo', 'ask'), loss('name', 'evict')]
  expect(lostGroups(lost).map((g) => `${g.title} ${g.list.length}`)).toEqual(['Open to-dos 1', 'Paths 2', 'Names 1'])
  expect(lostWords(lost)).toBe('2 paths, 1 to-do, 1 name')
})

import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Backend, BackendEvent, agenttree, event, timeline } from '$lib/backend/backend'
import { DeckState } from './deck.svelte'
import { until } from '$lib/testing/waits'

/** The time limit of each wait, in milliseconds: only a failure takes that long. */
type View = timeline.View
const span = (id: string, agent: string, startMs: number, endMs: number, more: Partial<timeline.Span> = {}): timeline.Span => ({
  id,
  agent,
  path: `${agent}.mtm`,
  cell: 'c',
  index: 0,
  kind: 'model',
  text: '',
  startMs,
  endMs,
  failed: false,
  ...more,
})
const lane = (agent: string, spans: timeline.Span[], depth = 0): timeline.Lane => ({
  agent,
  path: `${agent}.mtm`,
  depth,
  spans,
  cut: false,
})
const view = (seq: number, lanes: timeline.Lane[], links: timeline.Link[] = []): View => ({
  seq,
  root: lanes[0]?.agent ?? '',
  startMs: 0,
  lanes,
  links,
})
const changed = (seq: number, spans: timeline.Span[], more: Partial<event.TimelineChanged> = {}): BackendEvent => ({
  seq,
  type: 'timelineChanged',
  data: { spans, links: [], ...more },
})
const node = (uuid: string, more: Partial<agenttree.Node> = {}) => ({ uuid, file: `${uuid}.mtm`, name: uuid, ...more }) as agenttree.Node

let asked: string[], answers: ((view: View | Error) => void)[], frames: (() => void)[], now: number, deck: DeckState
const settled = () => new Promise((r) => setImmediate(r))
async function answer(v: View | Error) {
  answers.shift()!(v)
  await settled()
}
function draw() {
  for (const f of frames.splice(0)) f()
}
beforeEach(() => {
  asked = []
  answers = []
  frames = []
  now = 10_000
  const call = {
    Timeline: (path: string) => {
      asked.push(path)
      return new Promise<View>((done, fail) => answers.push((v) => (v instanceof Error ? fail(v) : done(v))))
    },
  } as unknown as Backend['call']
  deck = new DeckState({ call }, { frame: (f) => frames.push(f), now: () => now })
  deck.axis.width = 900
})

describe('DeckState', () => {
  test('asks only while it is shown', async () => {
    deck.apply(changed(1, [span('x', 'a', 0, 5)]))
    deck.apply({ seq: 2, type: 'treeChanged', data: { nodes: [node('a')], removed: [] } })
    expect([asked, frames]).toEqual([[], []])
    deck.follow('a.mtm')
    await answer(view(5, [lane('a', [span('x', 'a', 0, 5)])]))
    expect([deck.loaded, deck.lanes.length, asked]).toEqual([true, 1, ['a.mtm']])
    deck.follow(undefined)
    deck.apply(changed(6, [span('y', 'a', 6, 7)]))
    expect(deck.lanes[0]!.spans).toHaveLength(1)
    // Missed changes are requested; the known state is shown until they arrive.
    deck.follow('a.mtm')
    expect([deck.loaded, deck.lanes.length, asked.length]).toEqual([true, 1, 2])
  })

  test('events during a pending answer are neither lost nor applied twice', async () => {
    deck.follow('a.mtm')
    deck.apply(changed(7, [span('old', 'a', 0, 4)]))
    deck.apply(changed(9, [span('new', 'a', 5, 0)]))
    await answer(view(8, [lane('a', [span('old', 'a', 0, 5)])]))
    expect(deck.lanes[0]!.spans.map((s) => [s.id, s.endMs])).toEqual([
      ['old', 5],
      ['new', 0],
    ])
    deck.apply(changed(8, [span('late', 'a', 1, 2)]))
    expect(deck.lanes[0]!.spans).toHaveLength(2)
  })

  test('many events cause one layout per frame, only for changed agents', async () => {
    deck.follow('a.mtm')
    await answer(view(1, [lane('a', [span('x', 'a', 0, 0)]), lane('b', [], 1)]))
    draw()
    const [a, b] = deck.lanes.map((l) => l.rev)
    for (let i = 0; i < 100; i++) deck.apply(changed(2 + i, [span(`b${i}`, 'b', i * 10, i * 10 + 9)]))
    expect(frames).toHaveLength(1)
    expect(deck.lanes.map((l) => l.rev)).toEqual([a, b])
    draw()
    expect(deck.lanes.map((l) => l.rev)).toEqual([a, b! + 1])
    expect(deck.lanes[1]!.spans).toHaveLength(100)
  })

  test('it is live while a span is open, by the clock of the program', async () => {
    deck.follow('a.mtm')
    await answer(view(1, [lane('a', [span('x', 'a', 60_000, 0)])])) // our clock is 50 s behind
    draw()
    expect(deck.axis.live).toBe(true)
    expect(deck.nowMs).toBe(60_000)
    now += 5000
    deck.tick()
    expect(deck.axis.nowX).toBeCloseTo(deck.axis.scale.x(65_000), 0)
    deck.apply(changed(2, [span('x', 'a', 60_000, 66_000)]))
    draw()
    expect(deck.axis.live).toBe(false)
  })

  test('a removed span disappears when its cell runs again', async () => {
    deck.follow('a.mtm')
    await answer(view(1, [lane('a', [span('x', 'a', 0, 0)])]))
    deck.apply(changed(2, [span('x', 'a', 0, 0, { startMs: 3, endMs: 3 })]))
    draw()
    expect([deck.lanes[0]!.spans, deck.axis.live]).toEqual([[], false])
  })

  test('of several links of one kind between two agents the last one counts', async () => {
    const link = (atMs: number, to = 'b'): timeline.Link => ({ from: 'a', to, atMs, kind: 'fork' })
    deck.follow('a.mtm')
    await answer(view(1, [lane('a', []), lane('b', [], 1)], [link(5)]))
    deck.apply(changed(2, [], { links: [link(5), link(9), link(7, 'stranger')] }))
    expect(deck.links).toEqual([link(9), link(7, 'stranger')])
    deck.apply(changed(3, [], { links: [{ from: 'q', to: 'r', atMs: 1, kind: 'fork' }] }))
    expect(deck.links).toHaveLength(2)
  })

  test('added, removed and changed agents cause a request, one for several', async () => {
    vi.useFakeTimers()
    try {
      deck.follow('a.mtm')
      answers.shift()!(view(1, [lane('a', [])]))
      await vi.advanceTimersByTimeAsync(0)
      for (let i = 0; i < 5; i++)
        deck.apply({ seq: 2 + i, type: 'treeChanged', data: { nodes: [node(`k${i}`, { parentId: 'a' })], removed: [] } })
      deck.apply({ seq: 8, type: 'treeChanged', data: { nodes: [node('a'), node('other')], removed: ['elsewhere.mtm'] } })
      await vi.advanceTimersByTimeAsync(500)
      expect(asked).toHaveLength(2)
      answers.shift()!(view(9, [lane('a', []), lane('k0', [], 1)]))
      await vi.advanceTimersByTimeAsync(0)
      deck.apply({ seq: 10, type: 'treeChanged', data: { nodes: [node('a'), node('k0', { parentId: 'a' })], removed: [] } })
      deck.apply(changed(11, [], { past: 'elsewhere.mtm' }))
      await vi.advanceTimersByTimeAsync(500)
      expect(asked).toHaveLength(2)
      deck.apply(changed(12, [], { past: 'a.mtm' }))
      await vi.advanceTimersByTimeAsync(500)
      expect(asked).toHaveLength(3)
    } finally {
      vi.useRealTimers()
    }
  })

  test('another tree shows nothing of the previous one, and a late answer is dropped', async () => {
    deck.follow('a.mtm')
    deck.follow('b.mtm')
    await answer(view(9, [lane('a', [])]))
    expect([deck.loaded, deck.lanes]).toEqual([false, []])
    await answer(view(3, [lane('b', [])]))
    expect([deck.loaded, deck.lanes[0]!.agent]).toEqual([true, 'b'])
  })

  test('a failure is shown, and the known state stays', async () => {
    deck.follow('a.mtm')
    await answer(new Error('no'))
    expect([deck.loaded, deck.fault?.message]).toEqual([false, 'no'])
    deck.retry()
    await until(() => answers.length === 1)
    await answer(view(1, [lane('a', [])]))
    expect([deck.loaded, deck.fault]).toEqual([true, undefined])
  })

  test('lists that Go writes as null are empty', async () => {
    deck.follow('a.mtm')
    await answer({ ...view(1, []), lanes: null as never, links: null as never })
    expect(deck.loaded).toBe(true)
    deck.apply(changed(2, null as never, { links: null as never }))
    deck.apply({ seq: 3, type: 'treeChanged', data: { nodes: null as never, removed: null as never } })
  })
})

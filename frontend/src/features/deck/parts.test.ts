import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Link } from './deck.svelte'
import { boxHeight, placeTree } from './graph'
import { arrowsOf } from './links'
import { cut, legible } from './paint'
import { TimeScale } from './scale'
import { clashWords, type Clash } from './view'
import { ago } from '$lib/format/time'
import { doing, factsOf, laneWords, roughly, spanWords, type Node } from './words'
import type { Span } from './lanes'

describe('arrows', () => {
  const scale = new TimeScale([{ from: 0, to: 1000 }], 1)
  const rows = new Map([['root', 0], ...Array.from({ length: 100 }, (_, i) => [`k${i}`, i + 1] as [string, number])])
  const view = { left: 0, width: 500, first: 0, last: 10 }
  const arrows = (links: Link[], v = view) => arrowsOf(links, (agent) => rows.get(agent), scale, v)
  const fork = (to: string, atMs: number): Link => ({ from: 'root', to, atMs, kind: 'fork' })

  test('a hundred children started at once are one line with the visible heads', () => {
    const [one, ...more] = arrows(Array.from({ length: 100 }, (_, i) => fork(`k${i}`, 40.2)))
    expect(more).toEqual([])
    expect(one).toMatchObject({ x: 40, from: 0, to: 100 })
    expect(one!.ends).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
  test('no arrows out of view, to a missing agent or to itself', () => {
    expect(arrows([fork('k1', 900), fork('gone', 5), fork('root', 5)])).toEqual([])
    expect(arrows([fork('k1', 5)], { ...view, first: 50, last: 60 })).toEqual([])
  })
  test('a line that crosses the view is drawn without its ends', () => {
    expect(arrows([fork('k99', 5)], { ...view, first: 50, last: 60 })).toMatchObject([{ from: 0, to: 100, ends: [] }])
  })
  test('a report points up', () => {
    expect(arrows([{ from: 'k3', to: 'root', atMs: 9, kind: 'report' }])).toMatchObject([{ from: 4, to: 0, ends: [0] }])
  })
})

describe('the graph', () => {
  const of = (...depths: number[]) => placeTree(depths.map((depth, i) => ({ path: `${i}`, depth })))
  test('a parent is at the middle of its children', () => {
    const { placed } = of(0, 1, 2, 2, 1, 1)
    expect(placed.map((p) => p.parent)).toEqual([-1, 0, 1, 1, 0, 0])
    expect(placed[1]!.y).toBe((placed[2]!.y + placed[3]!.y) / 2)
    expect(placed[0]!.y).toBe((placed[1]!.y + placed[5]!.y) / 2)
  })
  test('boxes of a column do not overlap', () => {
    let seed = 7
    const random = (n: number) => (seed = (seed * 48_271) % 2_147_483_647) % n
    const depths = [0]
    for (let i = 1; i < 500; i++) depths.push(1 + random(Math.min(8, depths.at(-1)! + 1)))
    const { placed, height } = of(...depths)
    const columns = new Map<number, number[]>()
    for (const p of placed) columns.set(p.x, [...(columns.get(p.x) ?? []), p.y])
    for (const ys of columns.values()) {
      ys.sort((a, b) => a - b)
      for (let i = 1; i < ys.length; i++) expect(ys[i]! - ys[i - 1]!).toBeGreaterThanOrEqual(boxHeight)
      expect(ys.at(-1)! + boxHeight).toBeLessThanOrEqual(height)
    }
  })
  test('a skipped depth, and no agents', () => {
    expect(of(0, 3).placed[1]).toMatchObject({ depth: 1, parent: 0 })
    expect(of().placed).toEqual([])
  })
})

describe('paint', () => {
  test('texts are cut to fit, or left out', () => {
    const measure = (t: string) => t.length * 6
    expect(cut('go test', 60, measure)).toBe('go test')
    expect(cut('go test -bench', 60, measure)).toBe('go test -…')
    expect(cut('go test -bench', 12, measure)).toBe('')
    expect(cut('x'.repeat(1e6), 60, measure)).toHaveLength(10)
    // Wide letters first, and few measurements.
    let measured = 0
    const uneven = (t: string) => (measured++, [...t].reduce((w, c) => w + (c === 'W' ? 14 : 4), 0))
    expect(uneven(cut('WWWWWWWWiiiiiiiiiiiiiiiiiiiiiiii', 90, uneven))).toBeLessThanOrEqual(90)
    expect(measured).toBeLessThan(6)
  })
  test('the readable text colour, for short colour values too', () => {
    expect(legible(['#ffffff', '#1d211c'], '#c08a2d')).toBe('#1d211c')
    expect(legible(['#fff', '#1d211c'], '#c08a2d')).toBe('#1d211c')
    expect(legible(['#fff', '#1d211c'], '#2f6fd0')).toBe('#fff')
  })
})

describe('words', () => {
  const total = { tokens: 0, cost: 0, estimated: false }
  const node = (more: Partial<Node> = {}): Node => ({
    uuid: 'u',
    name: 'n',
    file: 'f',
    status: 'standby',
    marks: [],
    createdAt: '',
    modifiedMs: 0,
    timeMs: 0,
    own: total,
    subtree: total,
    ...more,
  })
  const open = (kind: string): Span[] => [
    { id: '1', agent: 'u', path: 'f', cell: '', index: 0, kind, text: 'x', startMs: 1000, endMs: 0, failed: false },
  ]
  test.each([
    [node({ status: 'running', marks: ['needsYou'] }), 'tool', 0, 'go test', 'needs you: go test'],
    [node({ status: 'running' }), 'forked', 3, '', 'waiting for 3 children'],
    [node({ status: 'running', action: 'reading a.go' }), 'model', 3, '', 'reading a.go'],
    [node({ status: 'pending', marks: ['queued'] }), 'queued', 0, '', 'queued'],
    [node({ marks: ['failed'] }), 'model', 0, '', 'failed'],
    [node({ status: 'finished' }), 'model', 0, '', 'finished'],
    [node(), 'model', 0, '', ''],
    [undefined, 'model', 0, '', ''],
  ] as const)('%o', (n, kind, unfinished, asks, want) => expect(doing(n, open(kind), unfinished, asks)).toBe(want))

  test('a lane shows its activity, duration and cost', () => {
    expect(factsOf(node({ timeMs: 48_000, own: { ...total, cost: 120_000_000 } }), 'finished', 0)).toBe('finished · 0:48 · $0.12')
    expect(
      factsOf(
        node({ status: 'running', startedMs: 1000, timeMs: 60_000, own: { ...total, cost: 120_000_000, estimated: true } }),
        'thinking',
        4000,
      ),
    ).toBe('thinking · 1:03 · ~$0.12')
    expect(factsOf(node(), '', 0)).toBe('')
  })
  test('spans and lanes in words', () => {
    expect(spanWords({ ...open('tool')[0]!, endMs: 3500, failed: true }, 0, 0)).toBe('tool, x, failed, took 2.5 s, at 0:01')
    expect(spanWords(open('waiting')[0]!, 0, 61_000)).toBe('waiting for you, x, for 1:00, at 0:01')
    expect(laneWords([...open('model'), { ...open('tool')[0]!, endMs: 2000 }], 3000, true)).toMatch(
      /^2 steps, model 2\.0 s, tool 1\.0 s, from /,
    )
    expect([laneWords([], 0, false), laneWords([], 0, true)]).toEqual(['has not run', 'no times are known'])
    expect([ago(100), ago(12_000), ago(150_000), ago(7_300_000)]).toEqual(['just now', '12 s ago', '2 min ago', '2 h ago'])
    expect([roughly(1_500_000), roughly(9 * 3_600_000), roughly(72 * 3_600_000)]).toEqual(['25 min', '9 h', '3 d'])
  })
  test('agents that want a file', () => {
    const conflict = (agent: string, file = 'pricing/cart.go') => ({ file, path: '', agent, notebook: agent, atMs: 1, running: true })
    const clash = (...conflicts: ReturnType<typeof conflict>[]) =>
      clashWords({ agent: 'M', conflicts } as unknown as Clash, () => '12 s ago')
    expect(clash(conflict('R'))).toEqual({ head: 'Two agents want pricing/cart.go.', rest: '“R” wrote it 12 s ago; “M” is about to.' })
    expect(clash(conflict('R'), conflict('R', 'b'), conflict('S'), conflict('T'))).toEqual({
      head: 'Four agents want pricing/cart.go and 1 more.',
      rest: '“R” wrote it 12 s ago, “S” wrote it 12 s ago, 1 more did; “M” is about to.',
    })
  })
})

describe('in Chinese', () => {
  afterEach(() => {
    globalThis.mutsumiCatalogue = undefined
    vi.resetModules()
  })
  test('the words of spans and of lanes, but neither commands nor names', async () => {
    vi.resetModules()
    const texts = JSON.parse(readFileSync('../backend/language/zh-CN.window.json', 'utf8')) as Record<string, string>
    globalThis.mutsumiCatalogue = { language: 'zh-CN', texts, program: { 'starting {0}': '启动 {0}' } }
    const { textOf } = await import('./textOf')
    const words = await import('./words')
    const of = (word?: Span['word'], text = '') => textOf({ word, text })
    expect([of('thinking'), of('thinkingAnswer'), of('fork'), of('question'), of('outline')]).toEqual([
      '思考',
      '思考、回答',
      '分叉',
      '提问',
      '大纲',
    ])
    expect([of('edit', 'cart.go'), of('read', 'a b'), of('read')]).toEqual(['编辑 cart.go', '读取 a b', '读取'])
    for (const text of ['', 'go test ./...', 'constructor', 'grep', 'thinking', 'read name']) expect(of(undefined, text)).toBe(text)
    expect(of('constructor' as Span['word'], 'x'), 'of a newer program').toBe('x')
    expect([words.roughly(9 * 3_600_000), words.roughly(72 * 3_600_000)]).toEqual(['9 小时', '3 天'])
    expect(words.doing({ marks: ['needsYou'] } as unknown as Node, [], 0, 'starting A')).toBe('需要你：启动 A')
  })
})

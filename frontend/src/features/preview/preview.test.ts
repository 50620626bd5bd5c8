import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent, type preview } from '$lib/backend/backend'
import { PreviewState } from './preview.svelte'
import { beginning, definitionOf, factsOf, ownPart, rowsOf, sourceOf, titleOf, type Row } from './rows'

type Segment = preview.Segment
const segment = (id: string, more: Partial<Segment> = {}): Segment => ({
  id,
  kind: id.split(':')[0]!,
  source: id.slice(id.indexOf(':') + 1),
  text: id,
  place: '',
  piece: 0,
  cut: false,
  tokens: 10,
  estimated: false,
  state: 'same',
  added: 0,
  deleted: 0,
  diff: [],
  ...more,
})
const message = (role: string, segments: Segment[], more: Partial<preview.Message> = {}): preview.Message => ({
  role,
  parts: false,
  number: 0,
  tokens: 10 * segments.length,
  segments,
  ...more,
})
const view = (more: Partial<preview.Preview> = {}): preview.Preview => ({
  path: 'a',
  cell: '',
  request: 7,
  tokens: 100,
  window: 1000,
  cost: 0,
  model: 'm',
  bytes: 100,
  sha256: '',
  parameters: [],
  removed: [],
  warnings: [],
  cache: { tokens: 20, message: 2, segment: 0, brokenBy: 'the prompt is new' },
  expected: { kind: 'prefix', tokens: 0, expired: false, agoMs: 0, least: 0 },
  messages: [
    message('system', [segment('system:system')]),
    message('user', [segment('history:user')], { cell: 'c1', number: 1 }),
    message(
      'user',
      [
        segment('prompt:prompt', { state: 'new' }),
        segment('frame:f', { text: '{"files":{' }),
        segment('file:a.go', { state: 'changed', added: 2, deleted: 1 }),
        segment('frame:f', { text: ',' }),
        segment('file:b.go'),
        segment('frame:f', { text: '}}' }),
      ],
      { cell: 'c2', number: 2 },
    ),
  ],
  ...more,
})
/** Describes each row in a few letters. */
const told = (rows: Row[]) =>
  rows.map((r) =>
    r.kind === 'segment'
      ? `  ${r.segment.id}${r.after}${r.last ? ' .' : ''}`
      : r.kind === 'head'
        ? r.message.role
        : r.kind === 'parameters'
          ? r.text.replaceAll('\n', ' | ')
          : r.kind === 'tools'
            ? `tools${r.open ? ' open' : ''}`
            : r.kind === 'same'
              ? `same ${r.messages} ${r.tokens}`
              : r.kind === 'cache'
                ? `cache ${r.tokens}${r.inside ? ' inside' : ''}`
                : `removed ${r.segment.id}`,
  )

describe('rows', () => {
  test('every message, with a line at the end of the cacheable beginning', () => {
    expect(told(rowsOf(view(), 'messages'))).toEqual([
      'system',
      '  system:system .',
      'user',
      '  history:user .',
      'cache 20',
      'user',
      '  prompt:prompt',
      '  frame:f',
      '  file:a.go,',
      '  file:b.go',
      '  frame:f .',
    ])
  })

  test('only differences from the last request', () => {
    expect(told(rowsOf(view(), 'changes'))).toEqual(['same 2 20', 'cache 20', 'user', '  prompt:prompt', '  file:a.go .'])
  })

  test.each([
    ['inside a message', { message: 2, segment: 2 }, ['user', '  prompt:prompt', '  frame:f', 'cache 20 inside', '  file:a.go,']],
    [
      'behind the last segment of a message',
      { message: 1, segment: 1 },
      ['user', '  history:user .', 'cache 20', 'user', '  prompt:prompt'],
    ],
    ['before a comma', { message: 2, segment: 3 }, ['  file:a.go', 'cache 20 inside', '  frame:f', '  file:b.go']],
  ])('the line %s', (_name, at, want) => {
    const rows = told(rowsOf(view({ cache: { tokens: 20, brokenBy: '', ...at } }), 'messages'))
    const first = rows.findIndex((_, i) => want.every((w, k) => rows[i + k] === w))
    expect(first, rows.join('\n')).toBeGreaterThanOrEqual(0)
    expect(rows.filter((r) => r.startsWith('cache'))).toHaveLength(1)
  })

  test('a request that the last one contains has the line at its end, a first request none', () => {
    expect(told(rowsOf(view({ cache: { tokens: 100, message: 3, segment: 0, brokenBy: '' } }), 'messages')).at(-1)).toBe('cache 100')
    expect(told(rowsOf(view({ request: 1 }), 'messages')).some((r) => r.startsWith('cache'))).toBe(false)
  })

  test('parameters and tools come before the messages; tools open together, or if the line is among them', () => {
    const tools = message('tools', [segment('definition:ls'), segment('definition:grep')])
    const parts = {
      parameters: [
        { name: 'model', value: '"m"' },
        { name: 'stream', value: 'true' },
      ],
      messages: [tools, message('system', [segment('system:system')])],
    }
    const at = (cache: Partial<preview.Preview['cache']>, open = false, mode: 'messages' | 'changes' = 'messages') =>
      told(rowsOf(view({ ...parts, cache: { tokens: 20, message: 2, segment: 0, brokenBy: '', ...cache } }), mode, open))
    expect(at({})).toEqual(['model: "m" | stream: true', 'tools', 'system', '  system:system .', 'cache 20'])
    expect(at({}, true).slice(1, 4)).toEqual(['tools open', '  definition:ls', '  definition:grep .'])
    expect(at({ message: 0, segment: 1 }).slice(1, 5)).toEqual(['tools open', '  definition:ls', 'cache 20 inside', '  definition:grep .'])
    expect(at({ message: 0 }).slice(1, 3)).toEqual(['cache 20', 'tools'])
    expect(at({}, false, 'changes')).toEqual(['same 2 30', 'cache 20'])
  })

  test('removed parts come last; ids are unique whatever the names of parts', () => {
    const twice = [message('user', [segment('file:a'), segment('file:a')]), message('user', [segment('file:a')])]
    const rows = rowsOf(view({ messages: twice, removed: [segment('file:a'), segment('file:a')] }), 'messages')
    expect(told(rows).slice(-2)).toEqual(['removed file:a', 'removed file:a'])
    expect(new Set(rows.map((r) => r.id)).size).toBe(rows.length)
  })
})

describe('words', () => {
  test('notes on a segment', () => {
    expect(factsOf(segment('file:a', { state: 'changed', added: 2, deleted: 1 }), 7)).toEqual([
      'changed since request 6, +2 −1',
      '10 tokens',
    ])
    expect(factsOf(segment('file:a', { state: 'new', note: 'scaled down' }), 7)).toEqual(['new · 10 tokens', 'scaled down'])
    expect(factsOf(segment('file:a'), 7)).toEqual(['unchanged · 10 tokens'])
    expect(factsOf(segment('file:a', { state: 'new' }), 1)).toEqual(['10 tokens'])
  })

  test('sources and titles', () => {
    const m = view().messages
    expect([
      sourceOf(m[2]!.segments[0]!, m[2]!),
      sourceOf(segment('image:file:///tmp/my%20p.png'), m[1]!),
      sourceOf(segment('image:data:image/png;base64,AA'), m[1]!),
    ]).toEqual(['cell 2', 'my p.png', 'pasted image'])
    expect([
      titleOf(m[0]!, ''),
      titleOf(m[1]!, ''),
      titleOf(message('user', []), ''),
      titleOf(message('assistant', [], { number: 3 }), ''),
    ]).toEqual(['identity, allowed folders', 'cell 1', 'new prompt', 'answer of cell 3'])
  })

  test('the definition of a tool, and the parts of a message besides its content', () => {
    const json =
      '{"type":"function","function":{"name":"ls","description":"Lists.","parameters":{"type":"object","properties":{"uri":{},"depth":{}},"required":["uri"]}}}'
    expect(definitionOf(json)).toEqual({
      name: 'ls',
      args: 'uri, depth?',
      description: 'Lists.',
      schema: expect.stringContaining('"required": [') as string,
    })
    expect(definitionOf(json.slice(0, 50))).toBeUndefined()
    const m = message('assistant', [])
    expect(
      sourceOf(
        segment('history:assistant', { place: 'calls', text: '{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}' }),
        m,
      ),
    ).toBe('calls ls')
    expect(sourceOf(segment('history:assistant', { place: 'reasoning' }), m)).toBe('reasoning')
    expect([
      titleOf(message('tool', [], { name: 'ls', number: 2 }), ''),
      titleOf(message('tools', [segment('definition:ls')]), ''),
    ]).toEqual(['result of ls in cell 2', '1 definition'])
  })

  test('a long text is cut at a line, never inside a surrogate pair', () => {
    expect(beginning('a\nb\nc', 2, 100)).toEqual({ text: 'a\nb', whole: false })
    expect(beginning('a\nb', 2, 100)).toEqual({ text: 'a\nb', whole: true })
    expect(beginning('😀😀', 9, 3)).toEqual({ text: '😀', whole: false })
  })
})

describe('PreviewState', () => {
  const asked: {
    body: { path: string; cell: string; draft: string }
    answer: (v: preview.Preview) => void
    fail: (message: string) => void
  }[] = []
  beforeEach(() => {
    vi.useFakeTimers()
    asked.length = 0
    vi.stubGlobal(
      'fetch',
      (url: string, init: RequestInit) =>
        new Promise<Response>((answer) => {
          expect(url).toBe('/api/preview')
          asked.push({
            body: JSON.parse(init.body as string) as never,
            answer: (v) => answer(Response.json(v)),
            fail: (message) => answer(new Response(JSON.stringify({ kind: 'internal', message }), { status: 500 })),
          })
        }),
    )
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms)
  const runStarted = (path: string) =>
    ({ seq: 1, type: 'runStarted', data: { path, cell: 'c', runId: 'r', atMs: 0, model: '' } }) as BackendEvent

  test('it follows the prompt; a late answer for another notebook is dropped', async () => {
    const state = new PreviewState(new Backend())
    state.follow({ path: 'a', cell: '', draft: '' })
    state.follow({ path: 'b', cell: '', draft: '' })
    asked[1]!.answer(view({ path: 'b' }))
    await settle()
    asked[0]!.answer(view({ path: 'a' }))
    await settle()
    expect(state.view?.path).toBe('b')
    state.follow({ path: 'b', cell: '', draft: 'more' })
    await settle(400)
    expect(asked.at(-1)!.body).toEqual({ path: 'b', cell: '', draft: 'more' })
    expect(state.view?.path).toBe('b')
  })

  test('it follows events of its notebook until it is closed', async () => {
    const state = new PreviewState(new Backend())
    state.show()
    state.follow({ path: 'a', cell: '', draft: '' })
    asked[0]!.answer(view())
    await settle()
    state.apply(runStarted('b'))
    await settle(500)
    expect(asked).toHaveLength(1)
    state.apply(runStarted('a'))
    await settle(100)
    expect(asked).toHaveLength(2)
    asked[1]!.fail('broken')
    await settle()
    expect([state.view?.path, state.fault?.message]).toEqual(['a', 'broken'])
    state.close()
    expect([state.open, state.shown]).toEqual([false, false])
    state.apply(runStarted('a'))
    await settle(500)
    expect(asked).toHaveLength(2)
  })
})

test('of a request to another agent only the part after the last answer is shown, and nothing about a model', () => {
  const answered = view().messages.toSpliced(2, 0, message('assistant', [segment('history:a')], { cell: 'c1', number: 1 }))
  const own = ownPart(view({ messages: answered, parameters: [{ name: 'effort', value: 'high' }] }))
  expect(own.messages.map((m) => m.cell)).toEqual(['c2'])
  expect([own.tokens, own.cost, own.window, own.model, own.parameters]).toEqual([60, 0, 0, '', []])
  expect(rowsOf(own, 'messages').some((row) => row.kind === 'cache' || row.kind === 'parameters')).toBe(false)
})

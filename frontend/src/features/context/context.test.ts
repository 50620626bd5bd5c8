import { flushSync } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent, type preview } from '$lib/backend/backend'
import type { Target } from '$lib/follow/refreshDelays'
import { ContextState } from './context.svelte'
import { barParts, warningsOf } from './kinds'
import { inOrder } from './stableOrder'
import { ruleRows } from './ruleTree'

const part = (id: string, more: Partial<preview.Part> = {}): preview.Part => ({
  id,
  source: id.slice(id.indexOf(':') + 1),
  tokens: 10,
  estimated: false,
  state: 'same',
  version: 0,
  ...more,
})
const view = (path: string, more: Partial<preview.Context> = {}): preview.Context => ({
  path,
  cell: '',
  tokens: 100,
  window: 1000,
  estimated: false,
  cost: 0,
  kinds: [],
  rules: [part('rule:a.md')],
  files: [],
  tools: [],
  resources: [],
  offered: { groups: [], search: 0, share: 0, servers: [], turn: 0 },
  results: [],
  images: [],
  skills: [],
  documents: [],
  macros: [],
  warnings: [],
  allowed: ['.'],
  asked: [],
  missing: [],
  placement: 'ghost',
  effort: '',
  efforts: false,
  trusted: true,
  programRules: false,
  ...more,
})

/** A stand-in for what `mutsumi serve` answers to fetch; the test decides when Context is answered. */
function serve() {
  const calls: { name: string; args: unknown[]; answer: (body: unknown) => void; fail: (message: string) => void }[] = []
  vi.stubGlobal('window', {})
  vi.stubGlobal(
    'fetch',
    (url: string, init: RequestInit) =>
      new Promise<Response>((answer) =>
        calls.push({
          name: url.slice('/api/call/'.length),
          args: JSON.parse(init.body as string) as unknown[],
          answer: (body) => answer(Response.json(body ?? null)),
          fail: (message) => answer(new Response(JSON.stringify({ kind: 'invalid', message }), { status: 400 })),
        }),
      ),
  )
  const failures: string[] = []
  const state = new ContextState(new Backend(), (title, fault) => failures.push(`${title}: ${fault.message}`))
  return { state, calls, failures, asked: () => calls.filter((c) => c.name === 'Context').map((c) => (c.args as string[]).join('|')) }
}
const at = (path: string, cell = 'c', draft = ''): Target => ({ path, cell, draft })
const changed = (path: string): BackendEvent => ({ seq: 1, type: 'contextChanged', data: { path, rules: true } })
const settle = async (ms = 0) => {
  await vi.advanceTimersByTimeAsync(ms)
  flushSync()
}

describe('ContextState', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  test('old values stay until new ones arrive', async () => {
    const { state, calls, asked } = serve()
    state.follow(at('a'))
    expect(state.view).toBeUndefined()
    calls[0]!.answer(view('a'))
    await settle()
    expect(state.view?.tokens).toBe(100)
    state.follow(at('a', 'c', 'h'))
    state.follow(at('a', 'c', 'hi'))
    await settle(399)
    expect(asked()).toEqual(['a|c|'])
    await settle(1)
    expect(asked()).toEqual(['a|c|', 'a|c|hi'])
    expect(state.view?.tokens).toBe(100)
    calls[1]!.answer(view('a', { tokens: 200 }))
    await settle()
    expect(state.view?.tokens).toBe(200)
  })

  test('another notebook: its own values, never those of the one before, and late answers are dropped', async () => {
    const { state, calls } = serve()
    state.follow(at('a'))
    state.follow(at('b'))
    expect(state.view).toBeUndefined()
    calls[1]!.answer(view('b', { tokens: 2 }))
    calls[0]!.answer(view('a', { tokens: 1 }))
    await settle()
    expect(state.view?.tokens).toBe(2)
    state.follow(at('a'))
    expect(state.view).toBeUndefined()
    state.follow(at('b'))
    expect(state.view?.tokens).toBe(2)
  })

  test('it follows changes on disk, the end of a run and trust, but not other notebooks', async () => {
    const { state, calls, asked } = serve()
    state.follow(at('a'))
    calls[0]!.answer(view('a'))
    await settle()
    state.apply(changed('b'))
    state.apply({ seq: 2, type: 'runFinished', data: { path: 'b', cell: 'c', runId: 'r', outcome: 'done' } as never })
    await settle(1000)
    expect(asked()).toHaveLength(1)
    const trust = {
      trusted: true,
      asked: true,
      rules: [],
      guides: [],
      skills: [],
      kinds: [],
      servers: [],
      commands: [],
      fresh: [],
      notebooks: 0,
    }
    for (const e of [changed('a'), changed(''), { seq: 3, type: 'trustChanged', data: { trust } } satisfies BackendEvent]) {
      const before = calls.length
      state.apply(e)
      state.apply(e)
      await settle(100)
      expect(calls).toHaveLength(before + 1)
      calls.at(-1)!.answer(view('a'))
      await settle()
    }
  })

  test('a switch shows at once, and goes back when it fails', async () => {
    const { state, calls, failures } = serve()
    state.follow(at('a'))
    calls[0]!.answer(view('a'))
    await settle()
    const rule = state.view!.rules[0]!
    void state.switch(rule.id, false)
    expect(state.isOn(rule)).toBe(false)
    await settle()
    expect(calls[1]).toMatchObject({ name: 'SwitchContext', args: ['a', 'rule:a.md', false] })
    calls[1]!.fail('no')
    await settle()
    expect(state.isOn(rule)).toBe(true)
    expect(failures).toEqual(['Could not switch it off: no'])

    void state.switch(rule.id, false)
    await settle()
    calls.at(-1)!.answer(null)
    await settle(100)
    // An answer from before the switch does not undo it.
    calls.at(-1)!.answer(view('a'))
    await settle()
    expect(state.isOn(state.view!.rules[0]!)).toBe(false)
    state.apply(changed('a'))
    await settle(100)
    calls.at(-1)!.answer(view('a', { rules: [part('rule:a.md', { state: 'off' })] }))
    await settle()
    expect(state.isOn(state.view!.rules[0]!)).toBe(false)
  })

  test('folders are added and removed one by one, never as a list that may be stale', async () => {
    const { state, calls } = serve()
    state.follow(at('a'))
    calls[0]!.answer(view('a', { allowed: ['.', '/x'] }))
    await settle()
    void state.allow('/y')
    await settle()
    expect(calls[1]).toMatchObject({ name: 'AllowFolder', args: ['a', '/y'] })
    calls[1]!.answer(null)
    void state.disallow('/x')
    void state.disallow('/y')
    await settle()
    calls.find((c) => c.name === 'DisallowFolder')!.answer(null)
    await settle()
    expect(calls.filter((c) => c.name === 'DisallowFolder').map((c) => c.args)).toEqual([
      ['a', '/x'],
      ['a', '/y'],
    ])
  })

  test('a failure is shown, and the known values stay', async () => {
    const { state, calls } = serve()
    state.follow(at('a'))
    calls[0]!.answer(view('a'))
    await settle()
    state.apply(changed('a'))
    await settle(100)
    calls[1]!.fail('disk')
    await settle()
    expect([state.fault?.message, state.view?.tokens]).toEqual(['disk', 100])
    state.retry()
    await settle()
    calls[2]!.answer(view('a'))
    await settle()
    expect(state.fault).toBeUndefined()
  })
})

describe('meter', () => {
  const kinds = [
    { kind: 'files', tokens: 300 },
    { kind: 'rules', tokens: 100 },
  ]
  test.each([
    [1000, [10, 30]],
    [0, [25, 75]],
    [200, [25, 75]],
  ])('a window of %d', (window, want) => {
    const parts = barParts({ tokens: 400, window, kinds })
    expect(parts.map((p) => p.kind)).toEqual([
      'tools',
      'system',
      'role',
      'skills',
      'history',
      'prompt',
      'rules',
      'files',
      'resources',
      'results',
      'images',
      'documents',
      'frame',
    ])
    expect(parts.map((p) => p.percent)).toEqual([0, 0, 0, 0, 0, 0, ...want, 0, 0, 0, 0, 0])
  })
  test('an empty request', () => expect(barParts({ tokens: 0, window: 0, kinds: [] }).every((p) => p.percent === 0)).toBe(true))
})

test('warnings appear beside their source', () => {
  const v = view('a', {
    rules: [part('rule:go/style.md')],
    files: [part('file:src/a.go:10:20'), part('file:/x/y:3')],
    warnings: [
      { text: '1', part: 'rule:go/style.md' },
      { text: '2', part: 'file:src/a.go:10:20' },
      { text: '3' },
      { text: '4', part: 'rule:that is not shown' },
      { text: '5', part: 'file:/x/y:3', outside: true },
      { text: '6', part: 'file:/x/y:3', outside: true, folder: '/x' },
    ],
  })
  const { of, rest } = warningsOf(v)
  expect(of(v.rules[0]!).map((w) => w.text)).toEqual(['1'])
  expect(of(v.files[0]!).map((w) => w.text)).toEqual(['2'])
  expect(of(v.files[1]!)).toMatchObject([{ text: '6', folder: '/x' }])
  expect(rest.map((w) => w.text)).toEqual(['3', '4'])
})

test.each([
  ['abc', 'bca', 'abc'],
  ['abc', 'axcb', 'axbc'],
  ['', 'cab', 'cab'],
  ['abc', 'c', 'c'],
  ['ab', 'xab', 'xab'],
  ['aab', 'baa', 'aab'],
])('lines stay in their places: %s, then %s', (old, now, want) => {
  const parts = (ids: string) => [...ids].map((id) => ({ id }))
  expect(
    inOrder(parts(old), parts(now))
      .map((p) => p.id)
      .join(''),
  ).toBe(want)
})

test('rules as a tree by folder', () => {
  const rows = ruleRows(['a.md', 'go/b.md', 'go/x/c.md', 'go/x/d.md', 'py/e.md'].map((s) => part(`rule:${s}`)))
  expect(rows.map((r) => `${'  '.repeat(r.depth)}${r.name}${r.kind === 'folder' ? '/' : ''}`)).toEqual([
    'a.md',
    'go/',
    '  b.md',
    '  x/',
    '    c.md',
    '    d.md',
    'py/',
    '  e.md',
  ])
})

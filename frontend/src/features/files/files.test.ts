import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type preview } from '$lib/backend/backend'
import { FilesState, parseCall, resultIn } from './files.svelte'
import { lineRange } from '$lib/ui/viewer'
import { eventually } from '$lib/testing/waits'

/** The time limit of each wait, in milliseconds: only a failure takes that long. */
test.each([
  ['grep{"k":"x"}', { name: 'grep', args: '{"k":"x"}' }],
  ['a.b-c{}', { name: 'a.b-c', args: '{}' }],
  ['src/a.go', undefined],
  ['{"k":1}', undefined],
])('the call %s', (text, want) => expect(parseCall(text)).toEqual(want))

describe('the result of a call', () => {
  const request = (...texts: string[]) =>
    ({
      messages: [{ segments: texts.map((text) => ({ kind: 'tool', source: 'grep', text, cut: false })) }],
    }) as unknown as preview.Preview
  test('is found by name and arguments, whatever their order; the newest wins', () => {
    const v = request(
      '{"name":"grep","args":{"b":2,"a":1},"result":"old"}',
      '{"name":"ls","args":{"a":1,"b":2},"result":"other"}',
      '{"name":"grep","args":{"b":2,"a":1},"result":"new"}',
    )
    expect(resultIn(v, { name: 'grep', args: '{"a": 1, "b": 2}' })?.text).toBe('new')
    expect(resultIn(v, { name: 'grep', args: '{"a":1}' })).toBeUndefined()
    expect(resultIn(v, { name: 'grep', args: '{broken' })).toBeUndefined()
  })
  test('a result that is cut off is shown as far as it goes', () => {
    expect(resultIn(request('{"name":"grep","args":{},"res'), { name: 'grep', args: '{}' })).toMatchObject({ cut: true })
  })
})

test.each([
  [10, 3, 5, { first: 3, last: 5 }],
  [10, 3, 0, { first: 3, last: 3 }],
  [10, 8, 99, { first: 8, last: 10 }],
  [10, 0, 0, undefined],
  [10, 11, 12, undefined],
])('of %d lines, %d to %d', (lines, first, last, want) => expect(lineRange(lines, first, last)).toEqual(want))

describe('FilesState', () => {
  let answers: Map<string, (r: Response) => void>
  beforeEach(() => {
    answers = new Map()
    vi.stubGlobal('fetch', (url: string) => new Promise<Response>((answer) => answers.set(decodeURIComponent(url), answer)))
  })
  afterEach(() => void vi.unstubAllGlobals())
  const settle = () => new Promise<void>((done) => queueMicrotask(done)).then(() => eventually(() => undefined))

  test('a late answer for another file is dropped', async () => {
    const state = new FilesState(new Backend(), () => undefined)
    state.openFile('n', 'a.go:1:2')
    state.openRule('n', 'r.md')
    answers.get('/api/rule?name=r.md')!(new Response('rule'))
    answers.get('/api/file?path=n&ref=a.go:1:2')!(Response.json({ path: 'a.go', file: '/w/a.go', text: 'file', first: 1, last: 2 }))
    await eventually(() => expect(state.loaded?.text).toBe('rule'))
    await settle()
    expect(state.loaded?.text).toBe('rule')
    expect(state.shown).toMatchObject({ kind: 'rule', title: 'r.md' })
  })

  test('a failure is shown and can be retried', async () => {
    const state = new FilesState(new Backend(), () => undefined)
    state.openFile('n', 'gone')
    answers.get('/api/file?path=n&ref=gone')!(new Response('{"kind":"notFound","message":"no such file"}', { status: 404 }))
    await eventually(() => expect(state.fault?.message).toBe('no such file'))
    state.retry()
    answers.get('/api/file?path=n&ref=gone')!(Response.json({ path: 'gone', file: '/gone', text: '1', first: 0, last: 0 }))
    await eventually(() => expect(state.loaded?.text).toBe('1'))
    expect(state.fault).toBeUndefined()
  })
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent } from '$lib/backend/backend'
import { HandsState, type Hand } from './hands.svelte'

const hand = (file: string, over: Partial<Hand> = {}): Hand => ({ file, read: true, wrote: false, atMs: 1, others: [], ...over })
let answers: Record<string, Hand[] | null>
let asked: string[]
let refusal: string | undefined
let hands: HandsState

beforeEach(() => {
  vi.useFakeTimers()
  answers = {}
  asked = []
  refusal = undefined
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async (_url: string, init: RequestInit) => {
    const [path] = JSON.parse(init.body as string) as [string]
    asked.push(path)
    return refusal ? new Response(refusal, { status: 400 }) : Response.json(answers[path] ?? null)
  })
  hands = new HandsState(new Backend())
})
afterEach(() => {
  hands.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const settle = () => vi.advanceTimersByTimeAsync(1000)

test('nothing is asked while nobody looks', async () => {
  hands.apply({ seq: 1, type: 'filesChanged', data: { path: 'a.mtm', files: [] } } as unknown as BackendEvent)
  hands.refresh()
  await settle()
  expect(asked).toEqual([])
})

test('the files of the notebook at hand, again when any agent changed one', async () => {
  answers['a.mtm'] = [hand('x.go'), { ...hand('y.go'), others: null as unknown as Hand['others'] }]
  hands.follow('a.mtm')
  expect(hands.list).toBeUndefined()
  await settle()
  expect(hands.list?.map((h) => [h.file, h.others])).toEqual([
    ['x.go', []],
    ['y.go', []],
  ])
  answers['a.mtm'] = [hand('x.go', { others: [{ file: 'x.go', path: 'b.mtm', agent: 'B', notebook: 'b', atMs: 2, running: true }] })]
  hands.apply({ seq: 1, type: 'filesChanged', data: { path: 'b.mtm', files: ['x.go'] } } as unknown as BackendEvent)
  await settle()
  expect(hands.list?.[0]?.others.map((o) => o.agent)).toEqual(['B'])
  hands.follow('b.mtm')
  await settle()
  expect([hands.list, asked]).toEqual([[], ['a.mtm', 'a.mtm', 'b.mtm']])
})

test('what is not answered is said, and asked once more', async () => {
  refusal = '{"kind":"internal","message":"broken"}'
  hands.follow('a.mtm')
  await settle()
  expect(hands.fault?.message).toBe('broken')
  refusal = undefined
  hands.refresh()
  await settle()
  expect([hands.fault, hands.list]).toEqual([undefined, []])
})

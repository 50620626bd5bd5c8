import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent } from '$lib/backend/backend'
import { FileUseState, type FileUse } from './fileUse.svelte'

const used = (file: string, over: Partial<FileUse> = {}): FileUse => ({ file, read: true, wrote: false, atMs: 1, others: [], ...over })
let answers: Record<string, FileUse[] | null>
let asked: string[]
let refusal: string | undefined
let use: FileUseState

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
  use = new FileUseState(new Backend())
})
afterEach(() => {
  use.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const settle = () => vi.advanceTimersByTimeAsync(1000)

test('nothing is requested while it is hidden', async () => {
  use.apply({ seq: 1, type: 'filesChanged', data: { path: 'a.mtm', files: [] } } as unknown as BackendEvent)
  use.refresh()
  await settle()
  expect(asked).toEqual([])
})

test('the files of the notebook on view, requested again when any agent changes one', async () => {
  answers['a.mtm'] = [used('x.go'), { ...used('y.go'), others: null as unknown as FileUse['others'] }]
  use.follow('a.mtm')
  expect(use.list).toBeUndefined()
  await settle()
  expect(use.list?.map((h) => [h.file, h.others])).toEqual([
    ['x.go', []],
    ['y.go', []],
  ])
  answers['a.mtm'] = [used('x.go', { others: [{ file: 'x.go', path: 'b.mtm', agent: 'B', notebook: 'b', atMs: 2, running: true }] })]
  use.apply({ seq: 1, type: 'filesChanged', data: { path: 'b.mtm', files: ['x.go'] } } as unknown as BackendEvent)
  await settle()
  expect(use.list?.[0]?.others.map((o) => o.agent)).toEqual(['B'])
  use.follow('b.mtm')
  await settle()
  expect([use.list, asked]).toEqual([[], ['a.mtm', 'a.mtm', 'b.mtm']])
})

test('a failed request is shown and retried', async () => {
  refusal = '{"kind":"internal","message":"broken"}'
  use.follow('a.mtm')
  await settle()
  expect(use.fault?.message).toBe('broken')
  refusal = undefined
  use.refresh()
  await settle()
  expect([use.fault, use.list]).toEqual([undefined, []])
})

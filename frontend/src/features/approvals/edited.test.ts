import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Fault } from '$lib/backend/backend'
import { Draft } from './draft.svelte'
import { checkDelayMs } from './edited.svelte'
import type { Request } from './words'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const change = (path: string, hunks: string[]) => ({ path, new: false, lines: [], hunks, added: 1, removed: 1, more: 0, plain: '' })
const request = (over: Partial<Request> = {}): Request =>
  ({
    id: 'a',
    tool: 'write_file',
    arguments: '{"uri":"a.txt","content":"one"}',
    changes: [change('a.txt', ['h1', 'h2', 'h3'])],
    suggestions: [],
    conflicts: [],
    ...over,
  }) as unknown as Request

/** A draft whose previews answer with a conflict. */
function draftOf(r: Request) {
  const asked: { args: string; answer: (r: Request) => void; refuse: (thrown: unknown) => void }[] = []
  const draft = new Draft(r, (args) => new Promise((answer, refuse) => asked.push({ args, answer, refuse })))
  return { draft, asked }
}

describe('parts of a change', () => {
  test('unticked hunks are left out; without any hunk there is nothing to approve', () => {
    const { draft } = draftOf(request())
    expect([draft.edited.parts, draft.decision(true).left]).toEqual([['h1', 'h2', 'h3'], []])
    draft.edited.take('h2', false)
    expect([draft.decision(true).left, draft.decision(false).left, draft.problem]).toEqual([['h2'], [], ''])
    draft.edited.take('h1', false)
    draft.edited.take('h3', false)
    expect(draft.problem).toMatch(/reject it instead/)
    draft.edited.take('h1', true)
    expect(draft.decision(true).left).toEqual(['h2', 'h3'])
  })

  test('a change of one hunk, or by another tool, is taken as a whole', () => {
    expect(draftOf(request({ changes: [change('a.txt', ['h1'])] })).draft.edited.parts).toEqual([])
    expect(draftOf(request({ tool: 'other' })).draft.edited.parts).toEqual([])
  })
})

describe('an edit', () => {
  test('is checked when typing rests; the last check counts', async () => {
    const { draft, asked } = draftOf(request())
    draft.editing = true
    draft.fields.named('content')!.text = 'tw'
    await vi.advanceTimersByTimeAsync(checkDelayMs - 1)
    draft.fields.named('content')!.text = 'two'
    expect(draft.edited.checking).toBe(true)
    await vi.advanceTimersByTimeAsync(checkDelayMs)
    expect(asked.map((a) => a.args)).toEqual(['{"uri":"a.txt","content":"two"}'])
    draft.fields.named('content')!.text = 'three'
    await vi.advanceTimersByTimeAsync(checkDelayMs)
    asked[1]!.answer(request({ changes: [change('b.txt', ['n1', 'n2'])] }))
    await vi.advanceTimersByTimeAsync(0)
    asked[0]!.answer(request({ changes: [change('late.txt', [])] }))
    await vi.advanceTimersByTimeAsync(0)
    expect([draft.edited.request.changes?.[0]?.path, draft.edited.checking]).toEqual(['b.txt', false])
  })

  test('forgets which hunks of the earlier change were unticked', async () => {
    const { draft, asked } = draftOf(request())
    draft.edited.take('h1', false)
    draft.editing = true
    draft.fields.named('content')!.text = 'two'
    expect(draft.decision(true).left).toEqual([])
    await vi.advanceTimersByTimeAsync(checkDelayMs)
    asked[0]!.answer(request({ changes: [change('a.txt', ['n1', 'n2'])] }))
    await vi.advanceTimersByTimeAsync(0)
    draft.edited.take('n2', false)
    expect(draft.decision(true)).toMatchObject({ arguments: '{"uri":"a.txt","content":"two"}', left: ['n2'] })
  })

  test('that is invalid says why; undone, it shows the text of the agent', async () => {
    const { draft, asked } = draftOf(request())
    draft.editing = true
    draft.fields.named('content')!.text = 'two'
    await vi.advanceTimersByTimeAsync(checkDelayMs)
    asked[0]!.refuse(new Fault('invalid', 'no such thing'))
    await vi.advanceTimersByTimeAsync(0)
    expect([draft.edited.fault?.message, draft.edited.checking]).toEqual(['no such thing', false])
    draft.editing = false
    expect([draft.edited.fault, draft.edited.request.changes?.[0]?.path, draft.changed]).toEqual([undefined, 'a.txt', false])
  })
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type event, type Fault } from '$lib/backend/backend'
import { TasksState, words } from './tasks.svelte'

/* The stand-in is at the network edge: it plays what `mutsumi serve` answers to fetch. */
let asked: string[]
let answers: Record<string, (...args: never[]) => unknown>
let told: string[]
let tasks: TasksState

const task = (id: string, over: Partial<event.Task> = {}): event.Task => ({
  id,
  notebook: 'u',
  callId: 'c',
  command: `run ${id}`,
  folder: '/w',
  background: true,
  startedMs: Number(id.slice(1)),
  endedMs: 0,
  exitCode: 0,
  bytes: 0,
  confined: true,
  ...over,
})
const ids = () => tasks.list.map((t) => t.id)
const settle = () => vi.advanceTimersByTimeAsync(500)

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  told = []
  answers = {}
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const name = url.slice('/api/call/'.length)
    asked.push(`${name} ${init.body as string}`)
    const result = await answers[name]?.(...(JSON.parse(init.body as string) as never[]))
    return result instanceof Response ? result : Response.json(result ?? null)
  })
  tasks = new TasksState(new Backend(), (title: string, fault: Fault) => told.push(`${title}: ${fault.message}`))
})
afterEach(() => {
  tasks.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the list', () => {
  test('follows the events, oldest first', async () => {
    answers.Tasks = () => [task('t2'), task('t1')]
    await tasks.reload()
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t3'), removed: false } })
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t2', { endedMs: 9 }), removed: false } })
    expect([ids(), tasks.running]).toEqual([['t1', 't2', 't3'], 2])
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t1'), removed: true } })
    expect(ids()).toEqual(['t2', 't3'])
  })

  test('an event that arrives while the list loads is newer', async () => {
    let arrive: (v: unknown) => void = () => {}
    answers.Tasks = () => new Promise((done) => (arrive = done))
    const loading = tasks.reload()
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t1', { endedMs: 9, exitCode: 3 }), removed: false } })
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t2'), removed: true } })
    await settle()
    arrive([task('t1'), task('t2'), task('t3')])
    await loading
    expect(ids()).toEqual(['t1', 't3'])
    expect(tasks.list[0]?.exitCode).toBe(3)
  })

  test('after a gap in the events it reloads, and an empty list is empty', async () => {
    answers.Tasks = () => [task('t1'), task('t2')]
    await tasks.reload()
    answers.Tasks = () => null
    await tasks.reload()
    expect(ids()).toEqual([])
  })

  test('a failure to stop is shown; a task that is gone is not a failure', async () => {
    answers.KillTask = () => new Response('{"kind":"internal","message":"no"}', { status: 500 })
    expect(await tasks.kill('t1')).toBe(false)
    answers.RemoveTask = () => new Response('{"kind":"notFound","message":"gone"}', { status: 404 })
    expect(await tasks.remove('t1')).toBe(true)
    expect(told).toEqual(['Could not stop the command: no'])
  })

  test.each([
    [0, 0, 'running'],
    [5, 0, 'done'],
    [5, 2, 'exit 2'],
    [5, 137, 'signal 9'],
    [5, -1, 'stopped'],
  ])('ended %d with %d: %s', (endedMs, exitCode, want) => {
    const t = task('t1', { endedMs, exitCode })
    expect(words(tasks.stateOf(t), t.exitCode)).toBe(want)
  })

  test('a task stopped here is not a failure, unless it failed by itself', async () => {
    await tasks.kill('t1')
    expect([137, 2].map((exitCode) => tasks.stateOf(task('t1', { endedMs: 5, exitCode })))).toEqual(['stopped', 'failed'])
  })
})

describe('the output of the open task', () => {
  const out = (raw: string, begin: number, next: number) => ({ raw, begin, next, ended: false })
  beforeEach(async () => {
    answers.Tasks = () => [task('t1'), task('t2')]
    await tasks.reload()
  })

  test('continues where it stopped, one request at a time', async () => {
    const pieces = [out('one\n', 0, 4), out('two\n', 4, 8)]
    answers.TaskOutput = () => pieces.shift() ?? out('', 8, 8)
    tasks.open('t1')
    for (let i = 0; i <= 8; i++) tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t1', { bytes: i }), removed: false } })
    await settle()
    expect(asked.filter((a) => a.startsWith('TaskOutput'))).toEqual(['TaskOutput ["t1",0,24576]', 'TaskOutput ["t1",4,24576]'])
    expect(tasks.output?.screen.text).toBe('one\ntwo\n')
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t2', { bytes: 7 }), removed: false } })
    await settle()
    expect(asked.filter((a) => a.startsWith('TaskOutput'))).toHaveLength(2)
  })

  test('comes in pieces that fit into a frame, however long it is', async () => {
    const all = `${'x'.repeat(99)}\n`.repeat(3000)
    answers.TaskOutput = (_id: string, from: number, limit: number) =>
      out(all.slice(from, from + limit), from, Math.min(all.length, from + limit))
    tasks.open('t1')
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t1', { bytes: all.length }), removed: false } })
    await settle()
    expect(tasks.output?.screen.length).toBe(3000)
    expect(asked.filter((a) => a.startsWith('TaskOutput'))).toHaveLength(Math.ceil(all.length / 24576))
  })

  test('skips earlier output if only the last lines are shown, and serves every view of it', async () => {
    let printed = 0
    answers.TaskOutput = (_id: string, from: number, limit: number) => {
      const begin = Math.max(from, printed - (1 << 20))
      return out('y'.repeat(Math.min(limit, printed - begin)), begin, begin + Math.min(limit, printed - begin))
    }
    const [tail, other] = [tasks.watch('t1', true), tasks.watch('t1', true)]
    for (let i = 0; i < 20; i++) {
      printed += 10_000_000
      tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t1', { bytes: printed }), removed: false } })
      await vi.advanceTimersByTimeAsync(100)
    }
    await settle()
    const bytes = asked.filter((a) => a.startsWith('TaskOutput')).length * (16 << 10)
    expect(bytes).toBeLessThan(2_000_000)
    expect([tail.version > 0, other.version > 0, tail.missed]).toEqual([true, true, 0])
    tasks.leave(tail)
    const before = asked.length
    tasks.leave(other)
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t1', { bytes: printed + 1 }), removed: false } })
    await settle()
    expect(asked).toHaveLength(before)
  })

  test('belongs to the call, even if another notebook or an earlier call has the same id', async () => {
    for (const t of [
      task('t3', { notebook: 'v' }),
      task('t4', { callId: 'd', endedMs: 4 }),
      task('t5', { callId: 'd' }),
      task('t6', { callId: '' }),
      task('t7', { callId: '', endedMs: 9 }),
    ])
      tasks.apply({ seq: 1, type: 'taskChanged', data: { task: t, removed: false } })
    expect([tasks.ofCall('u', 'c')?.id, tasks.ofCall('v', 'c')?.id, tasks.ofCall('u', 'd')?.id, tasks.ofCall('u', 'e')]).toEqual([
      't2',
      't3',
      't5',
      undefined,
    ])
    expect(tasks.ofPrompt('u').map((t) => t.id)).toEqual(['t6'])
  })

  test('reports dropped bytes, and stays when the task leaves the list', async () => {
    answers.TaskOutput = () => out('end', 100, 103)
    tasks.open('t1')
    await settle()
    expect(tasks.output?.missed).toBe(100)
    answers.TaskOutput = () => new Response('{"kind":"notFound","message":"gone"}', { status: 404 })
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t1', { endedMs: 9 }), removed: false } })
    await settle()
    tasks.apply({ seq: 1, type: 'taskChanged', data: { task: task('t1', { endedMs: 9 }), removed: true } })
    expect([tasks.output?.screen.text, tasks.output?.fault, tasks.shown?.endedMs, tasks.has('t1')]).toEqual(['end', undefined, 9, false])
  })

  test('a late answer for a closed task is dropped', async () => {
    let arrive: (v: unknown) => void = () => {}
    answers.TaskOutput = (id: string) => (id === 't1' ? new Promise((done) => (arrive = done)) : out('second', 0, 6))
    tasks.open('t1')
    tasks.open('t2')
    arrive(out('first', 0, 5))
    await settle()
    expect([tasks.shown?.id, tasks.output?.screen.text]).toEqual(['t2', 'second'])
    tasks.close()
    expect(tasks.shown).toBeUndefined()
  })

  test('a failure is shown, and a retry clears it', async () => {
    answers.TaskOutput = () => new Response('{"kind":"internal","message":"no"}', { status: 500 })
    tasks.open('t1')
    await settle()
    expect(tasks.output?.fault?.message).toBe('no')
    answers.TaskOutput = () => out('x', 0, 1)
    tasks.output?.more()
    await settle()
    expect([tasks.output?.fault, tasks.output?.loaded]).toEqual([undefined, true])
  })
})

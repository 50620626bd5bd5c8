import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent, type checkpoint, type Fault } from '$lib/backend/backend'
import { ChangesState } from './changes.svelte'
import { RestoreState } from './restore.svelte'
import { actionWords, newOrDeleted, inTree, linesOf, placeOf, within } from './words'

/* The stand-in is at the network edge: it plays what `mutsumi serve` answers to fetch. */
let asked: [name: string, args: unknown[]][]
let answers: Record<string, (...args: never[]) => unknown>
const names = () => asked.map(([name]) => name)
const argsOf = (name: string) => asked.findLast(([n]) => n === name)?.[1]
const refuse = (kind: string, message: string) => new Response(JSON.stringify({ kind, message }), { status: 400 })
const settle = () => vi.advanceTimersByTimeAsync(1000)

const hunk = (over: Partial<checkpoint.Hunk> = {}): checkpoint.Hunk => ({
  id: 'h',
  from: 1,
  fromN: 2,
  to: 1,
  toN: 3,
  lines: [' a', '-b', '+c', '+d'],
  ...over,
})
const change = (path: string, over: Partial<checkpoint.Change> = {}): checkpoint.Change => ({
  path,
  start: { kind: 'file' },
  now: { kind: 'file' },
  added: 2,
  removed: 1,
  hunks: [hunk()],
  more: 0,
  mixed: false,
  uncertain: false,
  ...over,
})
const file = (path: string, over: Partial<checkpoint.Restore> = {}): checkpoint.Restore => ({
  path,
  action: 'rewrite',
  conflict: false,
  uncertain: false,
  from: { kind: 'file' },
  to: { kind: 'file' },
  ...over,
})

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  answers = {}
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const name = url.replace('/api/call/', '').replace(/^\/api\/notebook.*/, 'notebook')
    const args = init?.body ? (JSON.parse(init.body as string) as unknown[]) : []
    asked.push([name, args])
    const result = await answers[name]?.(...(args as never[]))
    return result instanceof Response ? result : Response.json(result ?? null)
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('changes', () => {
  let changes: ChangesState
  let told: string[]
  let undo: (() => void) | undefined
  const filesChanged = (path: string): BackendEvent => ({ seq: 1, type: 'filesChanged', data: { path } })
  beforeEach(() => {
    told = []
    undo = undefined
    changes = new ChangesState(new Backend(), {
      done: (_path, title, _, back) => {
        told.push(title)
        undo = back
      },
      failed: (title, fault) => told.push(`${title}: ${fault.message}`),
    })
    answers.Changes = () => [change('a.go'), change('b.go', { added: 5, removed: 0 })]
  })
  afterEach(() => changes.stop())

  test('are requested while shown, and again after events, several at once', async () => {
    changes.apply(filesChanged('n'))
    await settle()
    expect(names()).toEqual([])
    changes.follow('n')
    expect(changes.list).toBeUndefined()
    await settle()
    expect([changes.list?.length, changes.stat]).toEqual([2, { added: 7, removed: 1 }])
    for (let i = 0; i < 5; i++) changes.apply(filesChanged('n'))
    changes.apply(filesChanged('other'))
    await settle()
    expect(names()).toEqual(['Changes', 'Changes'])
    changes.follow(undefined)
    changes.apply(filesChanged('n'))
    await settle()
    expect(names()).toHaveLength(2)
  })

  test('a tool result causes another request, other messages do not', async () => {
    changes.follow('n')
    await settle()
    const put = (role: string): BackendEvent => ({
      seq: 1,
      type: 'messagePut',
      data: { runId: 'r', path: 'n', cell: 'c', index: 1, message: { role } as never },
    })
    changes.apply(put('assistant'))
    await settle()
    expect(names()).toHaveLength(1)
    changes.apply(put('tool'))
    await settle()
    expect(names()).toHaveLength(2)
  })

  test('a late answer for another notebook is dropped', async () => {
    const arrive: Record<string, (v: unknown) => void> = {}
    answers.Changes = (path: string) => new Promise((done) => (arrive[path] = done))
    changes.follow('one')
    changes.follow('two')
    await settle()
    arrive.one?.([change('of-one')])
    await settle()
    expect(changes.list).toBeUndefined()
    arrive.two?.([change('of-two')])
    await settle()
    expect(changes.list?.map((c) => c.path)).toEqual(['of-two'])
  })

  test('a failure is shown, old values stay, and a retry clears it', async () => {
    changes.follow('n')
    await settle()
    answers.Changes = () => refuse('internal', 'the disk')
    changes.refresh()
    await settle()
    expect([changes.fault?.message, changes.list?.length]).toEqual(['the disk', 2])
    answers.Changes = () => null
    changes.refresh()
    await settle()
    expect([changes.fault, changes.list]).toEqual([undefined, []])
  })

  test('a hunk is rejected once, and the changes are requested again', async () => {
    changes.follow('n')
    await settle()
    const first = changes.reject('a.go', 'h')
    expect(changes.rejecting('a.go', 'h')).toBe(true)
    expect(await changes.reject('a.go', 'h')).toBe(false)
    expect(await first).toBe(true)
    await settle()
    expect([names(), argsOf('RejectHunk'), changes.rejecting('a.go', 'h')]).toEqual([
      ['Changes', 'RejectHunk', 'Changes'],
      ['n', 'a.go', 'h'],
      false,
    ])
  })

  test('a rejected hunk is restored by its id; if somebody changed the file, that is reported', async () => {
    changes.follow('n')
    await settle()
    answers.RejectHunk = () => 'r1'
    answers.UndoRestore = () => ({ id: 'u1', restored: ['/w/a.go'], left: [] })
    await changes.reject('src/a.go', 'h', 'Lines 3–4')
    expect(told).toEqual(['Lines 3–4 of a.go went back'])
    undo?.()
    await settle()
    expect([argsOf('UndoRestore'), told.length, names().at(-1)]).toEqual([['n', 'r1'], 1, 'Changes'])
    answers.UndoRestore = () => ({ id: '', restored: [], left: [{ path: '/w/a.go', why: '' }] })
    undo?.()
    await settle()
    expect(told.at(-1)).toBe('Could not bring the change back: src/a.go was changed since.')
  })

  test('a conflict is shown at the file, and the list is reloaded', async () => {
    changes.follow('n')
    await settle()
    answers.RejectHunk = () => refuse('conflict', 'it changed')
    answers.Changes = () => [change('a.go', { hunks: [hunk({ id: 'other' })] })]
    expect(await changes.reject('a.go', 'h')).toBe(false)
    await settle()
    expect([changes.trouble('a.go'), changes.trouble('b.go'), changes.list?.[0]?.hunks[0]?.id]).toEqual(['it changed', '', 'other'])
  })

  test('an open file stays open while it exists', async () => {
    changes.follow('n')
    await settle()
    changes.toggle('a.go')
    changes.toggle('b.go')
    answers.Changes = () => [change('a.go')]
    changes.refresh()
    await settle()
    expect([changes.isOpen('a.go'), changes.isOpen('b.go')]).toEqual([true, false])
    changes.toggle('a.go')
    expect(changes.isOpen('a.go')).toBe(false)
  })
})

describe('restore', () => {
  let restore: RestoreState
  let told: { title: string; detail: string; undo: (() => void) | undefined }[]
  let flushed: boolean
  let branches: { id: string; cell: string }[]
  const plan = (files: checkpoint.Restore[], over: Partial<checkpoint.Plan> = {}): checkpoint.Plan => ({
    notebook: 'u',
    cell: 'c',
    files,
    notes: [],
    token: 'T',
    ...over,
  })
  const done = { id: 'R', restored: ['/w/a'], left: [] as checkpoint.Trouble[] }

  beforeEach(() => {
    told = []
    flushed = true
    branches = [{ id: 'old', cell: 'c' }]
    restore = new RestoreState(new Backend(), {
      flush: () => Promise.resolve(flushed),
      done: (_path, title, detail, undo) => told.push({ title, detail, undo }),
      failed: (title: string, fault: Fault) => told.push({ title, detail: fault.message, undo: undefined }),
    })
    answers.RestorePlan = () =>
      plan([file('/w/a'), file('/w/b', { conflict: true, why: 'changed', by: 'v' }), file('/w/c', { action: 'unable', why: 'large' })])
    answers.Restore = () => done
    answers.notebook = () => ({ state: { branches } })
  })

  test('conflicts are left unless the person takes them; impossible choices are disabled', async () => {
    await restore.open({ path: 'n', cell: 'c', number: 3 })
    const [a, b, c] = restore.plan?.files as [checkpoint.Restore, checkpoint.Restore, checkpoint.Restore]
    expect([a, b, c].map((f) => restore.takes(f))).toEqual([true, false, false])
    restore.choose(b, true)
    restore.choose(c, true)
    restore.choose(a, false)
    expect([restore.taken, [a, b, c].map((f) => restore.takes(f))]).toEqual([1, [false, true, false]])
    expect(await restore.apply('files')).toBe(true)
    expect(argsOf('Restore')).toEqual(['n', 'c', 'T', { '/w/a': 'leave', '/w/b': 'take', '/w/c': 'leave' }, false])
    expect(restore.shown).toBeUndefined()
  })

  test('files that may be somebody else\u2019s are left unless the person takes them, one by one or all but conflicts', async () => {
    const may = (path: string, over: Partial<checkpoint.Restore> = {}) =>
      file(path, { uncertain: true, why: 'while a command ran', ...over })
    answers.RestorePlan = () =>
      plan([
        file('/w/a'),
        may('/w/b'),
        may('/w/c'),
        may('/w/d', { conflict: true, why: 'changed' }),
        may('/w/e', { action: 'unable', uncertain: false }),
      ])
    await restore.open({ path: 'n', cell: 'c', number: 1 })
    const files = restore.plan?.files ?? []
    const taken = () => files.filter((f) => restore.takes(f)).map((f) => f.path)
    expect([restore.own.map((f) => f.path), restore.uncertain.map((f) => f.path), restore.doubt, taken()]).toEqual([
      ['/w/a', '/w/e'],
      ['/w/b', '/w/c', '/w/d'],
      'while a command ran',
      ['/w/a'],
    ])
    restore.chooseUncertain(true)
    expect(taken()).toEqual(['/w/a', '/w/b', '/w/c'])
    restore.choose(files[1]!, false)
    expect(taken()).toEqual(['/w/a', '/w/c'])
    restore.chooseUncertain(false)
    expect(taken()).toEqual(['/w/a'])
    restore.choose(files[3]!, true)
    await restore.apply('files')
    expect(argsOf('Restore')?.[3]).toEqual({ '/w/a': 'take', '/w/b': 'leave', '/w/c': 'leave', '/w/d': 'take', '/w/e': 'leave' })
  })

  test('a folder is removed only with everything in it', async () => {
    answers.RestorePlan = () =>
      plan([
        file('/w/d', { action: 'remove', from: { kind: 'folder' } }),
        file('/w/d/x', { action: 'remove', conflict: true }),
        file('/w/dx'),
      ])
    await restore.open({ path: 'n', cell: 'c', number: 1 })
    const [d, x, dx] = restore.plan?.files as [checkpoint.Restore, checkpoint.Restore, checkpoint.Restore]
    expect([restore.takes(d), restore.free(d), restore.takes(dx)]).toEqual([false, false, true])
    restore.choose(x, true)
    restore.choose(dx, false)
    expect([restore.takes(d), restore.free(d)]).toEqual([true, true])
  })

  test('restored and left files are reported, and can be undone by id', async () => {
    answers.Restore = () => ({
      ...done,
      left: [
        { path: '/w/b', why: '' },
        { path: '/w/c', why: 'large' },
      ],
    })
    await restore.open({ path: 'n', cell: 'c', number: 1 })
    await restore.apply('files')
    expect(told).toMatchObject([{ title: '1 file went back', detail: '1 file left as it is by choice. Could not restore c: large' }])
    answers.UndoRestore = () => done
    told[0]?.undo?.()
    await settle()
    expect([argsOf('UndoRestore'), names().includes('Edit'), told[1]?.title]).toEqual([
      ['n', 'R'],
      false,
      'The restore was taken back: 1 file',
    ])
  })

  test('undoing both restores both: the new branch is brought back', async () => {
    await restore.open({ path: 'n', cell: 'c', number: 1 })
    await restore.apply('both')
    expect(argsOf('Restore')?.at(-1)).toBe(true)
    branches = [
      { id: 'other', cell: 'x' },
      { id: 'old', cell: 'c' },
      { id: 'new', cell: 'c' },
    ]
    answers.UndoRestore = () => done
    told[0]?.undo?.()
    await settle()
    expect(argsOf('Edit')).toEqual(['n', [{ kind: 'restore', branch: 'new' }], ''])
  })

  test('the conversation alone is restored without a plan', async () => {
    answers.RestorePlan = () => refuse('notFound', 'nothing is kept')
    await restore.open({ path: 'n', cell: 'c', number: 1 })
    expect([restore.fault?.kind, await restore.apply('both'), await restore.apply('conversation')]).toEqual(['notFound', false, true])
    expect([argsOf('Edit'), names().includes('Restore')]).toEqual([['n', [{ kind: 'rewind', cell: 'c' }], ''], false])
  })

  test('files that changed since are shown again, with the earlier choices', async () => {
    await restore.open({ path: 'n', cell: 'c', number: 1 })
    restore.choose(restore.plan!.files[1]!, true)
    answers.Restore = () => refuse('conflict', 'look again')
    answers.RestorePlan = () => plan([file('/w/b', { conflict: true }), file('/w/new')], { token: 'T2' })
    expect(await restore.apply('files')).toBe(false)
    expect([restore.problem, restore.plan?.token, restore.taken, restore.shown?.cell, told.length]).toEqual(['look again', 'T2', 2, 'c', 0])
  })

  test('typed text that did not arrive prevents it', async () => {
    flushed = false
    await restore.open({ path: 'n', cell: 'c', number: 1 })
    expect(await restore.apply('both')).toBe(false)
    expect(names()).not.toContain('Restore')
  })

  test('a late plan for another prompt is dropped', async () => {
    const arrive: Record<string, (v: unknown) => void> = {}
    answers.RestorePlan = (_path: string, cell: string) => new Promise((resolve) => (arrive[cell] = resolve))
    const one = restore.open({ path: 'n', cell: 'c1', number: 1 })
    const two = restore.open({ path: 'n', cell: 'c2', number: 2 })
    await settle()
    arrive.c2?.(plan([], { cell: 'c2' }))
    await two
    arrive.c1?.(plan([], { cell: 'c1' }))
    await one
    expect(restore.plan?.cell).toBe('c2')
  })

  test('a failed undo is reported', async () => {
    await restore.open({ path: 'n', cell: 'c', number: 1 })
    await restore.apply('files')
    answers.UndoRestore = () => refuse('notFound', 'not kept')
    told[0]?.undo?.()
    await settle()
    expect(told[1]).toMatchObject({ title: 'Could not take the restore back', detail: 'not kept' })
  })
})

describe('words', () => {
  test('of hunks', () => {
    expect(linesOf(hunk())).toEqual([
      { op: '@', text: '@@ -1,2 +1,3 @@' },
      { op: ' ', text: 'a' },
      { op: '-', text: 'b' },
      { op: '+', text: 'c' },
      { op: '+', text: 'd' },
    ])
    expect([placeOf(hunk()), placeOf(hunk({ toN: 1, to: 9 })), placeOf(hunk({ toN: 0, to: 7 })), placeOf(hunk({ toN: 0, to: 0 }))]).toEqual(
      ['Lines 1–3', 'Line 9', 'After line 7', 'The whole file'],
    )
  })
  test('of files', () => {
    expect([
      newOrDeleted(change('a')),
      newOrDeleted(change('a', { start: { kind: 'absent' } })),
      newOrDeleted(change('a', { now: { kind: 'absent' } })),
    ]).toEqual(['', 'new', 'deleted'])
    expect([within('/w', '/w/a/b'), within('/w', '/wide/x'), within('C:\\w', 'C:\\w\\a\\b')]).toEqual(['a/b', '/wide/x', 'a/b'])
    expect([
      inTree('../state/worktrees/u/tree/src/a', '/s/state/worktrees/u/tree'),
      inTree('src/worktrees/v/tree/a', '/s/worktrees/u/tree'),
      inTree('src/a'),
    ]).toEqual(['own work tree/src/a', 'src/worktrees/v/tree/a', 'src/a'])
    expect(['rewrite', 'remove', 'recreate', 'chmod', 'unable'].map((action) => actionWords(file('a', { action })))).toHaveLength(5)
  })
})

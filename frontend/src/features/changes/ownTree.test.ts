import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent, type worktree } from '$lib/backend/backend'
import { OwnTreeState } from './ownTree.svelte'

/* The stand-in is at the network edge: what `mutsumi serve` answers to fetch. */
let asked: string[]
let answers: Record<string, (path: string) => unknown>
let own: OwnTreeState
let told: string[]
let undo: (() => void) | undefined
const refuse = (kind: string, message: string) => new Response(JSON.stringify({ kind, message }), { status: 409 })
const settle = () => vi.advanceTimersByTimeAsync(2000)
const file = (path: string, over: Partial<worktree.FileChange> = {}): worktree.FileChange => ({
  path,
  status: 'changed',
  added: 1,
  deleted: 1,
  diff: '@@ -1 +1 @@\n-a\n+b\n',
  marks: false,
  ...over,
})
const view = (over: Partial<worktree.View> = {}): worktree.View => ({
  folder: '/state/tree',
  branch: 'mutsumi/one',
  base: 'c0',
  files: [file('a.go'), file('b.go')],
  conflict: [],
  merged: false,
  undoable: false,
  gone: false,
  ...over,
})

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  answers = { Worktree: () => view() }
  told = []
  undo = undefined
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const name = url.replace('/api/call/', '')
    const [path] = JSON.parse(init?.body as string) as [string]
    asked.push(`${name} ${path}`)
    const result = await answers[name]?.(path)
    return result instanceof Response ? result : Response.json(result ?? null)
  })
  own = new OwnTreeState(new Backend(), {
    done: (path, title, _, back) => {
      told.push(`${path}: ${title}`)
      undo = back
    },
    failed: (title, fault) => told.push(`${title}: ${fault.message}`),
  })
})
afterEach(() => {
  own.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('an own work tree', () => {
  const filesChanged = (path: string): BackendEvent => ({ seq: 1, type: 'filesChanged', data: { path } })

  test('is asked for while somebody looks and with the events of its notebook; none is none', async () => {
    own.apply(filesChanged('n'))
    await settle()
    expect(asked).toEqual([])
    own.follow('n')
    await settle()
    expect(own.view?.files).toHaveLength(2)
    for (let i = 0; i < 5; i++) own.apply(filesChanged('n'))
    own.apply(filesChanged('other'))
    await settle()
    expect(asked).toEqual(['Worktree n', 'Worktree n'])
    answers.Worktree = () => ({ ...view(), folder: '', files: null, conflict: null })
    own.refresh()
    await settle()
    expect([own.view, own.unsettled]).toEqual([undefined, []])
  })

  test('a late answer of another notebook is dropped, also that of a merge', async () => {
    let answer: (v: unknown) => void = () => undefined
    answers.Worktree = (path) => (path === 'slow' ? new Promise((done) => (answer = done)) : view({ branch: `of ${path}` }))
    own.follow('slow')
    await settle()
    own.follow('fast')
    answer(view({ branch: 'late' }))
    await settle()
    expect(own.view?.branch).toBe('of fast')
    answers.MergeWorktree = () => new Promise((done) => (answer = done))
    void own.merge()
    own.follow('other')
    await settle()
    expect(own.busy).toBeUndefined()
    answer(view({ branch: 'merged', merged: true, files: [] }))
    await settle()
    expect([own.view?.branch, told]).toEqual(['of other', [expect.stringMatching(/: 2 files merged into the folder$/)]])
    undo?.()
    await settle()
    expect(asked).toContain('UnmergeWorktree fast')
  })

  test('a merge with conflicts is none; brought up to date its files wait to be settled, and are named in a prompt', async () => {
    own.follow('n')
    await settle()
    answers.MergeWorktree = () => view({ conflict: ['b.go'] })
    await own.merge()
    expect([told, own.view?.conflict, own.trouble]).toEqual([[], ['b.go'], 'Could not merge it: 1 file is in conflict.'])
    // The one with marks is known by them, the other because it was in conflict.
    const after = view({ files: [file('a.go', { marks: true }), file('b.go')] })
    answers.UpdateWorktree = answers.Worktree = () => after
    await own.update()
    await settle()
    expect(own.unsettled).toEqual(['a.go', 'b.go'])
    expect(own.asked()).toMatch(/- a\.go\n- b\.go\n/)
    expect(own.unsettled).toEqual(['a.go'])
  })

  test('what hinders is said in place, and for a notebook that is not shown any more as a notice', async () => {
    own.follow('n')
    await settle()
    answers.MergeWorktree = () => refuse('conflict', 'One is at work in the work tree')
    await own.merge()
    expect(own.trouble).toBe('Could not merge it: One is at work in the work tree')
    expect([own.busy, told]).toEqual([undefined, []])
    answers.DiscardWorktree = () => refuse('internal', 'git said no')
    const late = own.discard()
    own.follow('other')
    await late
    expect([own.trouble, told]).toEqual(['', ['Could not discard the work tree: git said no']])
  })

  test('once discarded there is none', async () => {
    own.follow('n')
    await settle()
    answers.Worktree = () => view({ folder: '' })
    await own.discard()
    expect(own.view).toBeUndefined()
    await settle()
    expect([own.view, asked.at(-1)]).toEqual([undefined, 'Worktree n'])
  })
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent, type worktree } from '$lib/backend/backend'
import { OwnTreeState } from './ownTree.svelte'

/* The stand-in is at the network edge: it plays what `mutsumi serve` answers to fetch. */
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

  test('is requested while shown and after events of its notebook; there may be none', async () => {
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

  test('a late answer for another notebook is dropped, even that of a merge', async () => {
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

  test('a merge with conflicts merges nothing; after an update the files wait to be resolved and are named in a prompt', async () => {
    own.follow('n')
    await settle()
    answers.MergeWorktree = () => view({ conflict: ['b.go'] })
    await own.merge()
    expect([told, own.view?.conflict, own.trouble]).toEqual([[], ['b.go'], 'Could not merge it: 1 file is in conflict.'])
    // One is known by its conflict markers, the other because it was in conflict.
    const after = view({ files: [file('a.go', { marks: true }), file('b.go')] })
    answers.UpdateWorktree = answers.Worktree = () => after
    await own.update()
    await settle()
    expect(own.unsettled).toEqual(['a.go', 'b.go'])
    expect(own.asked()).toMatch(/- a\.go\n- b\.go\n/)
    expect(own.unsettled).toEqual(['a.go'])
  })

  test('a failure is shown in place, or as a notice if the notebook is no longer shown', async () => {
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

  test('there is none after discarding it', async () => {
    own.follow('n')
    await settle()
    answers.Worktree = () => view({ folder: '' })
    await own.discard()
    expect(own.view).toBeUndefined()
    await settle()
    expect([own.view, asked.at(-1)]).toEqual([undefined, 'Worktree n'])
  })
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent, type owned } from '$lib/backend/backend'
import { LeftTreesState } from './leftTrees.svelte'

/* The stand-in is at the network edge: it plays what `mutsumi serve` answers to fetch. */
let asked: string[]
let left: LeftTreesState
let trees: owned.LeftTree[] | null
let refused: Response | undefined
let told: string[]
const tree = (uuid: string): owned.LeftTree => ({ uuid, name: `Agent ${uuid}`, folder: `/state/${uuid}`, files: 1, gone: false })
const treeChanged = (removed: string[]) => ({ seq: 1, type: 'treeChanged', data: { nodes: [], removed } }) as unknown as BackendEvent
const names = () => left.visible.map((t) => t.uuid).join()

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  told = []
  refused = undefined
  trees = [tree('a'), tree('b')]
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const name = url.replace('/api/call/', '')
    asked.push([name, ...(JSON.parse((init?.body as string) || '[]') as string[])].join(' '))
    if (name === 'LeftWorktrees') return Response.json(trees)
    return refused ?? Response.json(name === 'RecallWorktree' ? 'back.mtm' : null)
  })
  left = new LeftTreesState(new Backend(), {
    open: (path) => told.push(path),
    failed: (title, fault) => told.push(`${title}: ${fault.message}`),
  })
})
afterEach(() => {
  left.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const settle = () => vi.advanceTimersByTimeAsync(3000)

test('asks only when the folder is loaded and when a notebook disappears', async () => {
  trees = null
  left.load()
  await settle()
  expect(names()).toBe('')
  left.apply(treeChanged([]))
  await settle()
  expect(asked).toEqual(['LeftWorktrees'])
  trees = [tree('a')]
  left.apply(treeChanged(['a.mtm']))
  await settle()
  expect(names()).toBe('a')
  trees = [] // the notebook came back
  left.apply(treeChanged([]))
  await settle()
  expect(names()).toBe('')
  expect(asked.length).toBe(3)
})

test('a work tree gets a notebook, or is discarded, or waits', async () => {
  left.load()
  await settle()
  trees = [tree('b')]
  await left.recall(left.visible[0]!)
  expect(told).toEqual(['back.mtm'])
  expect(names()).toBe('b')
  refused = new Response(JSON.stringify({ kind: 'conflict', message: 'Worker is at work' }), { status: 409 })
  await left.discard(left.visible[0]!)
  expect(told.at(-1)).toBe('Could not discard the work tree: Worker is at work')
  await settle()
  expect(names()).toBe('b')
  refused = undefined
  trees = []
  await left.discard(left.visible[0]!)
  expect(names()).toBe('')
  trees = [tree('c')]
  left.load()
  await settle()
  left.dismiss()
  await settle()
  expect(names()).toBe('')
  expect(asked.filter((a) => !a.startsWith('Left'))).toEqual(['RecallWorktree a', 'DiscardLeftWorktree b', 'DiscardLeftWorktree b'])
})

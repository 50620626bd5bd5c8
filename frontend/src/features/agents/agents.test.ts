import { beforeEach, describe, expect, test } from 'vitest'
import type { Backend } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import { AgentsState } from './agents.svelte'
import { InterruptedState } from './interrupted.svelte'
import { StopState } from './stop.svelte'
import type { Node } from './node'

const noTotal = { tokens: 0, cost: 0, estimated: false }
const node = (uuid: string, more: Partial<Node> = {}): Node => ({
  uuid,
  name: uuid,
  file: `${uuid}.mtm`,
  status: 'standby',
  marks: [],
  createdAt: '',
  modifiedMs: 0,
  timeMs: 0,
  own: noTotal,
  subtree: noTotal,
  ...more,
})

let asked: string[], refused: string[], failures: string[], saves: number
let done: { title: string; undo: () => void }[]
let agents: AgentsState, stopping: StopState, interrupted: InterruptedState

beforeEach(() => {
  ;[asked, refused, failures, saves] = [[], [], [], 0]
  done = []
  // The edge of the page: records the calls to the program.
  const call = new Proxy(
    {},
    {
      get:
        (_, name: string) =>
        (...args: unknown[]) => {
          asked.push([name, ...args].join(' '))
          return refused.includes(String(args[0])) ? Promise.reject(new Fault('conflict', 'It runs.')) : Promise.resolve('')
        },
    },
  )
  const backend = { call } as unknown as Backend
  const failed = (title: string, fault: Fault) => void failures.push(`${title}: ${fault.message}`)
  agents = new AgentsState(backend, {
    show: () => undefined,
    open: () => undefined,
    openBeside: () => undefined,
    gone: () => undefined,
    refer: () => undefined,
    failed,
    done: (title, undo) => done.push({ title, undo }),
    changed: () => saves++,
  })
  stopping = new StopState(backend, agents, failed)
  interrupted = new InterruptedState(backend, agents, failed)
})
const load = (...nodes: Node[]) => agents.load({ nodes, ui: { collapsed: [], pinned: [], archived: [] } }, false)
const names = () => agents.rows.map((r) => r.node.name).join(' ')

describe('pins and the archive', () => {
  beforeEach(() =>
    load(node('a', { createdAt: '2026-01-03T00:00:00Z' }), node('b', { createdAt: '2026-01-02T00:00:00Z' }), node('c', { parentId: 'b' })),
  )

  test('are saved, and saved unchanged after loading', () => {
    agents.pin(agents.node('b.mtm')!, true)
    expect(names()).toBe('b c a')
    agents.archive(agents.node('a.mtm')!, true)
    expect(names()).toBe('b c')
    expect(agents.kept()).toMatchObject({ collapsed: [], pinned: ['b'], archived: ['a'] })
    expect(saves).toBe(2)
    const kept = agents.kept()
    agents.load({ nodes: [node('a'), node('b')], ui: kept }, false)
    expect([agents.kept(), names()]).toEqual([kept, 'b'])
  })
  test('survive a gap in the events', () => {
    agents.pin(agents.node('b.mtm')!, true)
    agents.load({ nodes: [node('a'), node('b')], ui: { collapsed: [], pinned: [], archived: [] } }, true)
    expect(names()).toBe('b a')
  })
  test('archiving unpins an agent, and pinning restores it', () => {
    const a = agents.node('a.mtm')!
    agents.pin(a, true)
    agents.archive(a, true)
    expect([agents.isPinned(a), agents.isArchived(a)]).toEqual([false, true])
    agents.pin(a, true)
    expect([agents.isPinned(a), agents.isArchived(a)]).toEqual([true, false])
  })
  test('archiving shows a message, and its undo reverts everything', () => {
    const a = agents.node('a.mtm')!
    agents.pin(a, true)
    agents.archive(a, true)
    expect([names(), done.map((d) => d.title)]).toEqual(['b c', ['Archived “a”']])
    done[0]!.undo()
    expect([names(), agents.isArchived(a), agents.isPinned(a), done.length]).toEqual(['a b c', false, true, 1])
  })
  test('descendants of an archived agent are archived with it', () => {
    agents.archive(agents.node('b.mtm')!, true)
    expect([
      agents.isAway(agents.node('c.mtm')!),
      agents.isArchived(agents.node('c.mtm')!),
      agents.count('archived'),
      agents.count('all'),
    ]).toEqual([true, false, 2, 1])
  })
  test('a file without a uuid cannot be remembered', () => {
    agents.apply({ seq: 1, type: 'treeChanged', data: { nodes: [node('', { file: 'bad.mtm' })], removed: [] } })
    agents.pin(agents.node('bad.mtm')!, true)
    agents.archive(agents.node('bad.mtm')!, true)
    expect(agents.kept()).toMatchObject({ collapsed: [], pinned: [], archived: [] })
  })
  test('all agents can be folded and unfolded at once', () => {
    agents.foldAll(true)
    expect(names()).toBe('a b')
    agents.foldAll(false)
    expect(names()).toBe('a b c')
  })
})

describe('stopping', () => {
  const run = { status: 'running' }

  test('an agent without children stops at once', async () => {
    load(node('a', run), node('b', { parentId: 'a', status: 'finished' }))
    await stopping.stop('a.mtm')
    expect([asked, stopping.asking]).toEqual([['Stop a.mtm'], undefined])
  })
  test('with active descendants it asks once, and each answer does what it says', async () => {
    load(
      node('a', run),
      node('b', { parentId: 'a', ...run }),
      node('c', { parentId: 'b', marks: ['queued'] }),
      node('d', { parentId: 'b' }),
    )
    await stopping.stop('a.mtm')
    expect(asked).toEqual([])
    expect(stopping.asking?.others.map((n) => n.name)).toEqual(['b', 'c'])
    stopping.cancel()
    expect([asked, stopping.asking]).toEqual([[], undefined])
    await stopping.stop('a.mtm')
    await stopping.answer(false)
    await stopping.stop('a.mtm')
    await stopping.answer(true)
    expect([asked, stopping.asking]).toEqual([['Stop a.mtm', 'StopTree a.mtm'], undefined])
  })
  test('stopping an idle agent stops its active descendants', async () => {
    load(node('a'), node('b', { parentId: 'a', ...run }))
    await stopping.stop('a.mtm')
    expect(asked).toEqual(['StopTree a.mtm'])
  })
  test('a failure is shown', async () => {
    load(node('a', run))
    refused = ['a.mtm']
    await stopping.stop('a.mtm')
    expect(failures).toEqual(['Could not stop “a”: It runs.'])
  })
})

describe('after a crash', () => {
  const broken = { marks: ['interrupted'] }
  beforeEach(() =>
    load(node('a', broken), node('b', { parentId: 'a', ...broken }), node('c', broken), node('d', { parentId: 'e', ...broken }), node('e')),
  )

  test('resumes the topmost agent of each tree, which rejoins its children', async () => {
    expect(interrupted.visible).toHaveLength(4)
    await interrupted.resumeAll()
    expect(asked).toEqual(['Resume a.mtm', 'Resume c.mtm', 'Resume d.mtm'])
  })
  test('an agent that cannot resume does not block the others', async () => {
    refused = ['a.mtm', 'd.mtm']
    await interrupted.resumeAll()
    expect(asked).toHaveLength(3)
    expect(failures).toEqual(['Could not resume “a” and 1 more: It runs.'])
    expect(interrupted.busy).toBe(false)
  })
  test('a dismissed notice stays dismissed, except for later agents', () => {
    interrupted.dismiss()
    expect(interrupted.visible).toEqual([])
    agents.apply({ seq: 1, type: 'treeChanged', data: { nodes: [node('new', broken)], removed: [] } })
    expect(interrupted.visible.map((n) => n.name)).toEqual(['new'])
  })
  test('archived agents are not reported', () => {
    agents.archive(agents.node('a.mtm')!, true)
    expect(interrupted.visible.map((n) => n.name)).toEqual(['c', 'd'])
  })
})

test('dismissed advice returns when it changes', () => {
  const stuck = (advice: string) => node('a', { status: 'running', marks: ['stuck'], advice })
  load(stuck('It has been calling grep 4 times.'))
  expect(agents.stuck).toHaveLength(1)
  agents.dismiss(agents.stuck[0]!)
  agents.apply({
    seq: 1,
    type: 'treeChanged',
    data: { nodes: [{ ...stuck('It has been calling grep 5 times.'), action: 'grep' }], removed: [] },
  })
  expect(agents.stuck).toEqual([])
  agents.apply({ seq: 1, type: 'treeChanged', data: { nodes: [stuck('Nothing came for five minutes.')], removed: [] } })
  expect(agents.stuck).toHaveLength(1)
})

test('suffixes of equal names follow renames, new agents and deletions', () => {
  load(node('a', { name: 'Plan' }), node('b', { name: 'Plan' }), node('c', { name: 'Other' }))
  const apart = () => ['a', 'b', 'c'].map((file) => agents.apart(`${file}.mtm`)).join(' ')
  expect(apart()).toBe('a b ')
  agents.apply({ seq: 1, type: 'treeChanged', data: { nodes: [node('a', { name: 'Plan', status: 'running' })], removed: [] } })
  expect(apart()).toBe('a b ')
  agents.apply({ seq: 1, type: 'treeChanged', data: { nodes: [node('c', { name: 'plan' })], removed: [] } })
  expect(apart()).toBe('a b c')
  agents.apply({ seq: 1, type: 'treeChanged', data: { nodes: [node('b', { name: 'Mine' })], removed: ['c.mtm'] } })
  expect(apart()).toBe('  ')
})

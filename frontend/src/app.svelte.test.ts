import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { BackendEvent, agenttree, workspace } from '$lib/backend/backend'
import { AppState } from './app.svelte'
import { node, saved, Serve } from './app.testing'
import { lazyNotebook } from './shell/lazyNotebook'
import { until } from '$lib/testing/waits'

/** The time limit of each wait, in milliseconds: only a failure takes that long. */
let edge: Serve, app: AppState
/** The requests, without those that a Follower makes in its own time. */
const atOnce = () => edge.asked.filter((a) => a !== 'LeftWorktrees []' && a !== 'ACPAgents []')

async function start(nodes: agenttree.Node[], ui: Partial<workspace.Snapshot['ui']> = {}) {
  edge = new Serve(nodes, ui)
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', { activeElement: null, querySelector: () => null })
  vi.stubGlobal('fetch', edge.fetch)
  app = new AppState()
  app.start()
  await until(() => app.connection.state === 'open')
}
// The state of notebooks is made at once, as after the first frame.
beforeAll(() => lazyNotebook.load())
afterEach(() => {
  app.stop()
  vi.unstubAllGlobals()
})

describe('AppState', () => {
  test('restores the tabs whose files exist, and loads only the current one', async () => {
    await start([node('a'), node('b')], { tabs: ['a', 'gone', 'b'], active: 'b' })
    expect([app.tabs.paths, app.tabs.active]).toEqual([['a', 'b'], 'b'])
    expect(atOnce()).toEqual(['Snapshot []', 'Tasks []', 'notebook b'])
    await until(() => app.active?.status === 'ready')
  })

  test.each([
    ['a folder nobody had open before opens its only notebook', [node('a')], { fresh: true }, ['a']],
    ['of two none is opened', [node('a'), node('b')], { fresh: true }, []],
    [
      'a file that is no notebook is not opened',
      [node('a', { problem: { message: 'x', line: 1, column: 1 } as unknown as agenttree.Node['problem'] })],
      { fresh: true },
      [],
    ],
    ['one that was closed stays closed', [node('a')], {}, []],
  ])('%s', async (_, nodes, ui, tabs) => {
    await start(nodes, ui)
    expect(app.tabs.paths).toEqual(tabs)
  })

  test('the inspector is closed until a notebook has content for it, and stays as the person left it', async () => {
    await start([node('a')], { inspectorOpen: undefined })
    app.layout.windowWidth = 1600
    expect(app.layout.inspectorOpen).toBe(false)
    app.layout.fillInspector()
    expect([app.layout.inspectorOpen, app.layout.kept().inspectorOpen]).toEqual([true, undefined])
    app.layout.inspectorOpen = false
    app.layout.fillInspector()
    expect([app.layout.inspectorOpen, app.layout.kept().inspectorOpen]).toEqual([false, false])
  })

  test('nothing is saved right after loading', async () => {
    await start([node('a')], { tabs: ['a'], active: 'a' })
    await new Promise((r) => setImmediate(r))
    expect(edge.asked.filter((a) => a.startsWith('SaveUI'))).toEqual([])
  })

  test('changes of the tree reach the rows, and a deleted file closes its tab', async () => {
    await start([node('a'), node('b')], { tabs: ['a', 'b'], active: 'a' })
    app.apply({ seq: 11, type: 'treeChanged', data: { nodes: [node('c', { status: 'running', startedMs: 1 })], removed: ['a'] } })
    expect(app.agents.rows.map((r) => r.node.file).sort()).toEqual(['b', 'c'])
    expect(app.agents.running).toBe(1)
    expect([app.tabs.paths, app.tabs.active]).toEqual([['b'], 'b'])
    expect(edge.asked.some((asked) => asked.startsWith('CloseNotebook ["a","'))).toBe(true)
  })

  test('closed tabs can be reopened; a deleted file is skipped and named, a renamed one is followed', async () => {
    await start([node('a'), node('b'), node('c')], { tabs: ['a', 'b', 'c'], active: 'a', closed: ['never-was'] })
    await app.navigation.close('b')
    await app.navigation.close('c')
    app.apply({ seq: 11, type: 'treeChanged', data: { nodes: [node('d')], removed: ['b', 'c'] } })
    app.apply({ seq: 12, type: 'notebookMoved', data: { from: 'b', to: 'd' } })
    app.navigation.reopen()
    expect([app.tabs.paths, app.tabs.active, app.toasts.list.map((t) => t.detail)]).toEqual([['a', 'd'], 'd', ['c']])
    app.navigation.reopen()
    expect([app.tabs.paths, app.tabs.closed, app.toasts.list.map((t) => t.detail)]).toEqual([['a', 'd'], [], ['c', 'never-was']])
  })

  test('a deleted file with unsaved text keeps its tab, which can be saved as a new notebook', async () => {
    await start([node('a')], { tabs: ['a'], active: 'a' })
    edge.cells = [{ id: 'c1', rev: 1, role: 'user', chars: 0, answer: 0, messages: 0 }]
    await app.active!.load()
    app.active!.type(app.active!.cells[0]!, 'precious')
    app.apply({ seq: 11, type: 'treeChanged', data: { nodes: [], removed: ['a'] } })
    expect([app.tabs.paths, app.active!.missing]).toEqual([['a'], true])
    await app.rescue.anew('a')
    expect(edge.asked).toContain('Edit [".mutsumi/new.mtm",[{"kind":"insert","text":"precious"}],""]')
    expect([app.tabs.paths, app.tabs.active]).toEqual([['.mutsumi/new.mtm'], '.mutsumi/new.mtm'])
  })

  test('a tab closes only once typed text has arrived', async () => {
    await start([node('a')], { tabs: ['a'], active: 'a' })
    edge.cells = [{ id: 'c1', rev: 1, role: 'user', chars: 0, answer: 0, messages: 0 }]
    await app.active!.load()
    const { fetch } = edge
    let release = () => {}
    const held = new Promise<void>((done) => (release = done))
    vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
      if (url !== '/api/call/Edit') return fetch(url, init)
      await held
      return new Response('{"kind":"internal","message":"The disk is full."}', { status: 500 })
    })
    app.active!.type(app.active!.cells[0]!, 'precious')
    void app.active!.flush()
    const closing = app.navigation.close('a')
    for (let i = 0; i < 20; i++) await new Promise((r) => setImmediate(r))
    expect(app.tabs.paths).toEqual(['a'])
    release()
    await closing
    expect(app.tabs.paths).toEqual(['a'])
    expect(app.toasts.list.at(-1)).toMatchObject({
      kind: 'failed',
      detail: 'What you typed is not saved: The disk is full. Try again, or copy it first.',
    })
  })

  test('the current tab is closed as often as that is asked, also while typed text is on its way', async () => {
    await start([node('a'), node('b'), node('c')], { tabs: ['a', 'b', 'c'], active: 'b' })
    edge.cells = [{ id: 'c1', rev: 1, role: 'user', chars: 0, answer: 0, messages: 0 }]
    await app.active!.load()
    app.active!.type(app.active!.cells[0]!, 'precious')
    const both = [app.navigation.closeCurrent(), app.navigation.closeCurrent()]
    expect(app.tabs.paths, 'the one with typed text waits').toEqual(['a', 'b'])
    await Promise.all(both)
    expect([app.tabs.paths, app.tabs.closed, app.toasts.list]).toEqual([['a'], ['b', 'c'], []])
    await Promise.all([app.navigation.closeCurrent(), app.navigation.closeCurrent()])
    expect(app.tabs.paths).toEqual([])
  })

  test('text that a closed tab could not send is offered once more', async () => {
    await start([node('a')], { tabs: ['a'], active: 'a' })
    edge.cells = [{ id: 'c1', rev: 1, role: 'user', chars: 0, answer: 0, messages: 0 }]
    await app.active!.load()
    app.active!.type(app.active!.cells[0]!, 'precious')
    edge.fails.Edit = '{"kind":"notFound","message":"It is gone."}'
    app.tabs.close('a')
    await until(() => app.toasts.list.length > 0)
    expect(app.toasts.list).toMatchObject([
      { title: 'Could not save what you typed in “name of a”', action: { label: 'Copy what you typed' } },
    ])
  })

  test('an empty list that Go writes as null is an empty list', async () => {
    await start([node('a', { marks: null as unknown as string[] })], {
      tabs: null as unknown as string[],
      collapsed: null as unknown as string[],
    })
    app.apply({
      seq: 11,
      type: 'treeChanged',
      data: { nodes: [node('b', { marks: null as unknown as string[] })], removed: null as unknown as string[] },
    })
    expect([app.agents.size, app.agents.waiting]).toEqual([2, 0])
  })

  test('a file that is renamed on disk in one step leaves no tab of the old name', async () => {
    await start([node('a')], { tabs: ['a'], active: 'a' })
    app.apply({ seq: 11, type: 'treeChanged', data: { nodes: [node('a')], removed: ['a'] } })
    expect(app.tabs.paths).toEqual(['a'])
  })

  test('a failed save is reported: in the status bar for the current notebook, otherwise by a notice', async () => {
    await start([node('a'), node('b')], { tabs: ['a', 'b'], active: 'a' })
    await until(() => app.active?.status === 'ready')
    app.apply(saved(11, 'a', 'no space'))
    expect(app.active?.saveFault?.message).toBe('no space')
    expect(app.toasts.list).toEqual([])
    app.apply(saved(12, 'b', 'no space'))
    expect(app.toasts.list).toMatchObject([{ kind: 'failed', title: 'Could not save “name of b”', detail: 'No space.' }])
  })

  test('dropped files go only to the current notebook', async () => {
    await start([node('a'), node('b')], { tabs: ['a', 'b'], active: 'b' })
    app.tabs.open('a')
    await until(() => app.active?.status === 'ready' && app.notebook('b')?.status === 'ready')
    app.apply({ seq: 11, type: 'pathsDropped', data: { paths: ['/x'], x: 1, y: 2 } })
    expect(app.active?.dropped?.paths).toEqual(['/x'])
    expect(app.notebook('b')?.dropped).toBeUndefined()
  })

  test('a new agent is opened, a failure says what and why', async () => {
    await start([])
    await app.agents.create()
    expect(app.tabs.active).toBe('.mutsumi/new.mtm')
    edge.fails.CreateNotebook = '{"kind":"denied","message":"The folder is read-only."}'
    await app.agents.create()
    expect(app.toasts.list).toMatchObject([{ title: 'Could not create the agent', detail: 'The folder is read-only.' }])
    edge.fails.CreateNotebook = '{"kind":"denied","message":"/tmp/folder is read-only"}'
    await app.agents.create()
    expect(app.toasts.list.at(-1)?.detail, 'a path stays as it is').toBe('/tmp/folder is read-only.')
  })

  test('the layout is saved, with the size that only the window knows', async () => {
    await start([node('a')])
    app.tabs.open('a')
    app.preview.show()
    app.layout.sidebarWidth = 300
    app.layout.internalShown = true
    app.agents.fold(node('a'), true)
    await app.saveLayout()
    const kept = edge.asked.findLast((a) => a.startsWith('SaveUI')) ?? ''
    expect(JSON.parse(kept.slice(7))).toEqual([
      {
        tabs: ['a'],
        active: 'a',
        closed: [],
        preview: 'shown',
        recent: [],
        collapsed: ['a'],
        pinned: [],
        archived: [],
        read: {},
        readAll: expect.any(Number) as number,
        sidebarWidth: 300,
        inspectorWidth: 312,
        sidebarOpen: true,
        inspectorOpen: true,
        internalShown: true,
        window: { width: 1, height: 2, maximised: true },
      },
    ])
  })

  test('events of the stream arrive, and after a gap everything open is reloaded', async () => {
    await start([node('a')], { tabs: ['a'], active: 'a' })
    await until(() => app.active?.status === 'ready')
    edge.send({ seq: 11, type: 'treeChanged', data: { nodes: [node('b')], removed: [] } })
    await until(() => app.agents.size === 2)
    edge.snapshot = { ...edge.snapshot, seq: 20, nodes: [node('a'), node('b'), node('c')] }
    edge.asked = []
    edge.send(saved(14, 'a'))
    await until(() => app.agents.size === 3)
    expect(atOnce()).toEqual(['Snapshot []', 'Tasks []', 'notebook a'])
    expect([app.tabs.paths, app.tabs.active]).toEqual([['a'], 'a'])
  })

  test('while the folder is being scanned, no tab counts as gone', async () => {
    edge = new Serve([], {})
    const scanned = { ...edge.snapshot, scanning: false }
    await start([], { tabs: ['a'], active: 'a' })
    app.stop()
    edge.snapshot = { ...scanned, scanning: true, ui: { ...scanned.ui, tabs: ['a'], active: 'a' } }
    app = new AppState()
    app.start()
    await until(() => app.snapshot?.scanning)
    expect(app.tabs.paths).toEqual(['a'])
    edge.asked = []
    app.apply({ seq: 99, type: 'folderScanned', data: { trust: { ...scanned.trust, rules: ['a.md'], trusted: false, asked: false } } })
    expect([app.snapshot?.scanning, app.trust.asking]).toEqual([false, true])
    expect(edge.asked, 'nothing is requested for that').toEqual([])
  })

  test('a requested cell is shown as soon as its notebook is loaded', async () => {
    await start([node('a'), node('b')], { tabs: ['a'], active: 'a' })
    edge.cells = ['c1', 'c2', 'c3'].map((id) => ({ id, rev: 1, role: 'user', chars: 0, answer: 0, messages: 0 }))
    app.apply({ seq: 11, type: 'cellWanted', data: { path: 'b', cell: 'c2' } })
    expect(app.tabs.active).toBe('b')
    await until(() => app.active?.selection.active === 'c2')
    app.apply({ seq: 12, type: 'cellWanted', data: { path: 'b', cell: '' } })
    await until(() => app.active?.selection.active === 'c3')
    app.apply({ seq: 13, type: 'cellWanted', data: { path: 'gone', cell: 'c1' } })
    expect(app.tabs.paths).toEqual(['a', 'b'])
  })

  test('the focus of the window is reported, and reported again to a program that may be another one', async () => {
    await start([])
    expect(atOnce()).toEqual(['Snapshot []', 'Tasks []'])
    app.presence.set(false)
    expect(atOnce().at(-1)).toBe('SetInFront [false]')
    edge.asked = []
    edge.snapshot = { ...edge.snapshot, seq: 20 }
    edge.send(saved(14, 'a'))
    await until(() => edge.asked.includes('Tasks []'))
    expect(edge.asked).toContain('SetInFront [false]')
  })

  test('the pause comes from the snapshot, then from events; a failure is shown', async () => {
    await start([])
    expect(app.paused.on).toBe(false)
    app.apply({ seq: 11, type: 'pausedChanged', data: { paused: true } })
    expect(app.paused.on).toBe(true)
    await app.paused.set(false)
    expect([edge.asked.at(-1), app.paused.on]).toEqual(['SetPaused [false]', true])
    edge.fails.SetPaused = '{"kind":"internal","message":"No."}'
    await app.paused.set(false)
    expect(app.toasts.list).toMatchObject([{ title: 'Could not resume the agents', detail: 'No.' }])
  })

  test('pins and the archive of the last session are restored and saved', async () => {
    await start([node('a'), node('b'), node('c')], { pinned: ['c'], archived: ['b'] })
    expect(app.agents.rows.map((r) => r.node.file)).toEqual(['c', 'a'])
    app.agents.archive(app.agents.node('a')!, true)
    await app.saveLayout()
    const kept = edge.asked.findLast((a) => a.startsWith('SaveUI')) ?? ''
    expect(JSON.parse(kept.slice(7))).toMatchObject([{ pinned: ['c'], archived: ['a', 'b'] }])
  })

  test('a reference goes into the current notebook, not into the one it names', async () => {
    await start([node('a'), node('b')], { tabs: ['a'], active: 'a' })
    await until(() => app.active?.status === 'ready')
    app.navigation.refer('a')
    expect(app.active?.dropped).toBeUndefined()
    app.navigation.refer('b')
    expect(app.active?.dropped?.paths).toEqual(['b'])
  })

  test('a flight deck is a tab like others: restored, never treated as a notebook, closed with its tree', async () => {
    await start([node('a'), node('b', { parentId: 'a' })], { tabs: ['//deck/gone', '//deck/a', 'b'], active: '//deck/a' })
    expect([app.tabs.paths, app.navigation.view, app.active]).toEqual([['//deck/a', 'b'], { kind: 'deck', path: 'a' }, undefined])
    expect(edge.asked.filter((a) => a.startsWith('notebook'))).toEqual([])
    app.tabs.open('b')
    expect([app.navigation.view, app.active?.path]).toEqual([undefined, 'b'])
    app.tabs.close('//deck/a')
    app.navigation.showDeck()
    expect([app.tabs.paths, app.tabs.active]).toEqual([['b', '//deck/a'], '//deck/a'])
    app.apply({ seq: 11, type: 'treeChanged', data: { nodes: [], removed: ['a'] } })
    expect([app.tabs.paths, app.tabs.active]).toEqual([['b'], 'b'])
  })

  test('two groups of tabs are restored without deleted files, load both current notebooks, and are saved unchanged', async () => {
    const beside = { tabs: ['gone', 'c', 'a'], active: 'c', front: true, share: 60 }
    await start([node('a'), node('b'), node('c')], { tabs: ['a', 'b'], active: 'a', beside })
    expect([app.tabs.groups.map((g) => g.paths), app.active?.path]).toEqual([
      [
        ['a', 'b'],
        ['c', 'a'],
      ],
      'c',
    ])
    expect(edge.asked.filter((a) => a.startsWith('notebook'))).toHaveLength(2)
    app.tabs.open('a', 1)
    app.layout.share = 10
    await app.saveLayout()
    const kept = edge.asked.findLast((a) => a.startsWith('SaveUI')) ?? ''
    expect(JSON.parse(kept.slice(7))).toMatchObject([
      { tabs: ['a', 'b'], active: 'a', beside: { tabs: ['c', 'a'], active: 'a', front: true, share: 25 } },
    ])
    app.tabs.closeIn(1, 'c', 'a')
    await app.saveLayout()
    expect(edge.asked.findLast((a) => a.startsWith('SaveUI'))).not.toContain('beside')
  })

  test('tabs follow a renamed file', async () => {
    await start([node('a'), node('b')], { tabs: ['b', 'a', '//deck/a'], active: 'a' })
    app.apply({ seq: 11, type: 'notebookMoved', data: { from: 'a', to: 'z' } })
    app.apply({ seq: 12, type: 'treeChanged', data: { nodes: [node('z')], removed: ['a'] } })
    expect([app.tabs.paths, app.tabs.active, app.active?.path]).toEqual([['b', 'z', '//deck/z'], 'z', 'z'])
  })

  test('tabs follow a file that was renamed while its notebook was closed, or never loaded', async () => {
    const u = (file: string, uuid: string) => node(file, { uuid })
    await start([u('a', '1'), u('b', '2'), u('c', '3')], { tabs: ['a', 'b', '//deck/b', 'c'], active: 'a' })
    await app.navigation.close('c')
    app.apply({ seq: 11, type: 'treeChanged', data: { nodes: [u('y', '2')], removed: ['b'] } })
    expect(app.tabs.paths, 'one with a tab').toEqual(['a', 'y', '//deck/y'])
    app.apply({ seq: 11, type: 'treeChanged', data: { nodes: [u('copy', '1')], removed: ['a'] } })
    expect(app.tabs.paths, 'one that is loaded, with a copy').toEqual(['y', '//deck/y'])
    app.apply({ seq: 12, type: 'treeChanged', data: { nodes: [], removed: ['c'] } })
    app.apply({ seq: 13, type: 'treeChanged', data: { nodes: [u('z', '3')], removed: [] } })
    app.apply({ seq: 14, type: 'treeChanged', data: { nodes: [u('c', '4')], removed: [] } })
    app.navigation.reopen()
    expect(app.tabs.active, 'the one that was loaded, if it is asked for').toBe('copy')
    app.navigation.reopen()
    expect([app.tabs.active, app.toasts.list], 'one without').toEqual(['z', []])
  })

  test('tabs follow files that were renamed while the connection was lost', async () => {
    await start([node('a'), node('b')], { tabs: ['a', 'b'], active: 'a' })
    const book = app.active!
    edge.snapshot = { ...edge.snapshot, seq: 20, nodes: [node('z', { uuid: 'a' }), node('b')] }
    app.navigation.load(edge.snapshot, true)
    expect(app.tabs.paths, 'the list of agents is loaded first').toEqual(['a', 'b'])
    app.agents.load(edge.snapshot, true)
    app.navigation.load(edge.snapshot, true)
    expect([app.tabs.paths, app.active === book, book.path]).toEqual([['z', 'b'], true, 'z'])
  })

  test('a circle of parents still has a flight deck', async () => {
    await start([node('a', { parentId: 'b' }), node('b', { parentId: 'a' })], { tabs: ['a'], active: 'a' })
    app.navigation.showDeck()
    expect(app.navigation.view?.path).toBe('b')
  })

  test('a kind of event from a newer program is ignored', async () => {
    await start([])
    expect(() => app.apply({ seq: 11, type: 'somethingNew', data: {} } as unknown as BackendEvent)).not.toThrow()
  })
})

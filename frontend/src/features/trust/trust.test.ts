import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type access } from '$lib/backend/backend'
import { TrustState } from './trust.svelte'

const view = (more: Partial<access.TrustView> = {}): access.TrustView => ({
  trusted: false,
  asked: false,
  rules: ['a.md'],
  guides: [],
  skills: [],
  kinds: [],
  servers: [],
  commands: [],
  fresh: [],
  notebooks: 0,
  ...more,
})

describe('TrustState', () => {
  const calls: string[] = []
  let fails = false
  const failures: string[] = []
  const make = () => new TrustState(new Backend(), (title) => failures.push(title))
  beforeEach(() => {
    calls.length = failures.length = 0
    fails = false
    vi.stubGlobal('window', {})
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      calls.push(`${url.slice('/api/call/'.length)} ${init.body as string}`)
      return Promise.resolve(fails ? new Response('{"kind":"internal","message":"no"}', { status: 500 }) : Response.json(null))
    })
  })
  afterEach(() => void vi.unstubAllGlobals())

  test.each<[string, Partial<access.TrustView>, boolean, boolean, boolean]>([
    ['a folder that brings rules is asked about', {}, false, true, true],
    ['not while it is still looked through', {}, true, false, true],
    ['not twice, but said', { asked: true }, false, false, true],
    ['a trusted folder is neither', { trusted: true, asked: true }, false, false, false],
    ['one that brings nothing is neither', { rules: [] }, false, false, false],
    ['an AGENTS.md is enough', { rules: [], guides: ['AGENTS.md'] }, false, true, true],
    ['kinds of agents are enough', { rules: [], kinds: ['tester'] }, false, true, true],
    ['what came since it was trusted is said', { trusted: true, asked: true, fresh: ['.mutsumi/rules/a.md'] }, false, false, true],
    ['commands are enough', { rules: [], commands: ['.claude/commands/a.md'] }, false, true, true],
    ['servers of tools are enough', { rules: [], servers: ['.mcp.json'] }, false, true, true],
    ['notebooks are enough', { rules: [], notebooks: 2 }, false, true, true],
  ])('%s', (_name, more, scanning, asking, told) => {
    const state = make()
    state.load({ trust: view(more), scanning })
    expect([state.asking, state.visible]).toEqual([asking, told])
  })

  test('a decision shows at once and is sent to the backend', async () => {
    const state = make()
    state.load({ trust: view(), scanning: false })
    await state.decide(true)
    expect([calls, state.asking, state.visible]).toEqual([['TrustFolder [true]'], false, false])
    await state.decide(false)
    expect([state.trusted, state.visible]).toEqual([false, true])
    state.dismiss()
    expect(state.visible).toBe(false)
    state.apply({ seq: 1, type: 'trustChanged', data: { trust: view({ asked: true }) } })
    expect(state.visible).toBe(true)
  })

  test('leaving the question about later files trusts nothing new', () => {
    const state = make()
    state.load({ trust: view({ trusted: true, asked: true, fresh: ['.mutsumi/rules/new.md'] }), scanning: false })
    state.ask()
    state.leave()
    expect([state.asking, state.visible, calls]).toEqual([false, true, []])
  })

  test('a question stays open while files are added, and closes when another window answers it', () => {
    const state = make()
    const told = { trusted: true, asked: true }
    const came = view({ ...told, fresh: ['.mutsumi/rules/new.md'] })
    state.load({ trust: came, scanning: false })
    state.ask()
    state.apply({ seq: 1, type: 'trustChanged', data: { trust: { ...came, fresh: [...came.fresh, '.mutsumi/rules/more.md'] } } })
    expect(state.fresh).toEqual(['.mutsumi/rules/new.md', '.mutsumi/rules/more.md'])
    expect([state.asking, state.visible], 'one more file came').toEqual([true, true])
    state.load({ trust: { ...came, fresh: [] }, scanning: false })
    expect([state.asking, state.visible], 'all of them were trusted in another window').toEqual([false, false])

    state.load({ trust: came, scanning: false })
    state.ask()
    state.apply({ seq: 2, type: 'trustChanged', data: { trust: { ...came, trusted: false } } })
    expect(state.asking, 'trust was withdrawn in another window').toBe(false)
  })

  test('the end of the scan opens the question without a request', () => {
    const state = make()
    state.load({ trust: view({ rules: [] }), scanning: true })
    state.apply({ seq: 1, type: 'trustChanged', data: { trust: view() } })
    expect(state.asking, 'more may come').toBe(false)
    state.apply({ seq: 2, type: 'folderScanned', data: { trust: view({ rules: ['a.md', 'b.md'] }) } })
    expect([state.asking, state.view.rules, calls]).toEqual([true, ['a.md', 'b.md'], []])
  })

  test('a decision that could not be saved is not shown as saved', async () => {
    const state = make()
    state.load({ trust: view(), scanning: false })
    fails = true
    await state.decide(true)
    state.load({ trust: view(), scanning: false })
    expect(state.asking, 'the person has answered').toBe(false)
    expect([state.trusted, failures]).toEqual([false, ['Could not trust the folder']])
  })
})

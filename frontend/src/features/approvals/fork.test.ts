import { describe, expect, test } from 'vitest'
import type { kind, settings } from '$lib/backend/backend'
import { kindOptions, modelOptions } from './kindOptions'
import { ForkDraft } from './fork.svelte'
import { absolute, inside, shortPlace } from './folderPaths'
import { QuestionDraft } from './question.svelte'
import type { Request } from './words'

const fork = (args: unknown, over: Partial<Request> = {}) =>
  ForkDraft.of({
    tool: 'self_fork',
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
    folder: '/w',
    allowed: ['/w/src', '/data'],
    ...over,
  } as Request)
const two = {
  children: [
    { name: 'A', prompt: 'do a', allowed_uris: ['src'], later: 1 },
    { name: 'B', prompt: 'do b', worktree: true },
  ],
  why: 'x',
}
const sent = (d: ForkDraft) => JSON.parse(d.arguments) as { children: Record<string, unknown>[]; why: string }

describe('agents to start', () => {
  test('match the call until somebody changes them', () => {
    const d = fork(two)!
    expect(d.children.map((c) => [c.name, c.prompt, c.allowed, c.model, c.kind, c.worktree])).toEqual([
      ['A', 'do a', ['src'], '', '', false],
      ['B', 'do b', [], '', '', true],
    ])
    expect(d.changed).toBe(false)
    expect(sent(d)).toEqual(two)
    d.children[0]!.name = 'A1'
    expect(d.changed).toBe(true)
    d.children[0]!.name = 'A'
    expect(d.changed).toBe(false)
  })

  test('edits are sent together with all unknown fields', () => {
    const d = fork(two)!
    const [a, b] = d.children
    a!.prompt = 'do a well'
    a!.model = 'p/m'
    expect(d.allow(a!, '/w/src/deep')).toBe('')
    b!.worktree = false
    expect(sent(d)).toEqual({
      why: 'x',
      children: [
        { name: 'A', prompt: 'do a well', allowed_uris: ['src', '/w/src/deep'], model: 'p/m', later: 1 },
        { name: 'B', prompt: 'do b', worktree: false },
      ],
    })
    d.remove(a!)
    const added = d.add()
    added.prompt = 'c'
    expect(sent(d).children).toEqual([{ name: 'B', prompt: 'do b', worktree: false }, { prompt: 'c' }])
  })

  test('get no folder that the parent lacks, with the reason', () => {
    const d = fork(two)!
    const [a] = d.children
    expect(d.allow(a!, '/etc')).toBe('/etc is outside of what the parent may touch: src, /data. A child never gets more.')
    expect(d.allow(a!, 'src/../../etc')).toMatch(/^\/etc is outside/)
    expect(d.allow(a!, '/w/srcs')).toMatch(/outside/)
    expect(d.allow(a!, 'file:///w/src/')).toBe('It is in the list already.')
    expect(d.allow(a!, ' ')).not.toBe('')
    expect(a!.allowed).toEqual(['src'])
    d.disallow(a!, 'src')
    expect(a!.allowed).toEqual([])
  })

  test('reports why an agent cannot start', () => {
    const d = fork({
      children: [
        { name: 'A', prompt: ' ' },
        { prompt: 'b', allowed_uris: ['/etc'] },
      ],
    })!
    expect(d.problem).toBe('“A” has no prompt. (1 more problem below.)')
    d.children[0]!.prompt = 'a'
    expect(d.problem).toMatch(/^\/etc is outside/)
    for (const c of d.children) d.remove(c)
    expect(d.problem).toMatch(/No agent is left/)
  })

  test.each(['', 'no JSON', '[]', '{}', '{"children":3}', '{"children":[3]}', '{"children":[null]}', '{"children":[["a"]]}'])(
    '%s is no call that can be edited here',
    (args) => {
      expect(fork(args)).toBeUndefined()
    },
  )

  test('hostile values are not shown, but kept in the call', () => {
    const d = fork({ children: [{ name: 3, prompt: ['x'], allowed_uris: 'x', worktree: 'yes' }] })!
    expect(d.children.map((c) => [c.name, c.prompt, c.allowed, c.worktree])).toEqual([['', '', [], false]])
    expect(d.changed).toBe(false)
  })
})

test('folders by path', () => {
  expect(['src', './a/../b', '/x//y/', 'file:///z', 'C:\\u\\v', 'file:///C:/u'].map((p) => absolute(p, '/w'))).toEqual([
    '/w/src',
    '/w/b',
    '/x/y',
    '/z',
    'C:/u/v',
    'C:/u',
  ])
  expect([inside('/a', ['/'], '/w'), inside('/a', [], '/w'), inside('.', ['/w'], '/w'), inside('..', ['/w'], '/w')]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect([shortPlace('/w', '/w'), shortPlace('/w/a/b', '/w'), shortPlace('/wide', '/w')]).toEqual(['this folder', 'a/b', '/wide'])
})

const sort = (name: string, over: Partial<kind.Kind> = {}): kind.Kind => ({
  name,
  description: '',
  model: '',
  tools: [],
  rules: [],
  children: [],
  role: '',
  source: '',
  problem: '',
  changes: false,
  inert: false,
  ...over,
})

test('kinds to choose from: valid, trusted, and among those that the parent may start', () => {
  const kinds = [
    sort('chat'),
    sort('lead', { children: ['maker', 'broken'] }),
    sort('maker'),
    sort('broken', { problem: 'x' }),
    sort('strange', { inert: true }),
  ]
  const names = (parent: string, current = '') => kindOptions(kinds, parent, current).map((o) => o.value)
  expect(names('lead')).toEqual(['', 'maker'])
  expect(names('')).toEqual([''])
  expect(names('gone')).toEqual(['', 'chat', 'lead', 'maker'])
  expect(kindOptions(kinds, 'lead', '')[0]!.label).toBe('Usual (maker)')
  expect(names('lead', 'strange')).toEqual(['', 'maker', 'strange'])
})

test('models of the providers, and the one that the call names', () => {
  const provider = { id: 'p', name: 'P', models: [{ id: 'm', name: 'M' }, { id: 'n' }] } as unknown as settings.ProviderView
  const shown = (current: string) => modelOptions([provider], current).map((o) => `${o.value}=${o.label}`)
  expect(shown('')).toEqual(['=Same as the parent', 'p/m=M', 'p/n=n'])
  expect(shown('n').at(-1)).toBe('n=n (P)')
  expect(shown('x/y').at(-1)).toBe('x/y=x/y (not in the settings)')
})

describe('an answer', () => {
  test('is one choice, a text, or both', () => {
    const q = new QuestionDraft({ text: '?', choices: ['red', 'blue'], several: false })
    expect(q.problem).not.toBe('')
    q.choose(0)
    q.choose(1)
    q.choose(7)
    expect([q.answer, q.problem]).toEqual(['blue', ''])
    q.text = ' dark '
    expect(q.answer).toBe('blue\n\ndark')
  })
  test('is several choices in their order, and each can be deselected', () => {
    const q = new QuestionDraft({ text: '?', choices: ['a', 'b', 'c'], several: true })
    for (const i of [2, 0, 1, 1]) q.choose(i)
    expect(q.answer).toBe('a, c')
  })
  test('is a text if there are no choices', () => {
    const q = new QuestionDraft({ text: '?', choices: null as unknown as string[], several: false })
    q.text = 'yes'
    expect(q.answer).toBe('yes')
  })
})

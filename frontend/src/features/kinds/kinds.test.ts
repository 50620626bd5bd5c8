import { afterEach, expect, test, vi } from 'vitest'
import { Backend, type Fault } from '$lib/backend/backend'
import { isItem } from '$lib/ui/menu'
import { KindsState } from './kinds.svelte'
import { entriesOf, mayWords, type Kind } from './words'

const kind = (name: string, over: Partial<Kind> = {}): Kind => ({
  name,
  description: '',
  model: '',
  tools: ['read'],
  rules: [],
  children: [],
  role: '',
  source: '',
  problem: '',
  changes: false,
  inert: false,
  ...over,
})
afterEach(() => vi.unstubAllGlobals())

test.each([
  [
    { tools: ['read', 'change', 'shell', 'agents'], changes: true },
    'reads files, changes files, runs commands, starts and asks other agents',
  ],
  [{ tools: ['read'] }, 'reads files, changes nothing'],
  [{ tools: ['shell', 'grep'], changes: true }, 'runs commands, uses grep'],
  [{ tools: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }, 'uses a, b, c, d, e, f and 2 more, changes nothing'],
  [{ tools: [] }, 'uses no tools, changes nothing'],
])('what an agent with %j may do', (over, want) => expect(mayWords(kind('k', over))).toBe(want))

test('a kind that cannot be chosen says why, and stays unchosen', () => {
  const chosen: string[] = []
  const entries = entriesOf(
    [
      kind('chat', { description: 'Talks.' }),
      kind('x', { problem: 'x.md, line 3: no name', source: '.mutsumi/agents/x.md' }),
      kind('chat', { inert: true, source: '.mutsumi/agents/chat.md' }),
    ],
    'chat',
    (n) => chosen.push(n),
  ).filter(isItem)
  expect(entries.map((e) => [e.label, e.checked, e.disabled, e.more])).toEqual([
    ['chat', true, false, 'Talks.\nReads files, changes nothing.'],
    ['x', false, true, 'x.md, line 3: no name'],
    ['chat', false, true, 'Comes from this folder (.mutsumi/agents/chat.md), which is not trusted. Trust the folder to choose it.'],
  ])
  entries[0]!.run()
  expect(chosen).toEqual(['chat'])
})

test('a notebook without a kind is chat, and never an inert kind of that name', () => {
  const kinds = new KindsState(new Backend(), () => undefined)
  kinds.load({ kinds: [kind('chat', { inert: true, source: 'a' }), kind('chat')] })
  expect(kinds.find('')?.source).toBe('')
  expect(kinds.find('other')).toBeUndefined()
  kinds.apply({ seq: 1, type: 'kindsChanged', data: { kinds: null as unknown as Kind[] } })
  expect(kinds.list).toEqual([])
})

test('a refused kind is reported', async () => {
  const told: string[] = []
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async () => new Response('{"kind":"denied","message":"its parent starts none of these"}', { status: 403 }))
  await new KindsState(new Backend(), (title: string, fault: Fault) => told.push(`${title}: ${fault.message}`)).set('a.mtm', 'lead')
  expect(told).toEqual(['Could not change the kind to lead: its parent starts none of these'])
})

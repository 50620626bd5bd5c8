import { describe, expect, test } from 'vitest'
import { asideOf, dotOf, nameOf, usedOf } from './statusDot'
import type { Node } from './node'
import { below, buildRows, familyOf, reuseRows, topmost, type TreeOptions } from './tree'

const node = (uuid: string, more: Partial<Node> = {}): Node => ({
  uuid,
  name: uuid,
  file: `.mutsumi/${uuid}.mtm`,
  status: 'standby',
  marks: [],
  createdAt: '2026-11-21T10:00:00Z',
  modifiedMs: 0,
  timeMs: 0,
  own: { tokens: 0, cost: 0, estimated: false },
  subtree: { tokens: 0, cost: 0, estimated: false },
  ...more,
})
const at = (minute: number) => `2026-11-21T10:${String(minute).padStart(2, '0')}:00Z`
const rowsOf = (nodes: Node[], options: TreeOptions = {}) => buildRows(nodes, familyOf(nodes), options)
const looked = (nodes: Node[], options: TreeOptions = {}) =>
  rowsOf(nodes, options).map((r) => '  '.repeat(r.depth) + (r.children ? (r.expanded ? '- ' : '+ ') : '') + r.node.name)

const drawn = (nodes: Node[], folded: string[] = [], text = '') => looked(nodes, { folded: new Set(folded), text })

describe('buildRows', () => {
  const family = [
    node('old', { createdAt: at(1) }),
    node('b', { parentId: 'new', createdAt: at(12) }),
    node('a', { parentId: 'new', createdAt: at(11) }),
    node('new', { createdAt: at(10) }),
    node('a1', { parentId: 'a', createdAt: at(13) }),
  ]

  test('newest first at the top, children in the order they were made', () => {
    expect(drawn(family)).toEqual(['- new', '  - a', '    a1', '  b', 'old'])
  })
  test('a folded agent hides its descendants', () => {
    expect(drawn(family, ['a'])).toEqual(['- new', '  + a', '  b', 'old'])
    expect(drawn(family, ['new', 'a'])).toEqual(['+ new', 'old'])
  })
  test('rows know their place among their siblings', () => {
    expect(rowsOf(family).map((r) => [r.node.name, r.place, r.siblings])).toEqual([
      ['new', 1, 2],
      ['a', 1, 2],
      ['a1', 1, 1],
      ['b', 2, 2],
      ['old', 2, 2],
    ])
  })
  test('a filter keeps matches with the agents above them, unfolded', () => {
    expect(drawn(family, ['new', 'a'], ' A1 ')).toEqual(['- new', '  - a', '    a1'])
    expect(drawn(family, [], 'nothing')).toEqual([])
  })
  test('a filter also matches the file', () => {
    expect(drawn([node('x', { file: 'docs/plan.mtm' })], [], 'docs/')).toEqual(['x'])
  })
  test('a missing parent counts as none', () => {
    expect(drawn([node('x', { parentId: 'gone' })])).toEqual(['x'])
  })
  test.each([
    ['its own parent', [node('x', { parentId: 'x' })]],
    ['two in a circle', [node('x', { parentId: 'y' }), node('y', { parentId: 'x' })]],
    [
      'a tail into a circle',
      [node('t', { parentId: 'x' }), node('x', { parentId: 'y' }), node('y', { parentId: 'z' }), node('z', { parentId: 'x' })],
    ],
  ])('every node has one row: %s', (_name, nodes) => {
    const rows = rowsOf(nodes)
    expect(rows.map((r) => r.node.name).sort()).toEqual(nodes.map((n) => n.name).sort())
  })
  test('two files with one uuid, and files without any, all show', () => {
    const nodes = [
      node('x', { file: 'a.mtm' }),
      node('x', { file: 'b.mtm' }),
      node('', { file: 'c.mtm' }),
      node('', { file: 'd.mtm' }),
      node('k', { parentId: 'x' }),
    ]
    expect(rowsOf(nodes)).toHaveLength(5)
  })
  test('a chain of ten thousand agents does not overflow the stack', () => {
    const chain = Array.from({ length: 10_000 }, (_, i) => node(`n${i}`, i ? { parentId: `n${i - 1}` } : {}))
    expect(rowsOf(chain).at(-1)?.depth).toBe(9_999)
  })
})

describe('pins, the archive and choices', () => {
  const family = [
    node('top', { createdAt: at(1), status: 'running' }),
    node('kid', { parentId: 'top', createdAt: at(2), status: 'finished' }),
    node('grandkid', { parentId: 'kid', createdAt: at(3), status: 'finished' }),
    node('other', { createdAt: at(9), marks: ['failed'] }),
  ]
  const away = (...uuids: string[]) => new Set(uuids)

  test('pinned agents are at the top in the order of pinning, with their descendants', () => {
    expect(looked(family, { pinned: ['top', 'gone'] })).toEqual(['- top', '  - kid', '    grandkid', 'other'])
    expect(looked(family, { pinned: ['kid', 'top'] })).toEqual(['- kid', '  grandkid', 'top', 'other'])
    expect(rowsOf(family, { pinned: ['kid'] }).map((r) => r.pinned)).toEqual([true, false, false, false])
  })
  test('an archived agent is hidden with its descendants, and shown on request', () => {
    expect(looked(family, { archived: away('other') })).toEqual(['- top', '  - kid', '    grandkid'])
    expect(looked(family, { archived: away('kid') })).toEqual(['other', 'top'])
    const rows = rowsOf(family, { archived: away('kid'), only: 'archived' })
    expect(rows.map((r) => [r.node.name, r.lead])).toEqual([
      ['top', true],
      ['kid', false],
      ['grandkid', false],
    ])
  })
  test('an archived agent is shown while it works', () => {
    expect(looked(family, { archived: away('top', 'other') })).toEqual(['top'])
    const asking = family.map((n) => (n.uuid === 'grandkid' ? { ...n, marks: ['needsYou'] } : n))
    expect(looked(asking, { archived: away('kid') })).toEqual(['other', '- top', '  - kid', '    grandkid'])
  })
  test('a filter keeps ancestors, which do not count as matches', () => {
    expect(rowsOf(family, { only: 'finished', folded: away('top') }).map((r) => [r.node.name, r.lead])).toEqual([
      ['top', true],
      ['kid', false],
      ['grandkid', false],
    ])
    expect(looked(family, { only: 'failed' })).toEqual(['other'])
    expect(looked(family, { only: 'finished', text: 'GRAND' })).toEqual(['- top', '  - kid', '    grandkid'])
    expect(looked(family, { only: 'finished', pinned: ['grandkid'] })).toEqual(['grandkid', '- top', '  kid'])
    expect(looked(family, { only: 'interrupted' })).toEqual([])
  })
  test('circles and archives terminate', () => {
    const circle = [node('x', { parentId: 'y' }), node('y', { parentId: 'x' })]
    expect(rowsOf(circle, { archived: away('x', 'y') })).toEqual([])
    expect(rowsOf(circle, { archived: away('x', 'y'), only: 'archived' })).toHaveLength(2)
  })
})

test('below lists each descendant once, topmost the agents without an ancestor in the list', () => {
  const nodes = [node('a'), node('b', { parentId: 'a' }), node('c', { parentId: 'b' }), node('d', { parentId: 'a' }), node('e')]
  const family = familyOf(nodes)
  const named = (list: Node[]) => list.map((n) => n.name).join('')
  expect(named(below(family, nodes[0]!))).toBe('bdc')
  expect(named(topmost(family, nodes))).toBe('ae')
  expect(named(topmost(family, nodes.slice(2)))).toBe('cde')
})

test('rows that did not change stay the same objects', () => {
  const nodes = [node('a'), node('b', { parentId: 'a' }), node('c')]
  const before = rowsOf(nodes)
  const next = nodes.map((n) => (n.uuid === 'b' ? { ...n, action: 'reading' } : n))
  const after = reuseRows(new Map(before.map((r) => [r.node.file, r])), rowsOf(next))
  expect(after.map((r, i) => r === before[i])).toEqual([true, false, true])
})

describe('what a row shows', () => {
  const now = Date.parse(at(30))
  test.each<[Partial<Node>, string, string]>([
    [{ status: 'running', startedMs: now - 134_000 }, 'running', '2:14'],
    [{ status: 'running', marks: ['needsYou'] }, 'waiting', 'needs you'],
    [{ status: 'running', marks: ['failed'], startedMs: now }, 'running', '0:00'],
    [{ status: 'pending', marks: ['queued'] }, 'queued', 'queued'],
    [{ status: 'running', marks: ['queued'], startedMs: now - 61_000 }, 'queued', 'queued'],
    [{ status: 'standby', marks: ['failed'], problem: 'not JSON' }, 'failed', 'damaged'],
    [{ status: 'finished', modifiedMs: now - 86_400_000 }, 'finished', 'yesterday'],
    [{ status: 'finished', parentId: 'p', timeMs: 48_000, modifiedMs: now }, 'finished', '0:48'],
    [{ status: 'running', marks: ['stuck'], startedMs: now - 61_000 }, 'stuck', '1:01'],
    [{ status: 'running', marks: ['stuck', 'needsYou'] }, 'waiting', 'needs you'],
    [{ status: 'standby', marks: ['interrupted'], modifiedMs: now }, 'interrupted', 'interrupted'],
    [{ status: 'pending', marks: ['interrupted', 'queued'] }, 'queued', 'queued'],
    [{ status: 'pending', modifiedMs: now - 86_400_000 }, 'pending', 'yesterday'],
  ])('%o', (more, dot, aside) => {
    expect([dotOf(node('x', more)), asideOf(node('x', more), now)]).toEqual([dot, aside])
  })
  test('every state has its own dot', () => {
    const states: Partial<Node>[] = [
      { status: 'running' },
      { status: 'finished' },
      { status: 'pending' },
      {},
      { marks: ['queued'] },
      { marks: ['failed'] },
      { marks: ['needsYou'] },
      { marks: ['interrupted'] },
      { marks: ['stuck'], status: 'running' },
    ]
    expect(new Set(states.map((more) => dotOf(node('x', more)))).size).toBe(states.length)
  })
  test.each([
    [{ tokens: 0, cost: 0, estimated: false }, ''],
    [{ tokens: 18_420, cost: 310_000_000, estimated: false }, '18,420 tokens · $0.31'],
    [{ tokens: 1, guessed: true, cost: 310_000_000, estimated: true }, '~1 token · ~$0.31'],
    [{ tokens: 1, cost: 310_000_000, estimated: true }, '1 token · ~$0.31'],
    [{ tokens: 5, cost: 0, estimated: false, unpriced: true }, '5 tokens · price unknown'],
    [{ tokens: 5, guessed: true, cost: 10_000_000, estimated: true, unpriced: true }, '~5 tokens · at least ~$0.010'],
    [{ tokens: 5, cost: 0, estimated: false }, '5 tokens'],
  ])('%o was used', (total, want) => expect(usedOf(total)).toBe(want))
  test('a nameless agent is called by its file name', () => {
    expect(nameOf({ name: ' ', file: 'a/b c.mtm' })).toBe('b c.mtm')
  })
})

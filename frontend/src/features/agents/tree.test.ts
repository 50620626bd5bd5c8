import { describe, expect, test } from 'vitest'
import { asideOf, buildRows, dotOf, nameOf, type Node } from './tree'

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
const none = new Set<string>()
const drawn = (nodes: Node[], folded: Iterable<string> = none, filter = '') =>
  buildRows(nodes, new Set(folded), filter).map((r) => '  '.repeat(r.depth) + (r.children ? (r.expanded ? '- ' : '+ ') : '') + r.node.name)

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
  test('a folded agent hides what is below it', () => {
    expect(drawn(family, ['a'])).toEqual(['- new', '  + a', '  b', 'old'])
    expect(drawn(family, ['new', 'a'])).toEqual(['+ new', 'old'])
  })
  test('rows know their place among their siblings', () => {
    expect(buildRows(family, none).map((r) => [r.node.name, r.place, r.siblings])).toEqual([
      ['new', 1, 2],
      ['a', 1, 2],
      ['a1', 1, 1],
      ['b', 2, 2],
      ['old', 2, 2],
    ])
  })
  test('a filter keeps matches with the agents above them, unfolded', () => {
    expect(drawn(family, ['new', 'a'], ' A1 ')).toEqual(['- new', '  - a', '    a1'])
    expect(drawn(family, none, 'nothing')).toEqual([])
  })
  test('a filter finds the file as well', () => {
    expect(drawn([node('x', { file: 'docs/plan.mtm' })], none, 'docs/')).toEqual(['x'])
  })
  test('a parent that is not there counts as none', () => {
    expect(drawn([node('x', { parentId: 'gone' })])).toEqual(['x'])
  })
  test.each([
    ['its own parent', [node('x', { parentId: 'x' })]],
    ['two in a circle', [node('x', { parentId: 'y' }), node('y', { parentId: 'x' })]],
    ['a tail into a circle', [node('t', { parentId: 'x' }), node('x', { parentId: 'y' }), node('y', { parentId: 'z' }), node('z', { parentId: 'x' })]],
  ])('every node has one row: %s', (_name, nodes) => {
    const rows = buildRows(nodes, none)
    expect(rows.map((r) => r.node.name).sort()).toEqual(nodes.map((n) => n.name).sort())
  })
  test('two files with one uuid, and files without any, all show', () => {
    const nodes = [node('x', { file: 'a.mtm' }), node('x', { file: 'b.mtm' }), node('', { file: 'c.mtm' }), node('', { file: 'd.mtm' }), node('k', { parentId: 'x' })]
    expect(buildRows(nodes, none)).toHaveLength(5)
  })
  test('a chain of ten thousand is no deeper than memory', () => {
    const chain = Array.from({ length: 10_000 }, (_, i) => node(`n${i}`, i ? { parentId: `n${i - 1}` } : {}))
    expect(buildRows(chain, none).at(-1)?.depth).toBe(9_999)
  })
})

describe('what a row shows', () => {
  const now = Date.parse(at(30))
  test.each<[Partial<Node>, string, string]>([
    [{ status: 'running', startedMs: now - 134_000 }, 'running', '2:14'],
    [{ status: 'running', marks: ['needsYou'] }, 'waiting', 'needs you'],
    [{ status: 'running', marks: ['failed'], startedMs: now }, 'running', '0:00'],
    [{ status: 'pending', marks: ['queued'] }, 'pending', 'queued'],
    [{ status: 'standby', marks: ['failed'], problem: 'not JSON' }, 'failed', 'damaged'],
    [{ status: 'finished', modifiedMs: now - 86_400_000 }, 'finished', 'yesterday'],
  ])('%o', (more, dot, aside) => {
    expect([dotOf(node('x', more)), asideOf(node('x', more), now)]).toEqual([dot, aside])
  })
  test('a nameless agent is called by its file', () => {
    expect(nameOf({ name: ' ', file: 'a/b c.mtm' })).toBe('b c.mtm')
  })
})

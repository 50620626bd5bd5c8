import { describe, expect, test } from 'vitest'
import { islandsOf, leastPx, pieceAt, piecesOf, putSpan, reachOf, sumOf, visible, type Span } from './lanes'
import { restAfterMs, restEdgeMs, TimeScale } from './scale'

const span = (id: string, startMs: number, endMs: number, more: Partial<Span> = {}): Span => ({
  id,
  agent: 'a',
  path: 'a.mtm',
  cell: 'c',
  index: 0,
  kind: 'model',
  text: '',
  startMs,
  endMs,
  failed: false,
  ...more,
})
const scale = (perMs = 1) => new TimeScale([{ from: 0, to: 1e6 }], perMs)

describe('putSpan', () => {
  test('keeps spans in order of their starts, whatever arrives first', () => {
    const spans: Span[] = []
    for (const s of [span('b', 20, 0), span('a', 10, 20), span('c', 30, 40)]) expect(putSpan(spans, s)).toBe(true)
    expect(spans.map((s) => s.id)).toEqual(['a', 'b', 'c'])
    expect(putSpan(spans, span('b', 20, 30))).toBe(true)
    expect(putSpan(spans, span('b', 20, 30))).toBe(false)
    expect(putSpan(spans, span('b', 50, 60))).toBe(true)
    expect(spans.map((s) => s.id)).toEqual(['a', 'c', 'b'])
  })
  test('a span that ends at its start did not happen', () => {
    const spans = [span('a', 10, 0)]
    expect(putSpan(spans, span('x', 5, 5))).toBe(false)
    expect(putSpan(spans, span('a', 10, 10))).toBe(true)
    expect(spans).toEqual([])
  })
})

describe('islandsOf', () => {
  test('an open span ends now', () => {
    expect(islandsOf([span('a', 0, 10), span('b', 20, 0)], 5000)).toEqual([{ from: 0, to: 5000 }])
    expect(islandsOf([span('a', 9000, 0)], 5000)).toEqual([{ from: 9000, to: 9000 }])
  })
  test('a long wait is shown only at its ends, a long tool in full', () => {
    const to = restAfterMs * 3
    expect(islandsOf([span('a', 0, to, { kind: 'waiting' })], to)).toEqual([
      { from: 0, to: restEdgeMs },
      { from: to - restEdgeMs, to },
    ])
    expect(islandsOf([span('a', 0, restAfterMs, { kind: 'waiting' })], to)).toHaveLength(1)
    expect(islandsOf([span('a', 0, to, { kind: 'tool' })], to)).toHaveLength(1)
    expect(islandsOf([span('a', 0, to, { kind: 'forked' }), span('b', to, to + 5)], to)).toEqual([
      { from: 0, to: restEdgeMs },
      { from: to - restEdgeMs, to: to + 5 },
    ])
  })
})

describe('piecesOf', () => {
  test('distinguishable spans are separate pieces; open ones are drawn elsewhere', () => {
    const pieces = piecesOf([span('a', 0, 10), span('b', 10, 30, { kind: 'tool' }), span('c', 30, 0)], scale())
    expect(pieces).toMatchObject([
      { x: 0, width: 10, first: 0, last: 0 },
      { x: 10, width: 20, kind: 'tool', first: 1, last: 1 },
    ])
  })

  test('a tiny step between two long ones is still visible', () => {
    const pieces = piecesOf([span('a', 0, 1000), span('b', 1000, 1001, { kind: 'tool' }), span('c', 1001, 2000)], scale(0.1))
    expect(pieces).toMatchObject([{ kind: 'model' }, { kind: 'tool', width: leastPx }, { kind: 'model' }])
  })

  test('steps narrower than a pixel are joined, with the kind of the longest; a failure stays visible', () => {
    const spans = Array.from({ length: 1000 }, (_, i) =>
      span(`${i}`, i * 10, i * 10 + (i % 7 === 3 ? 9 : 5), { kind: i % 7 === 3 ? 'tool' : 'model', failed: i === 500 }),
    )
    const pieces = piecesOf(spans, scale(0.01))
    expect(pieces.length).toBeLessThan(60)
    expect(pieces.length).toBeGreaterThan(20)
    expect(pieces.reduce((n, p) => n + p.last - p.first + 1, 0)).toBe(1000)
    expect(pieces.filter((p) => p.failed)).toHaveLength(1)
    expect(pieces.filter((p) => p.kind === 'tool').length).toBeGreaterThan(20)
  })

  test('parallel tools are drawn below each other, at most three', () => {
    const pieces = piecesOf(
      [span('a', 0, 100), span('b', 50, 150), span('c', 60, 200), span('d', 70, 80), span('e', 120, 160), span('f', 300, 310)],
      scale(),
    )
    expect(pieces.map((p) => p.track)).toEqual([0, 1, 2, 2, 0, 0])
    expect(pieces.map((p) => p.tracks)).toEqual([3, 3, 3, 3, 3, 1])
  })

  test('the visible pieces, including a long one that began far before', () => {
    const spans = [span('long', 0, 5000, { kind: 'tool' }), ...Array.from({ length: 50 }, (_, i) => span(`${i}`, 100 * i, 100 * i + 50))]
    const pieces = piecesOf(spans, scale())
    const [from, to] = visible(pieces, reachOf(pieces), 4000, 4200)
    const seen = pieces.slice(from, to).filter((p) => p.x + p.width > 4000)
    expect(seen.map((p) => spans[p.first]!.id).sort()).toEqual(['40', '41', 'long'])
  })

  test('the piece under the pointer: of parallel ones the one at that height', () => {
    const pieces = piecesOf([span('a', 0, 100), span('b', 50, 150), span('c', 400, 401)], scale())
    const reach = reachOf(pieces)
    expect(pieceAt(pieces, reach, 75, 0.2)).toBe(0)
    expect(pieceAt(pieces, reach, 75, 0.8)).toBe(1)
    expect(pieceAt(pieces, reach, 200, 0.5)).toBe(-1)
    expect(pieceAt(pieces, reach, 403, 0.5)).toBe(2)
  })
})

test('sums', () => {
  expect(sumOf([span('a', 0, 10), span('b', 10, 0), span('c', 10, 30, { kind: 'tool' })], 25)).toEqual({ model: 25, tool: 20 })
})

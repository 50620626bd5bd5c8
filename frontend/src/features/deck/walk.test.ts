import { describe, expect, test } from 'vitest'
import { Axis } from './axis.svelte'
import { Lane } from './deck.svelte'
import { hitOf, longestOf } from './hitTest'
import { LaneCursor } from './laneCursor.svelte'
import type { Span } from './lanes'

const s = 1000
const span = (id: string, from: number, to: number): Span => ({
  id,
  agent: 'a',
  path: 'a.mtm',
  cell: 'c',
  index: 0,
  kind: 'model',
  text: id,
  startMs: from,
  endMs: to,
  failed: false,
})
const lane = (name: string, ...spans: Span[]) => new Lane({ agent: name, path: `${name}.mtm`, depth: 0, spans })

describe('the keyboard in the lanes', () => {
  const lanes = [
    lane('a', span('1', 10 * s, 20 * s), span('2', 20 * s, 30 * s)),
    lane('b', span('3', 1 * s, 5 * s), span('4', 18 * s, 0)),
    lane('c'),
    lane('d', span('5', 1 * s, 2 * s)),
  ]
  const walk = (keys: string, page = 2) => {
    const cursor = new LaneCursor(() => lanes)
    for (const key of keys.split(' ')) if (key) cursor.move(key, page)
    return [cursor.row, cursor.span]
  }
  test.each([
    ['', [0, -1]],
    ['ArrowRight', [0, 0]],
    ['ArrowRight ArrowRight ArrowRight', [0, 1]],
    ['ArrowLeft', [0, -1]],
    ['End', [0, 1]],
    ['End Home', [0, -1]],
    ['ArrowUp', [0, -1]],
    ['PageDown PageDown PageDown', [3, -1]],
    ['PageDown ArrowUp', [1, -1]],
    // To the span that runs at that time; if nothing comes after it, to the last one.
    ['End ArrowDown', [1, 1]],
    ['End PageDown', [2, -1]],
    ['ArrowDown ArrowRight ArrowDown ArrowDown', [3, -1]],
    ['PageDown ArrowDown ArrowRight ArrowUp ArrowUp ArrowRight', [1, 0]],
  ])('%s leads to %j', (keys, want) => expect(walk(keys)).toEqual(want))
  test('handles no other keys, and none without lanes', () => {
    expect(new LaneCursor(() => lanes).move('Enter', 1)).toBe(false)
    expect(new LaneCursor(() => []).move('ArrowDown', 1)).toBe(false)
  })
  test('stays on its agent when others are inserted before it', () => {
    let list = lanes.slice(1)
    const cursor = new LaneCursor(() => list)
    cursor.move('End', 1)
    list = lanes
    expect([cursor.lane?.path, cursor.span]).toEqual(['b.mtm', 1])
  })
})

describe('under the pointer', () => {
  const axis = new Axis()
  axis.width = 1000
  const of = (...spans: Span[]) => {
    const one = lane('a', ...spans)
    axis.take(
      [one.islands(100 * s)],
      100 * s,
      spans.some((p) => p.endMs === 0),
    )
    return (atMs: number, share = 0.5) => hitOf(one, axis, axis.scale.x(atMs), share)
  }
  test('is the span at that point, within the height of the bars', () => {
    const at = of(span('1', 0, 40 * s), span('2', 50 * s, 100 * s))
    expect(at(20 * s)).toMatchObject({ first: 0, last: 0 })
    expect(at(70 * s)).toMatchObject({ first: 1, last: 1 })
    expect([at(45 * s), at(20 * s, -0.4), at(20 * s, 1.4)]).toEqual([undefined, undefined, undefined])
  })
  test('open spans are on top', () => {
    const at = of(span('1', 0, 90 * s), span('2', 50 * s, 0))
    expect(at(70 * s)).toEqual({ first: 1, last: 1 })
    expect(at(30 * s)).toMatchObject({ first: 0, last: 0 })
  })
  test('of spans drawn as one the longest is shown', () => {
    const spans = [span('1', 0, 1), span('2', 2, 9), span('3', 10, 12)]
    expect(longestOf(spans, { first: 0, last: 2 }, 100)).toBe(1)
    expect(longestOf([...spans, span('4', 13, 0)], { first: 0, last: 3 }, 100)).toBe(3)
  })
})

import { bench, describe } from 'vitest'
import { arrowsOf } from './links'
import { islandsOf, piecesOf, putSpan, type Span } from './lanes'
import { placeTree } from './graph'
import { joinIslands, ticksOf, TimeScale } from './scale'

/* Twenty agents with five hundred steps each, on a line of a thousand pixels. */

const span = (agent: number, i: number): Span => ({
  id: `${agent}.${i}`,
  agent: `${agent}`,
  path: '',
  cell: '',
  index: i,
  kind: i % 2 ? 'tool' : 'model',
  text: `step ${i}`,
  startMs: agent * 1000 + i * 400,
  endMs: agent * 1000 + i * 400 + 50 + ((i * 37) % 340),
  failed: false,
})
const lanes = Array.from({ length: 20 }, (_, a) => Array.from({ length: 500 }, (_, i) => span(a, i)))
const scale = (perMs: number) => new TimeScale([{ from: 0, to: 220_000 }], perMs)

describe('a layout of all lanes', () => {
  const whole = scale(1000 / 220_000)
  const close = scale(0.2)
  bench('the whole run', () => {
    for (const spans of lanes) piecesOf(spans, whole)
  })
  bench('close', () => {
    for (const spans of lanes) piecesOf(spans, close)
  })
  bench('what is folded', () => {
    joinIslands(lanes.map((spans) => islandsOf(spans, 220_000)))
  })
  bench('ticks', () => {
    ticksOf(close, 20_000, 21_000)
  })
})

describe('one event', () => {
  const whole = scale(1000 / 220_000)
  const spans = [...lanes[3]!]
  let n = 0
  bench('taken in, its lane laid out', () => {
    putSpan(spans, { ...spans[499]!, endMs: spans[499]!.endMs + (++n % 100) })
    piecesOf(spans, whole)
  })
})

describe('five hundred agents', () => {
  const rows = new Map(Array.from({ length: 500 }, (_, i) => [`${i}`, i]))
  const links = Array.from({ length: 499 }, (_, i) => ({ from: `${i >> 2}`, to: `${i + 1}`, atMs: i * 400, kind: 'fork' }))
  bench('links', () => {
    arrowsOf(links, (a) => rows.get(a), scale(0.005), { left: 0, width: 1000, first: 0, last: 25 })
  })
  const nodes = Array.from({ length: 500 }, (_, i) => ({ path: `${i}`, depth: i === 0 ? 0 : 1 + (i % 4) }))
  bench('graph', () => {
    placeTree(nodes)
  })
})

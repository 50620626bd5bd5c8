import { beforeEach, describe, expect, test } from 'vitest'
import { Axis } from './axis.svelte'
import { foldPx } from './scale'

const width = 900
const start = 1_000_000
const minute = 60_000
let axis: Axis
beforeEach(() => {
  axis = new Axis()
  axis.width = width
})
const take = (now: number, live = true) => axis.take([[{ from: start, to: now }]], now, live)

describe('Axis', () => {
  test('shows the whole run, and grows in steps while it is live', () => {
    take(start + 127_000)
    const before = axis.scale
    expect(axis.scale.x(start)).toBe(0)
    expect(axis.nowX).toBeGreaterThan(700)
    // "Now" moves, and nothing needs a new layout.
    axis.tick(start + 128_000)
    expect(axis.scale).toBe(before)
    const { nowX } = axis
    axis.tick(start + 134_000)
    expect(axis.scale).not.toBe(before)
    expect(axis.nowX).toBeLessThan(nowX)
    for (let ms = 134_000; ms < 3_600_000; ms += 1000) {
      axis.tick(start + ms)
      expect(axis.nowX).toBeLessThan(width)
      expect(axis.nowX).toBeGreaterThan(width * 0.6)
    }
  })

  test('starting or ending live mode alone causes no layout', () => {
    take(start + 60_000)
    const before = axis.scale
    take(start + 61_000)
    expect(axis.scale).toBe(before)
  })

  test('zooming in keeps the moment under the pointer', () => {
    take(start + 120_000, false)
    const at = axis.scale.at(300)
    axis.zoom(2, 300)
    expect(axis.scale.at(axis.left + 300)).toBeCloseTo(at, 3)
    axis.zoom(3, 300)
    axis.zoom(0.4, 300)
    expect(axis.scale.at(axis.left + 300)).toBeCloseTo(at, 3)
    axis.zoom(0.001)
    expect([axis.whole, axis.left]).toEqual([true, 0])
    for (let i = 0; i < 40; i++) axis.zoomIn()
    expect(axis.scale.perMs).toBe(0.4)
  })

  test('a zoomed view follows now until the person scrolls away; a button leads back', () => {
    take(start + 120_000)
    axis.zoom(8)
    expect(axis.following).toBe(true)
    for (let ms = 120_000; ms < 180_000; ms += 500) axis.tick(start + ms)
    expect(axis.nowX - axis.left).toBeCloseTo(width * 0.84, 0)
    axis.pan(-1e9)
    const { left } = axis
    expect([axis.following, left]).toEqual([false, 0])
    axis.tick(start + 190_000)
    take(start + 191_000)
    expect(axis.left).toBe(left)
    axis.follow()
    expect(axis.following).toBe(true)
    expect(axis.nowX - axis.left).toBeCloseTo(width * 0.84, 0)
  })

  test('scrolling to the live end follows again', () => {
    take(start + 120_000)
    axis.zoom(8)
    axis.pan(-1e9)
    expect(axis.following).toBe(false)
    axis.pan(1e9)
    expect(axis.following).toBe(true)
    expect(axis.left).toBeLessThanOrEqual(axis.length - width + 1)
  })

  test('another width keeps the zoom', () => {
    take(start + 120_000, false)
    axis.zoom(4, 300)
    const { perMs } = axis.scale
    axis.width = 500
    expect(axis.scale.perMs).toBe(perMs)
    axis.fit()
    expect(axis.scale.x(start + 120_000)).toBeLessThanOrEqual(500)
  })

  test('the view stays in place when something before it is folded', () => {
    const later = start + 60 * minute
    axis.take([[{ from: start, to: start + minute }], [{ from: later, to: later + minute }]], later + minute, false)
    axis.zoom(6, 700)
    const at = axis.scale.at(axis.left)
    axis.take([[{ from: start - minute, to: start + minute }], [{ from: later, to: later + minute }]], later + minute, false)
    expect(axis.scale.at(axis.left)).toBeCloseTo(at, 3)
  })

  test('folds leave room for work', () => {
    const runs = Array.from({ length: 60 }, (_, i) => [{ from: start + i * 10 * minute, to: start + i * 10 * minute + 1000 }])
    axis.take(runs, start + 1e7, false)
    expect(axis.scale.perMs).toBeGreaterThan(0)
    expect(axis.scale.end).toBeGreaterThan(59 * foldPx)
  })

  test('while only long waits are open, now does not move', () => {
    axis.take(
      [
        [
          { from: start, to: start + 20_000 },
          { from: start + 40 * minute, to: start + 40 * minute + 20_000 },
        ],
      ],
      start + 40 * minute + 20_000,
      true,
      true,
    )
    const { nowX } = axis
    axis.tick(start + 50 * minute)
    expect(axis.nowX).toBe(nowX)
  })

  test('an agent that never ran', () => {
    axis.take([[]], start, false)
    expect([axis.scale.x(start), axis.live, axis.length]).toEqual([0, false, width])
    axis.zoomIn()
    expect(axis.whole).toBe(true)
  })

  test('reveal scrolls to a span, and does not move if it is in view', () => {
    take(start + 120_000, false)
    axis.zoom(10, 0)
    axis.reveal(8000, 20)
    expect(axis.left).toBeGreaterThan(7000)
    const { left } = axis
    axis.reveal(left + 100, 20)
    expect(axis.left).toBe(left)
  })
})

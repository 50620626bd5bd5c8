import { describe, expect, test } from 'vitest'
import { addIsland, foldAfterMs, foldPx, joinIslands, stepFor, ticksOf, TimeScale, wholeMs } from './scale'

const minute = 60_000
const hour = 60 * minute

describe('folding', () => {
  test('only gaps longer than the limit are folded', () => {
    const islands: { from: number; to: number }[] = []
    for (const [from, to] of [
      [0, 1000],
      [500, 800],
      [1000 + foldAfterMs, 2000 + foldAfterMs],
      [hour, hour + 5],
    ] as const)
      addIsland(islands, from, to)
    expect(islands).toEqual([
      { from: 0, to: 2000 + foldAfterMs },
      { from: hour, to: hour + 5 },
    ])
  })

  test('the gaps of one lane are filled by the work of another', () => {
    const night = [
      { from: 0, to: minute },
      { from: 20 * hour, to: 20 * hour + minute },
    ]
    expect(joinIslands([night, [{ from: 30_000, to: 3 * minute }]])).toEqual([{ from: 0, to: 3 * minute }, night[1]])
    expect(joinIslands([night, [{ from: 0, to: 21 * hour }]])).toHaveLength(1)
    expect(joinIslands([])).toEqual([])
  })
})

describe('TimeScale', () => {
  const scale = new TimeScale(
    [
      { from: 1000, to: 11_000 },
      { from: 11_000 + hour, to: 31_000 + hour },
    ],
    0.01,
  )

  test('a fold has the same width at every zoom', () => {
    expect(scale.x(1000)).toBe(0)
    expect(scale.x(11_000)).toBe(100)
    expect(scale.x(11_000 + hour / 2)).toBe(100 + foldPx / 2)
    expect(scale.x(11_000 + hour)).toBe(100 + foldPx)
    expect(scale.end).toBe(300 + foldPx)
    expect(new TimeScale(scale.islands, 1).x(11_000 + hour)).toBe(10_000 + foldPx)
  })

  test('a moment is found at its position, even before and after everything', () => {
    for (const ms of [-5000, 0, 1000, 4321, 11_000, 11_000 + hour / 3, 11_000 + hour, 20_000 + hour, 90_000 + hour])
      expect(scale.at(scale.x(ms))).toBeCloseTo(ms, 3)
  })

  test('visible folds', () => {
    expect(scale.folds(0, 1000)).toEqual([{ x: 100, ms: hour, from: 11_000, to: 11_000 + hour }])
    expect(scale.folds(0, 99)).toEqual([])
    expect(scale.folds(100 + foldPx + 1, 1000)).toEqual([])
  })

  test('without any work everything is at the beginning', () => {
    const none = new TimeScale([], 1)
    expect([none.x(5), none.at(5), none.end, none.folds(0, 10)]).toEqual([0, 0, 0, []])
  })
})

describe('ticks', () => {
  const one = (length: number, perMs: number) => new TimeScale([{ from: 7000, to: 7000 + length }], perMs)
  const labels = (scale: TimeScale, from: number, to: number) => ticksOf(scale, from, to).map((t) => t.label)

  test('they count from the beginning in round steps', () => {
    expect(labels(one(150_000, 0.006), 0, 900)).toEqual([
      '0:00',
      '0:15',
      '0:30',
      '0:45',
      '1:00',
      '1:15',
      '1:30',
      '1:45',
      '2:00',
      '2:15',
      '2:30',
    ])
    expect(labels(one(3 * hour, 0.0001), 0, 1080)).toEqual([
      '0:00',
      '15:00',
      '30:00',
      '45:00',
      '1:00:00',
      '1:15:00',
      '1:30:00',
      '1:45:00',
      '2:00:00',
      '2:15:00',
      '2:30:00',
      '2:45:00',
      '3:00:00',
    ])
    expect(labels(one(10_000, 0.1), 200, 500)).toEqual(['0:02', '0:03', '0:04', '0:05'].slice(0, 4))
  })

  test('they never overlap', () => {
    for (const perMs of [0.4, 0.09, 0.01, 1e-3, 1e-4, 1e-5, 1e-7]) {
      const ticks = ticksOf(one(1000 * hour, perMs), 0, 1200)
      expect(ticks.length).toBeGreaterThan(0)
      for (let i = 1; i < ticks.length; i++) expect(ticks[i]!.x - ticks[i - 1]!.x).toBeGreaterThan(83)
    }
  })

  test('far along a long line only the visible ones are made', () => {
    const ticks = ticksOf(one(100 * hour, 0.4), 100_000_000, 100_001_000)
    expect(ticks.length).toBeLessThan(8)
    expect(ticks[0]!.x).toBeGreaterThan(99_999_000)
  })

  test('after a fold they show the time of day, and the date if it changed', () => {
    const start = new Date(2026, 10, 20, 17, 59, 30).getTime()
    const next = new Date(2026, 10, 21, 9, 0, 10).getTime()
    const scale = new TimeScale(
      [
        { from: start, to: start + 5 * minute },
        { from: next, to: next + 5 * minute },
      ],
      0.002,
    )
    expect(labels(scale, 0, scale.end)).toEqual([
      '20 Nov 18:00',
      '18:01',
      '18:02',
      '18:03',
      '18:04',
      '21 Nov 09:01',
      '09:02',
      '09:03',
      '09:04',
      '09:05',
    ])
  })

  test('none is where a fold shows its duration', () => {
    const start = new Date(2026, 10, 20, 17, 59, 7).getTime()
    const scale = new TimeScale(
      [
        { from: start, to: start + 55_000 },
        { from: start + 5 * hour, to: start + 6 * hour },
      ],
      0.0001,
    )
    expect(
      ticksOf(scale, 0, 400)
        .map((t) => t.x)
        .every((x) => x > scale.x(start + 5 * hour)),
    ).toBe(true)
  })

  test('steps', () => {
    expect(stepFor(0.4, 84)).toBe(1000)
    expect(stepFor(84 / 20_000, 84)).toBe(30_000)
    expect(stepFor(1e-12, 84)).toBe(30 * 24 * hour)
  })
})

test('the whole run ends at a tick, and a live one has room before it', () => {
  expect(wholeMs(127_000, 900, false)).toBe(135_000)
  expect(wholeMs(134_000, 900, true)).toBe(150_000)
  expect(wholeMs(0, 900, true)).toBe(10_000)
  for (let ms = 1000; ms < 3 * hour; ms *= 1.7) expect(wholeMs(ms, 900, true)).toBeGreaterThan(ms)
})

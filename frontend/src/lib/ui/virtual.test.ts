import { describe, expect, it } from 'vitest'
import { HeightMap, keepEqual } from './virtual'

/** A small seeded random source, so that a failure can be reproduced. */
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

describe('HeightMap', () => {
  it('agrees with plain sums after any changes', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const rnd = random(seed)
      const map = new HeightMap()
      let keys = Array.from({ length: Math.floor(rnd() * 60) }, (_, i) => `k${i}`)
      const heights = new Map<string, number>()
      const guess = (i: number) => 20 + (i % 7) * 5
      const setRows = () => {
        map.setRows(keys, guess)
        keys.forEach((k, i) => {
          if (!heights.has(k)) heights.set(k, guess(i))
        })
      }
      // Rows with estimated heights get a new estimate with their new index, so measure all of them.
      setRows()
      for (const k of keys) {
        const h = rnd() * 300
        heights.set(k, h)
        map.measure(k, h)
      }
      for (let step = 0; step < 60; step++) {
        if (rnd() < 0.5 && keys.length > 0) {
          const k = keys[Math.floor(rnd() * keys.length)]!
          const h = rnd() * 500
          heights.set(k, h)
          map.measure(k, h)
        } else {
          const at = Math.floor(rnd() * (keys.length + 1))
          const added = Array.from({ length: Math.floor(rnd() * 4) }, (_, i) => `s${seed}-${step}-${i}`)
          keys = [...keys.slice(0, at), ...added, ...keys.slice(at + Math.floor(rnd() * 3))]
          map.setRows(keys, guess)
          for (const k of added) {
            const h = rnd() * 300
            heights.set(k, h)
            map.measure(k, h)
          }
        }
        let sum = 0
        keys.forEach((k, i) => {
          // A call of expect takes longer than the check itself, so call it only on a failure.
          if (!(Math.abs(map.offset(i) - sum) < 5e-7)) expect(map.offset(i)).toBeCloseTo(sum, 6)
          const h = heights.get(k)!
          if (h > 0.001 && map.at(sum + h / 2) !== i) expect(map.at(sum + h / 2)).toBe(i)
          sum += h
        })
        expect(map.total).toBeCloseTo(sum, 6)
      }
    }
  })

  it('keeps the anchor in place on the screen, whatever changes above or below', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const rnd = random(seed * 977)
      const map = new HeightMap()
      let keys = Array.from({ length: 30 + Math.floor(rnd() * 100) }, (_, i) => `k${i}`)
      map.setRows(keys, () => 80)
      let scrollTop = rnd() * map.total
      for (let step = 0; step < 50; step++) {
        const anchor = map.anchorAt(scrollTop)!
        const onScreen = map.offset(map.indexOf(anchor.key)) - scrollTop
        if (rnd() < 0.6) {
          // A row that is not cut by the top edge is measured, or grows while text streams in.
          const k = keys[Math.floor(rnd() * keys.length)]!
          map.measure(k, rnd() * 900)
        } else {
          const at = Math.floor(rnd() * keys.length)
          const removed = keys.slice(at, at + Math.floor(rnd() * 3)).filter((k) => k !== anchor.key)
          const added = Array.from({ length: Math.floor(rnd() * 4) }, (_, i) => `s${step}-${i}`)
          keys = [...keys.slice(0, at), ...added, ...keys.slice(at)].filter((k) => !removed.includes(k))
          map.setRows(keys, () => 80)
        }
        const next = map.scrollFor(anchor)
        expect(next).toBeDefined()
        scrollTop = next!
        expect(map.offset(map.indexOf(anchor.key)) - scrollTop).toBeCloseTo(onScreen, 6)
      }
    }
  })

  it('handles an empty list and points outside', () => {
    const map = new HeightMap()
    expect(map.total).toBe(0)
    expect(map.range(0, 500)).toEqual([0, -1])
    expect(map.anchorAt(10)).toBeUndefined()
    map.setRows(['a', 'b', 'c'], () => 10)
    expect(map.at(-5)).toBe(0)
    expect(map.at(0)).toBe(0)
    expect(map.at(10)).toBe(1)
    expect(map.at(29.9)).toBe(2)
    expect(map.at(4000)).toBe(2)
    expect(map.scrollFor({ key: 'gone', into: 0 })).toBeUndefined()
  })

  it('returns the rows of a range plus those that are always drawn, in order and once', () => {
    const map = new HeightMap()
    map.setRows(['a', 'b', 'c', 'd', 'e'], () => 10)
    expect(map.spread(15, 25, ['e', 'a', 'b', 'gone'])).toEqual([0, 1, 2, 4])
    map.setRows([], () => 10)
    expect(map.spread(0, 500, ['a'])).toEqual([])
  })

  it('keeps measured heights of rows that leave and come back, until forget', () => {
    const map = new HeightMap()
    map.setRows(['a', 'b'], () => 10)
    map.measure('a', 55)
    map.setRows(['b'], () => 10)
    map.setRows(['a', 'b'], () => 10)
    expect(map.offset(1)).toBe(55)
    map.forget()
    map.setRows(['a', 'b'], () => 10)
    expect(map.offset(1)).toBe(10)
  })
})

it('a row that stays drawn for two reasons is drawn once', () => {
  const map = new HeightMap()
  map.setRows(['a', 'b', 'c', 'd'], () => 100)
  expect(map.spread(0, 150, ['d', 'd', 'a'])).toEqual([0, 1, 3])
})

it('keeps the rows that did not change', () => {
  const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
  const rows = [
    { item: a, index: 0 },
    { item: b, index: 1 },
  ]
  const copies = rows.map((row) => ({ ...row }))
  expect(keepEqual(rows, copies)).toBe(rows)
  expect(keepEqual(rows, copies.slice(0, 1))).toEqual(rows.slice(0, 1))
  expect(keepEqual(rows, [...copies, { item: c, index: 2 }])[1]).toBe(rows[1])
  for (const changed of [{ item: c }, { index: 2 }]) {
    const now = [copies[0]!, { ...copies[1]!, ...changed }]
    const kept = keepEqual(rows, now)
    expect(kept[0]).toBe(rows[0])
    expect(kept[1]).toBe(now[1])
  }
})

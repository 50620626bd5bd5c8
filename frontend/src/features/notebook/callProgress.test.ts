import { expect, test } from 'vitest'
import { countOf, shareOf } from './callProgress'

test.each([
  [{ done: 3, total: 10 }, 0.3, '3 of 10 done'],
  [{ done: 12, total: 10 }, 1, '12 of 10 done'],
  [{ done: 0.5, total: 1 }, 0.5, '50 %'],
  [{ done: 1.25, total: 5 }, 0.25, '1.3 of 5 done'],
  [{ done: 1e9, total: 4e9 }, 0.25, '25 %'],
  [{ done: 7, total: 0 }, undefined, '7'],
  [{ done: 0, total: 0 }, undefined, ''],
  [{ done: -1, total: 10 }, undefined, ''],
  [{ done: 1e300, total: 0 }, undefined, ''],
])('%o', (progress, share, count) => {
  expect(shareOf(progress)).toBe(share)
  expect(countOf(progress)).toBe(count)
})

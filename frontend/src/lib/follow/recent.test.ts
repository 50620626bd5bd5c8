import { expect, test } from 'vitest'
import { Recent } from './recent'

test('the last few are kept, including those set again', () => {
  const recent = new Recent<number>(2)
  recent.set('a', 1)
  recent.set('b', 2)
  recent.set('a', 3)
  recent.set('c', 4)
  expect(['a', 'b', 'c'].map((k) => recent.get(k))).toEqual([3, undefined, 4])
})

import { expect, test } from 'vitest'
import { amountProblem, dollarsOf } from './budget'

test.each([
  ['', 0],
  ['2', 2],
  ['$2.50', 2.5],
  [' $ 1,200 ', 1200],
  ['.5', 0.5],
  ['0', 0],
  ['1,000,000', 1e6],
  ['abc', undefined],
  ['-1', undefined],
  ['1e6', undefined],
  ['2,5', undefined],
  ['1.2.3', undefined],
  ['NaN', undefined],
])('%j is %j dollars', (text, dollars) => {
  expect(dollarsOf(text)).toBe(dollars)
  expect(amountProblem(text) === '').toBe(dollars !== undefined)
})

test('an amount above the limit is refused while it is typed', () => expect(amountProblem('1000001')).not.toBe(''))

// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { arrived, topAgain } from './readingPosition'

test('a block of unchanged height returns to its place, up to fractions of a pixel', () => {
  expect(topAgain({ top: -284.3, height: 31.48 }, 31)).toBe(-284.3)
  expect(topAgain({ top: 12.5, height: 31.48 }, 90)).toBe(12.5)
})

test('of a block whose lines break differently the same share is above the edge', () => {
  expect(topAgain({ top: -50, height: 100 }, 200)).toBe(-100)
  expect(topAgain({ top: -50, height: 0 }, 200)).toBe(-50)
})

test('a block is sought until its pictures have loaded', () => {
  const block = document.createElement('p')
  block.innerHTML = '<img alt="">'
  const img = block.querySelector('img')!
  let complete = false
  Object.defineProperty(img, 'complete', { get: () => complete })
  expect([arrived(block), arrived(img)]).toEqual([false, false])
  complete = true
  expect([arrived(block), arrived(img)]).toEqual([true, true])
  block.replaceChildren('no picture')
  expect(arrived(block)).toBe(true)
})

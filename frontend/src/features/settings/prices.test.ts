import { expect, test } from 'vitest'
import type { settings } from '$lib/backend/backend'
import { priceOf, priceProblem, pricesInShort, priceText } from './prices'

test.each([
  ['', 0],
  ['1.25', 1.25],
  ['$10', 10],
  ['.05', 0.05],
  ['free', undefined],
  ['-1', undefined],
  ['1,5', undefined],
  ['Infinity', undefined],
])('%j is %j', (text, price) => {
  expect(priceOf(text)).toBe(price)
  expect(priceProblem(text) === '').toBe(price !== undefined)
})

test('an implausible price is refused', () => expect(priceProblem('1000001')).not.toBe(''))

test('the short form marks guesses and names unknown prices', () => {
  const model = (over: Partial<settings.ModelView>): settings.ModelView => ({
    id: 'm',
    contextTokens: 0,
    images: false,
    documents: false,
    tools: true,
    reasoning: false,
    inputPrice: 0,
    cachedPrice: 0,
    outputPrice: 0,
    guessed: false,
    ...over,
  })
  expect(pricesInShort(model({}))).toBe('no price')
  expect(pricesInShort(model({ inputPrice: 1.25, outputPrice: 10, guessed: true }))).toBe('~$1.25 · $10')
  expect(pricesInShort(model({ inputPrice: 2 }))).toBe('$2 · ?')
  expect([priceText(0), priceText(0.075)]).toEqual(['', '0.075'])
})

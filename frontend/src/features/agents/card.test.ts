import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CardState } from './card.svelte'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const rest = () => vi.advanceTimersByTime(600)

test('appears when the pointer moves to a row and rests; another row waits as well', () => {
  const card = new CardState()
  card.over('a', 1, 1)
  card.over('a', 1, 1) // it enters, and moves, at one place
  expect(card.file).toBe('')
  rest()
  expect(card.file).toBe('a')
  card.over('a', 2, 1)
  expect(card.file).toBe('a')
  card.over('b', 2, 9)
  expect(card.file).toBe('')
  rest()
  expect(card.file).toBe('b')
  card.out()
  rest()
  expect(card.file).toBe('')
})

test('a row that moves under a resting pointer shows no card, and closes an open one', () => {
  const card = new CardState()
  card.over('a', 1, 1)
  rest()
  card.over('b', 1, 1)
  expect(card.file).toBe('')
  rest()
  expect(card.file).toBe('')
  card.over('b', 1, 2)
  card.over('c', 1, 2) // the list moves before the card appears
  rest()
  expect(card.file).toBe('')
})

test('a card hidden before it appears does not appear; a requested one appears at once', () => {
  const card = new CardState()
  card.over('a', 1, 1)
  card.hide()
  rest()
  expect(card.file).toBe('')
  card.ask('a')
  expect(card.file).toBe('a')
  card.ask('b')
  expect(card.file).toBe('b')
})

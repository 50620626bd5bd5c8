import { expect, test } from 'vitest'
import { startOf, topOf } from './startPosition'

const prompt = { role: 'user', hasAnswer: false }
const asked = { role: 'user', hasAnswer: true }
const note = { role: 'assistant', hasAnswer: true }

test.each([
  ['an empty notebook', [], -1],
  ['one prompt', [prompt], 0],
  ['prompts of which none has run, below a text', [note, prompt, prompt, prompt], 1],
  ['prompts of which one has run', [asked, prompt, prompt], 2],
  ['all have run', [asked, asked], 1],
  ['a text alone', [note], 0],
])('%s', (_, cells, at) => {
  const each = cells.map((cell, i) => ({ ...cell, id: String(i) }))
  expect(startOf(each)).toBe(each[at])
})

test('a notebook in which nothing has run starts at its top, any other at its end', () => {
  const named = (cells: { role: string; hasAnswer: boolean }[]) => cells.map((cell, i) => ({ ...cell, id: `c${i}` }))
  expect(topOf(named([note, prompt, prompt]))?.key).toBe('c0')
  expect(topOf(named([asked, prompt, prompt]))).toBeUndefined()
  expect(topOf(named([prompt]))).toBeUndefined()
  expect(topOf([])).toBeUndefined()
})

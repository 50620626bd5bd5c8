import { expect, test } from 'vitest'
import { align, type Sought } from './align'

/** The matches of an expression in a source, as the backend reports them. */
const matchesIn = (source: string, of: RegExp): Sought[] =>
  [...source.matchAll(of)].map((m) => ({
    text: m[0],
    before: source.slice(Math.max(0, m.index - 24), m.index),
    after: source.slice(m.index + m[0].length, m.index + m[0].length + 24),
  }))

const shownAt = (source: string, shown: string, of: RegExp) =>
  align(shown, matchesIn(source, of)).map((place) => place && `${place[0]}:${shown.slice(...place)}`)

test('matches in plain text keep their positions', () => {
  expect(shownAt('a budget, the budget', 'a budget, the budget', /budget/g)).toEqual(['2:budget', '14:budget'])
})

test('Markdown markup and white space do not count', () => {
  expect(shownAt('**The**\n`budget`   *holds*', 'The budget holds', /The\*\*\n`budget/g)).toEqual(['0:The budget'])
})

test('a hidden match has no position, and does not take that of another', () => {
  const source = 'See [the plan](https://example.org/plan/of/plans) for this plan.'
  expect(shownAt(source, 'See the plan for this plan.', /plan\b/g)).toEqual(['8:plan', undefined, '22:plan'])
})

test('a hidden address in a text with the same word later', () => {
  const source = '![plan](a/plan/of/b.png) and then much other text, with a plan at last'
  expect(shownAt(source, 'and then much other text, with a plan at last', /plan/g)).toEqual([undefined, undefined, '33:plan'])
})

test('text without letters around it is found on its own', () => {
  expect(shownAt('-> ->', '-> ->', /->/g)).toEqual(['0:->', '3:->'])
})

test('characters of two units stay whole', () => {
  expect(shownAt('😀 x 😀', '😀 x 😀', /😀/gu)).toEqual(['0:😀', '5:😀'])
})

test('a lone markup character is not searched', () => {
  expect(shownAt('a * b', 'a * b', /\*/g)).toEqual([undefined])
})

test('ten thousand matches in a long text', () => {
  const source = 'one word and another. '.repeat(10_000)
  const places = align(source, matchesIn(source, /word/g))
  expect(places.every((place, i) => place![0] === i * 22 + 4)).toBe(true)
})

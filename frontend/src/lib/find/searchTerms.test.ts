import { expect, test } from 'vitest'
import { BadExpression, maxMatches, searchLines, type SearchTerms } from './searchTerms'

const lines = ['Go gO ago', 'a.b a+b', '单元测试通过', '', 'go_on (go) go2']
const found = (text: string, more: Partial<SearchTerms> = {}, of = lines) =>
  searchLines({ text, matchCase: false, word: false, regexp: false, ...more }, of.length, (n) => of[n]!).map(
    ({ line, from, to }) => `${line}:${from} ${of[line]!.slice(from, to)}`,
  )

test('in any case, or in the given one', () => {
  expect(found('go')).toEqual(['0:0 Go', '0:3 gO', '0:7 go', '4:0 go', '4:7 go', '4:11 go'])
  expect(found('go', { matchCase: true })).toEqual(['0:7 go', '4:0 go', '4:7 go', '4:11 go'])
})

test('whole words, and scripts without spaces', () => {
  expect(found('go', { word: true })).toEqual(['0:0 Go', '0:3 gO', '4:7 go'])
  expect(found('测试', { word: true })).toEqual(['2:2 测试'])
})

test('punctuation is literal unless the text is an expression', () => {
  expect(found('a.b')).toEqual(['1:0 a.b'])
  expect(found('a.b', { regexp: true })).toEqual(['1:0 a.b', '1:4 a+b'])
  expect(found('^g', { regexp: true })).toEqual(['0:0 G', '4:0 g'])
})

test('empty terms and empty matches do not match', () => {
  expect(found('')).toEqual([])
  expect(found('x*', { regexp: true })).toEqual([])
})

test('an invalid expression is a problem in our own words', () => {
  expect(() => found('(', { regexp: true })).toThrow(BadExpression)
  expect(() => found('(', { regexp: true })).toThrow(/^Could not read the regular expression\. Check /)
})

test('it stops after ten thousand', () => {
  expect(found('a', {}, ['a'.repeat(maxMatches + 5)]).length).toBe(maxMatches)
})

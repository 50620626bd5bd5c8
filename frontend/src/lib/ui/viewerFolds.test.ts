import { expect, test } from 'vitest'
import { foldEnds } from './viewerFolds'

/** The lines that can be folded, each with the last line of its fold. */
const folds = (text: string) => foldEnds(text.split('\n')).flatMap((end, line) => (end ? [`${line}-${end}`] : []))

test.each([
  ['', []],
  ['one\ntwo', []],
  ['func a() {\n\tif b {\n\t\tc()\n\t}\n}\n', ['1-4', '2-3']],
  ['a:\n  b: 1\n\n  c: 2\n\nd: 3', ['1-4']],
  ['  deep\nout\n    in', ['2-3']],
  ['a\n\tb\n    c\n     d', ['1-4', '3-4']],
  ['{\n "中": [\n  1\n ]\n}', ['1-4', '2-3']],
])('%j', (text, want) => expect(folds(text)).toEqual(want))

test('a text of very many lines is processed once', () => {
  const deep = Array.from({ length: 50_000 }, (_, i) => ' '.repeat(i % 60) + 'x')
  expect(foldEnds(deep)[1]).toBe(60)
})

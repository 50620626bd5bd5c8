import { expect, test } from 'vitest'
import { rowsOf } from './diff'
import { changedWords, markPieces, partnersOf } from './diffWords'

/** The line with its changed parts in brackets. */
function shown(before: string, after: string): string[] {
  const spans = changedWords(before, after)
  if (!spans) return []
  const bracket = (text: string, list: { from: number; to: number }[]) =>
    markPieces([{ text, kind: '' }], list)
      .map((p) => (p.changed ? `[${p.text}]` : p.text))
      .join('')
  return [bracket(before, spans.before), bracket(after, spans.after)]
}

test.each([
  ['let a = 1', 'let a = 2', ['let a = [1]', 'let a = [2]']],
  ['ttl: time.Second', 'ttl: time.Second * 5', ['ttl: time.Second', 'ttl: time.Second[ * 5]']],
  ['call(one, two)', 'call(two)', ['call([one, ]two)', 'call(two)']],
  ['春天的花园很美', '秋天的花园很美', ['[春]天的花园很美', '[秋]天的花园很美']],
  ['return old_name(x)', 'return new_name(x)', ['return [old_name](x)', 'return [new_name](x)']],
  ['one two three four', 'one 2 3 four', ['one [two three] four', 'one [2 3] four']],
  [
    'line 20 of the file',
    'line 20 of the file, which goes on and on, so that much more of it is new than was there',
    ['line 20 of the file', 'line 20 of the file[, which goes on and on, so that much more of it is new than was there]'],
  ],
  ['same', 'same', ['same', 'same']],
  ['nothing in common', 'zzz', []],
  ['', 'all of it came', []],
])('%s -> %s', (before, after, want) => expect(shown(before, after)).toEqual(want))

test('a line of very many words is not split', () => {
  expect(changedWords('a '.repeat(400), 'a '.repeat(401))).toBeUndefined()
})

test('a mark can span colours of the language', () => {
  const pieces = [
    { text: 'let ', kind: 'hljs-keyword' },
    { text: 'name = 1', kind: '' },
  ]
  expect(markPieces(pieces, [{ from: 2, to: 6 }])).toEqual([
    { text: 'le', kind: 'hljs-keyword', changed: false },
    { text: 't ', kind: 'hljs-keyword', changed: true },
    { text: 'na', kind: '', changed: true },
    { text: 'me = 1', kind: '', changed: false },
  ])
})

test('a removed line and its replacement belong together', () => {
  const rows = rowsOf([
    { op: ' ', text: 'x' },
    { op: '-', text: 'a' },
    { op: '-', text: 'b' },
    { op: '+', text: 'A' },
    { op: ' ', text: 'y' },
    { op: '+', text: 'new' },
  ])
  const partners = partnersOf(rows)
  expect([partners.get(rows[1]!)?.text, partners.get(rows[3]!)?.text, partners.get(rows[2]!), partners.get(rows[5]!)]).toEqual([
    'A',
    'a',
    undefined,
    undefined,
  ])
})

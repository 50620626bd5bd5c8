import { describe, expect, test } from 'vitest'
import { languageName, piecesOf, rowsOf, sideBySide, unifiedLines, type DiffLine } from './diff'

const short = (lines: readonly DiffLine[]) => lines.map((l) => (l.op === '@' ? l.text : l.op + l.text))

test('a unified difference without headers is parsed, even if a final newline is missing', () => {
  expect(short(unifiedLines('@@ -1,2 +1,2 @@ func a\n b\n-@@ x\n+\\ y\n\\ No newline at end of file\n'))).toEqual([
    '@@ -1,2 +1,2 @@ func a',
    ' b',
    '-@@ x',
    '+\\ y',
  ])
  expect(unifiedLines('')).toEqual([])
})

describe('rows', () => {
  const lines: DiffLine[] = [
    { op: '@', text: '@@ -61,3 +61,4 @@' },
    { op: ' ', text: 'a' },
    { op: '-', text: 'b' },
    { op: '+', text: 'B' },
    { op: '+', text: 'C' },
    { op: ' ', text: 'd' },
  ]

  test('have their numbers before and after', () => {
    expect(rowsOf(lines).map((r) => [r.op, r.old, r.new])).toEqual([
      ['@', 0, 0],
      [' ', 61, 61],
      ['-', 62, 0],
      ['+', 0, 62],
      ['+', 0, 63],
      [' ', 63, 64],
    ])
  })

  test('a hunk at the beginning of a file has no gap before it', () => {
    expect(
      rowsOf([
        { op: '@', text: '@@ -0,0 +1,1 @@' },
        { op: '+', text: 'a' },
      ]).map((r) => [r.op, r.new]),
    ).toEqual([['+', 1]])
    expect(
      rowsOf([
        { op: '@', text: '@@ -1 +1 @@' },
        { op: '-', text: 'a' },
        { op: '+', text: 'b' },
      ]).map((r) => [r.op, r.old, r.new]),
    ).toEqual([
      ['-', 1, 0],
      ['+', 0, 1],
    ])
  })

  test('are beside the lines that replaced them', () => {
    expect(sideBySide(rowsOf(lines)).map((s) => [s.left?.text, s.right?.text])).toEqual([
      ['', ''],
      ['a', 'a'],
      ['b', 'B'],
      [undefined, 'C'],
      ['d', 'd'],
    ])
  })
})

describe('piecesOf', () => {
  test('a piece over several lines keeps its colour on each, and entities are decoded', () => {
    expect(piecesOf('x <span class="hljs-comment">/* a\nb &lt;i&gt; */</span>&amp;')).toEqual([
      [
        { text: 'x ', kind: '' },
        { text: '/* a', kind: 'hljs-comment' },
      ],
      [
        { text: 'b <i> */', kind: 'hljs-comment' },
        { text: '&', kind: '' },
      ],
    ])
  })

  test('doubly escaped text is unescaped once', () => expect(piecesOf('&amp;lt;b&gt;')).toEqual([[{ text: '&lt;b>', kind: '' }]]))
})

test.each([
  ['a/b.go', 'go'],
  ['Makefile', 'makefile'],
  ['x.test.TS', 'ts'],
  ['.github/workflows/a.yml', 'yml'],
])('%s is written in %s', (path, name) => expect(languageName(path)).toBe(name))

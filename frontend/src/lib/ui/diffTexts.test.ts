import { describe, expect, test } from 'vitest'
import { statOf, type DiffLine } from './diff'
import { diffTexts } from './diffTexts'

const short = (lines: readonly DiffLine[]) => lines.map((l) => (l.op === '@' ? l.text : l.op + l.text))
const many = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('')

/** Builds one of the texts from the other one and a difference without gaps. */
function patched(lines: readonly DiffLine[], op: '+' | '-'): string {
  return lines
    .filter((l) => l.op === ' ' || l.op === op)
    .map((l) => l.text + '\n')
    .join('')
}

describe('diffTexts', () => {
  test('a changed line is shown with the lines around it', () => {
    expect(short(diffTexts(many(1, 9), many(1, 9).replace('5\n', 'five\n')))).toEqual([
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
    ])
  })

  test('distant changes are separate hunks', () => {
    const lines = diffTexts(many(1, 30), many(1, 30).replace('3\n', '').replace('25\n', '25\nnew\n'))
    expect(lines.filter((l) => l.op === '@').map((l) => l.text)).toEqual(['@@ -1,6 +1,5 @@', '@@ -23,6 +22,7 @@'])
    expect(statOf(lines)).toEqual({ added: 1, removed: 1 })
  })

  test.each([
    ['', ''],
    ['a\n', 'a\n'],
    ['a', 'a\n'],
  ])('%j and %j are alike', (a, b) => expect(diffTexts(a, b)).toEqual([]))

  test('a new file is a single hunk', () => {
    expect(short(diffTexts('', 'a\nb\n'))).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b'])
    expect(short(diffTexts('a\n', ''))).toEqual(['@@ -1,1 +0,0 @@', '-a'])
  })

  test('the fewest lines are removed and added, whatever the texts', () => {
    let seed = 7
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n
    for (let round = 0; round < 300; round++) {
      const text = () => Array.from({ length: random(9) }, () => `${'abc'[random(3)]}\n`).join('')
      const [a, b] = [text(), text()]
      const lines = diffTexts(a, b)
      // With at most eight lines everything is in one hunk, or left out as equal.
      const kept = lines.filter((l) => l.op !== '@')
      const { added, removed } = statOf(lines)
      expect(added - removed).toBe(b.length / 2 - a.length / 2)
      expect(added + removed).toBe(distance(a.split('\n'), b.split('\n')))
      expect(a).toContain(patched(kept, '-').slice(0, -1))
      expect(b).toContain(patched(kept, '+').slice(0, -1))
    }
  })

  test('two large texts with nothing in common are handled fast, as removed and added', () => {
    const lines = diffTexts(many(1, 20_000), many(30_001, 50_000))
    expect(statOf(lines)).toEqual({ added: 20_000, removed: 20_000 })
  })
})

/** The least number of removed and added lines, by the longest common subsequence. */
function distance(a: string[], b: string[]): number {
  const lcs = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lcs[i]![j] = a[i] === b[j] ? 1 + lcs[i + 1]![j + 1]! : Math.max(lcs[i + 1]![j]!, lcs[i]![j + 1]!)
  return a.length + b.length - 2 * lcs[0]![0]!
}

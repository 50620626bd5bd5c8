import { describe, expect, test } from 'vitest'
import { amountText, dollars, money } from './money'
import { count, plural, short, size, times } from './number'
import { agentName } from './name'
import { sentence } from './sentence'
import { age, elapsed, exactly, timeOfDay, took } from './time'
import { languages } from '$lib/language/language'

describe('time', () => {
  const now = new Date(2026, 10, 21, 10, 0).getTime()
  const at = (...parts: [number, number, number, number?]) => new Date(...parts).getTime()

  test.each([
    [at(2026, 10, 21, 9), '09:00'],
    [at(2026, 10, 21, 23), '23:00'],
    [at(2026, 10, 20, 23), 'yesterday'],
    [at(2026, 10, 20, 0), 'yesterday'],
    [at(2026, 10, 16), 'Mon'],
    [at(2026, 10, 14), '14 Nov'],
    [at(2025, 11, 31), '31 Dec 2025'],
    [0, ''],
  ])('age of %d', (ms, want) => expect(age(ms, now)).toBe(want))

  test.each([
    [-5, '0:00'],
    [999, '0:00'],
    [134_000, '2:14'],
    [3_725_000, '1:02:05'],
  ])('elapsed %d', (ms, want) => expect(elapsed(ms)).toBe(want))

  test.each([
    [840, '840 ms'],
    [6_240, '6.2 s'],
    [48_000, '48 s'],
    [9_960, '9.9 s'],
    [59_999, '59 s'],
    [134_000, '2:14'],
  ])('took %d', (ms, want) => expect(took(ms)).toBe(want))

  test('the time of day is that of each language', () => {
    const times = [at(2026, 0, 1), at(2026, 10, 21, 9), at(2026, 10, 21, 12), at(2026, 10, 21, 23)].map((ms) => new Date(ms + 305_000))
    for (const locale of ['en-GB', ...languages.map((l) => l.value).filter((l) => l !== 'en')]) {
      const minutes = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
      const seconds = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
      for (const time of times) expect([timeOfDay(time), timeOfDay(time, true)]).toEqual([minutes.format(time), seconds.format(time)])
    }
  })

  test('an invalid date is not shown', () => expect(exactly(Number.NaN)).toBe(''))
})

test.each([
  ['  Plan ', 'a/b.mtm', 'Plan'],
  ['  ', 'a/b.mtm', 'b.mtm'],
  [undefined, 'b.mtm', 'b.mtm'],
])('an agent named %j of %s is called %s', (name, file, want) => expect(agentName(name, file)).toBe(want))

test('an agent’s name hides nothing', () => expect(agentName('a\u202eb', 'x')).not.toContain('\u202e'))

describe('number', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [1049, '1k'],
    [41_249, '41.2k'],
    [99_960, '100k'],
    [128_000, '128k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [1_400_000, '1.4M'],
  ])('short %d', (n, want) => expect(short(n)).toBe(want))

  test('size and times', () => {
    expect([0, 999, 1000, 12_400, 999_499, 999_500, 3_449_000, 12_300_000].map(size)).toEqual([
      '0 B',
      '999 B',
      '1 KB',
      '12 KB',
      '999 KB',
      '1.0 MB',
      '3.4 MB',
      '12 MB',
    ])
    expect(times(1.62)).toBe('1.6 ×')
  })

  test('count and plural', () => {
    expect([0, 999, 1000, 18420, -5, 1.5].map(count)).toEqual(['0', '999', '1,000', '18,420', '-5', '1.5'])
    expect([plural(1, 'cell'), plural(0, 'cell'), plural(2, 'branch', 'branches')]).toEqual(['1 cell', '0 cells', '2 branches'])
  })
})

test.each([
  [0, '$0.00'],
  [-3, '$0.00'],
  [Number.NaN, '$0.00'],
  [49_000, '<$0.0001'],
  [50_000, '$0.0001'],
  [3_149_000, '$0.0031'],
  [3_150_000, '$0.0032'],
  [9_951_000, '$0.010'],
  [31_400_000, '$0.031'],
  [99_600_000, '$0.10'],
  [314_900_000, '$0.31'],
  [12_400_000_000, '$12.40'],
  [1_240_000_000_000, '$1,240.00'],
])('money of %d billionths', (n, want) => expect(money(n)).toBe(want))

test.each([
  [0, ''],
  [2, '2'],
  [2.5, '2.50'],
  [0.005, '0.005'],
  [1200, '1200'],
])('%j in a field is %j', (amount, text) => expect(amountText(amount)).toBe(text))

test.each([
  [5, '$5'],
  [0.5, '$0.50'],
  [0.002, '$0.002'],
  [1200, '$1,200'],
])('dollars of %d', (amount, want) => expect(dollars(amount)).toBe(want))

test.each([
  ['an answer runs: stop it first', 'An answer runs: stop it first.'],
  ['Is it so?', 'Is it so?'],
  ['正在写入：请先停止', '正在写入：请先停止。'],
  ['/tmp/a is damaged', '/tmp/a is damaged.'],
  ['notes.txt: no such file', 'notes.txt: no such file.'],
  ['gpt-4o does not answer', 'gpt-4o does not answer.'],
  ['open /tmp/a: it is busy', 'Open /tmp/a: it is busy.'],
  ['stopped. Try again.', 'Stopped. Try again.'],
  ['it said “no.”', 'It said “no.”'],
  ['它说“不行。”', '它说“不行。”'],
  ['', ''],
])('%s as a sentence', (text, want) => expect(sentence(text)).toBe(want))

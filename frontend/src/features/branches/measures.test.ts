import { expect, test } from 'vitest'
import type { branches } from '$lib/backend/backend'
import { measuresOf, sumOf } from './measures'

const side = (s: Partial<branches.Side> & { tokens?: number; cached?: number; dollars?: number }): branches.Side =>
  ({
    rows: [],
    runs: false,
    timeMs: 0,
    cost: s.dollars === undefined ? '' : `$${s.dollars.toFixed(2)}`,
    ...s,
    used: { tokens: s.tokens ?? 0, input: s.tokens ?? 0, cached: s.cached, cost: (s.dollars ?? 0) * 1e9 },
  }) as unknown as branches.Side
const row = (name: string, ...sides: branches.Side[]) =>
  measuresOf(sides)
    .find((m) => m.name === name)!
    .figures.map((f) => `${f.text}${f.best ? ' best' : ''} ${f.word} ${f.share.toFixed(2)}`.replace(/ +/g, ' '))

test('the shortest time and the most cached tokens are best, and the others are compared with them', () => {
  const sides = [side({ timeMs: 252_000, tokens: 1000, cached: 810 }), side({ timeMs: 407_000, tokens: 2200, cached: 2046 })]
  expect(row('Time', ...sides)).toEqual(['4:12 best least 0.62', '6:47 1.6 × 1.00'])
  expect(row('Tokens', ...sides)).toEqual(['1k best least 0.45', '2.2k 2.2 × 1.00'])
  expect(row('From cache', ...sides)).toEqual(['81% 0.81', '93% best most 0.93'])
})

test('a running side is not the best yet, and an unreported value is not 0', () => {
  const sides = [side({ timeMs: 5000, tokens: 100, dollars: 0.5 }), side({ timeMs: 2000, runs: true })]
  expect(row('Time', ...sides)).toEqual(['0:05 best least 1.00', '0:02 so far 0.40'])
  expect(row('Tokens', ...sides)).toEqual(['100 1.00', '– not yet 0.00'])
  expect(row('Cost', side({ dollars: 0.5, tokens: 1 }), side({ tokens: 5 }))).toEqual(['$0.50 1.00', '– not known 0.00'])
})

test('if all are equal, none is the best', () =>
  expect(row('Time', side({ timeMs: 9000 }), side({ timeMs: 9000 }))).toEqual(['0:09 1.00', '0:09 1.00']))

test('the sum says if a price is missing', () => {
  expect(sumOf([side({ dollars: 0.34 }), side({ dollars: 0.73 })])).toBe('$1.07')
  expect(sumOf([side({ dollars: 0.34 }), side({ tokens: 7 })])).toBe('at least $0.34')
  expect(sumOf([side({ tokens: 7 })])).toBe('')
})

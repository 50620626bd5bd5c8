import { expect, test } from 'vitest'
import type { settings } from '$lib/backend/backend'
import { fieldProblem, fieldText, numberOf, withField } from './modelFields'

const model: settings.ModelView = {
  id: 'm',
  contextTokens: 0,
  images: false,
  documents: false,
  tools: true,
  reasoning: false,
  inputPrice: 0,
  cachedPrice: 0,
  outputPrice: 0,
  guessed: false,
}

test.each([
  ['contextTokens', '', undefined, true],
  ['contextTokens', '32768', 32768, true],
  ['contextTokens', '128k', 128_000, true],
  ['contextTokens', '1.5M', 1_500_000, true],
  ['contextTokens', '32,768', 32768, true],
  ['contextTokens', 'many', NaN, false],
  ['contextTokens', '-5', NaN, false],
  ['contextTokens', '9000M', 9e9, false],
  ['maxOutput', '4096', 4096, true],
  ['temperature', '0', 0, true],
  ['temperature', '.7', 0.7, true],
  ['temperature', '2.5', 2.5, false],
  ['temperature', '1k', NaN, false],
] as const)('%s: %s', (key, text, n, fits) => {
  expect([numberOf(key, text), fieldProblem(key, text) === '']).toEqual([n, fits])
})

test('a temperature of 0 is set, an empty field is not', () => {
  expect(fieldText(model, 'temperature')).toBe('')
  const cold = withField(model, 'temperature', '0')
  expect([cold.temperature, fieldText(cold, 'temperature')]).toEqual([0, '0'])
  expect(withField(cold, 'temperature', '').temperature).toBeUndefined()
  expect([
    fieldText(model, 'contextTokens'),
    withField(model, 'contextTokens', '8k').contextTokens,
    withField(model, 'contextTokens', '').contextTokens,
  ]).toEqual(['', 8000, 0])
})

// @vitest-environment jsdom
import { render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import type { settings } from '$lib/backend/backend'
import ProviderItem from './ProviderItem.svelte'

const model = (id: string): settings.ModelView => ({
  id,
  contextTokens: 0,
  images: false,
  documents: false,
  tools: true,
  reasoning: false,
  inputPrice: 0,
  cachedPrice: 0,
  outputPrice: 0,
  guessed: false,
})
const provider = (key: settings.KeyView): settings.ProviderView => ({
  id: 'a',
  name: 'A',
  baseUrl: 'http://a',
  source: 'file',
  key,
  models: [model('x'), model('y')],
})
const show = (key: settings.KeyView, models: number) =>
  render(ProviderItem, { provider: provider(key), test: { state: 'good', models, tookMs: 90 }, ontest() {}, onedit() {}, ondelete() {} })

test('a test counts models like the list, and reports how many are usable', () => {
  const { unmount } = show({ store: 'none', set: false }, 2)
  expect(screen.getByRole('status').textContent).toBe('Answered in 90 ms with 2 models.')
  unmount()
  show({ store: 'none', set: false }, 3)
  expect(screen.getByRole('status').textContent).toBe('Answered in 90 ms with 2 models; 1 more not for chat.')
})

test.each([
  [true, 'key for this session only'],
  [false, 'enter the key again'],
])('a key that is kept until the program ends: %s', (set, says) => {
  show({ store: 'session', set }, 2)
  expect(screen.getByText(says)).toBeTruthy()
})

import { expect, test } from 'vitest'
import type { settings } from '$lib/backend/backend'
import { defaultChoice, findChoice, offlineOnly, usable } from './choice'

const provider = (id: string, more: Partial<settings.ProviderView> = {}): settings.ProviderView => ({
  id,
  name: id,
  baseUrl: '',
  source: 'file',
  key: { store: 'keyring', set: true },
  models: [
    {
      id: `${id}-1`,
      contextTokens: 0,
      images: false,
      tools: true,
      reasoning: false,
      inputPrice: 0,
      cachedPrice: 0,
      outputPrice: 0,
      guessed: false,
    },
  ],
  ...more,
})
const offline = provider('demo', { source: 'builtin', key: { store: 'none', set: false } })
const noKey = { key: { store: 'keyring', set: false } }
const view = (providers: settings.ProviderView[], preferences: Partial<settings.Preferences> = {}): settings.View => ({
  path: '',
  providers,
  preferences: {
    theme: 'system',
    imageFolder: 'temp',
    remoteImages: false,
    stepLimit: 50,
    zoom: 100,
    fontSize: 0,
    parallelAgents: 4,
    commandEnv: [],
    quiet: false,
    ...preferences,
  },
})

test('the first provider with its key, the offline guide only when there is none', () => {
  expect(defaultChoice(view([offline, provider('a', noKey), provider('b')]))).toEqual({ provider: 'b', model: 'b-1' })
  expect(defaultChoice(view([provider('a', noKey), offline]))).toEqual({ provider: 'demo', model: 'demo-1' })
  expect(defaultChoice(view([]))).toBeNull()
})

test('the default of the settings wins, also without its key: the run says what is missing', () => {
  expect(defaultChoice(view([provider('a'), provider('b', noKey)], { defaultProvider: 'b', defaultModel: 'x' }))).toEqual({
    provider: 'b',
    model: 'x',
  })
  expect(defaultChoice(view([provider('a')], { defaultProvider: 'gone' }))).toEqual({ provider: 'a', model: 'a-1' })
})

test('a model that the list does not know is still a choice', () => {
  expect(findChoice(view([provider('a')]), { provider: 'a', model: 'new' })).toMatchObject({ provider: { id: 'a' }, model: undefined })
  expect(findChoice(view([provider('a')]), { provider: 'gone', model: 'x' })).toBeNull()
})

test('connected means usable', () => {
  expect(offlineOnly(view([offline, provider('a', noKey)]))).toBe(true)
  expect(offlineOnly(view([offline, provider('a')]))).toBe(false)
  expect(usable(provider('a', { models: [] }))).toBe(false)
  expect(usable(provider('local', { source: 'discovered', ...noKey }))).toBe(true)
})

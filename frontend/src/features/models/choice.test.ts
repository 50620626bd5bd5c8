import { expect, test } from 'vitest'
import type { settings } from '$lib/backend/backend'
import { findChoice } from './choice'

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
      documents: false,
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
const view = (providers: settings.ProviderView[]): settings.View => ({
  path: '',
  providers,
  preferences: {
    theme: 'system',
    imageFolder: 'temp',
    remoteImages: false,
    stepLimit: 50,
    compact: 'auto',
    compactAt: 0,
    zoom: 100,
    fontSize: 0,
    codeSize: 0,
    density: 'comfortable',
    language: 'system',
    font: '',
    codeFont: '',
    parallelAgents: 4,
    commandEnv: [],
    keys: {},
    quiet: false,
  },
})

test('a model that the list does not know is still a choice', () => {
  expect(findChoice(view([provider('a')]), { provider: 'a', model: 'new' })).toMatchObject({ provider: { id: 'a' }, model: undefined })
  expect(findChoice(view([provider('a')]), { provider: 'gone', model: 'x' })).toBeNull()
  expect(findChoice(view([provider('a')]), undefined), 'no model is available').toBeNull()
})

import { afterEach, expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { SettingsState } from './settings.svelte'

afterEach(() => vi.unstubAllGlobals())

test('a connection test whose answer was missed does not ask for ever', async () => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json('')))
  const settings = new SettingsState(new Backend(), () => {})
  await settings.ask('openai')
  expect(settings.test('openai')).toEqual({ state: 'asking' })
  settings.missed()
  expect(settings.test('openai')).toBeUndefined()
  await settings.ask('openai')
  settings.apply({ provider: 'openai', models: ['m'], tookMs: 5 } as never)
  settings.missed()
  expect(settings.test('openai')).toMatchObject({ state: 'good' })
})

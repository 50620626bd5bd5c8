import { afterEach, expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { addressProblem, wholeAddress } from './presets'
import { SettingsState } from './settings.svelte'
import { eventually, until } from '$lib/testing/waits'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a connection test whose answer was missed does not stay pending', async () => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json('')))
  const settings = new SettingsState(new Backend(), () => {})
  await settings.ask('openai')
  expect(settings.test('openai')).toEqual({ state: 'asking' })
  settings.load({ settings: { path: '', providers: [], preferences: {} } } as never, true)
  expect(settings.test('openai')).toBeUndefined()
  await settings.ask('openai')
  settings.apply({ seq: 1, type: 'connectionTested', data: { provider: 'openai', models: ['m'], tookMs: 5 } } as never)
  settings.load({ settings: { path: '', providers: [], preferences: {} } } as never, true)
  expect(settings.test('openai')).toMatchObject({ state: 'good' })
})

test('choices can be undone one by one', () => {
  vi.useFakeTimers()
  vi.stubGlobal('window', {})
  const settings = new SettingsState(new Backend(), () => {})
  settings.load({ settings: { path: '', providers: [], preferences: { theme: 'system', zoom: 100, fontSize: 0, keys: {} } } } as never)
  const now = () => [settings.view!.preferences.theme, settings.view!.preferences.zoom, settings.undoable]
  settings.undo()
  expect(now()).toEqual(['system', 100, ''])
  settings.prefer({ theme: 'system' }) // the current value
  expect(settings.undoable).toBe('')
  settings.prefer({ theme: 'dark' })
  settings.prefer({ zoom: 90 })
  expect(now()).toEqual(['dark', 90, 'Zoom'])
  settings.undo()
  expect(now()).toEqual(['dark', 100, 'Theme'])
  settings.undo()
  settings.undo()
  expect(now()).toEqual(['system', 100, ''])
  vi.useRealTimers()
})

test('a choice that could not be saved is not offered for undo', async () => {
  vi.stubGlobal('window', {})
  let damaged = false
  const kept = { path: '', providers: [], preferences: { theme: 'dark', zoom: 100, keys: {} } }
  const asked: string[] = []
  vi.stubGlobal('fetch', (path: string) => {
    asked.push(path)
    return Promise.resolve(
      path.includes('ChangePreferences') && damaged
        ? Response.json({ kind: 'invalid', message: 'damaged' }, { status: 400 })
        : Response.json(path.includes('ChangePreferences') ? null : kept),
    )
  })
  const failed = vi.fn()
  const settings = new SettingsState(new Backend(), failed)
  settings.load({ settings: { ...kept, preferences: { ...kept.preferences, theme: 'system' } } } as never)
  settings.prefer({ theme: 'dark' })
  await eventually(() => expect(asked.at(-1)).toMatch(/\/Settings$/))
  damaged = true
  settings.prefer({ zoom: 90 })
  expect(settings.undoable).toBe('Zoom')
  await eventually(() => expect(failed).toHaveBeenCalled())
  await eventually(() => expect([settings.view!.preferences.zoom, settings.undoable]).toEqual([100, 'Theme']))
})

test('a choice is saved alone, and stays when other settings are read meanwhile', async () => {
  vi.stubGlobal('window', {})
  const saved: unknown[] = []
  let answer: (() => void) | undefined
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    if (!path.includes('ChangePreferences')) return Promise.resolve(Response.json({ path: '', providers: [], preferences: theirs }))
    saved.push(JSON.parse(init.body as string))
    return new Promise<Response>((done) => (answer = () => done(Response.json(null))))
  })
  const before = { theme: 'light', zoom: 100, density: 'comfortable', keys: {} }
  let theirs = { ...before, theme: 'dark' }
  const settings = new SettingsState(new Backend(), () => {})
  settings.load({ settings: { path: '', providers: [], preferences: before } } as never)
  settings.prefer({ density: 'compact' })
  settings.load({ settings: { path: '', providers: [], preferences: theirs } } as never)
  expect(settings.view!.preferences).toMatchObject({ theme: 'dark', density: 'compact' })
  await eventually(() => expect(saved).toEqual([[before, { ...before, density: 'compact' }]]))
  theirs = { ...theirs, density: 'compact' }
  answer!()
  settings.zoom(1)
  await eventually(() => expect(saved).toHaveLength(2))
  expect(saved[1]).toMatchObject([{ zoom: 100 }, { zoom: 110 }])
})

test('a choice that goes back while it is saved is saved too', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('window', {})
  const saved: unknown[] = []
  const answers: (() => void)[] = []
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    if (!path.includes('ChangePreferences')) return Promise.resolve(Response.json({ path: '', providers: [], preferences: before }))
    saved.push(JSON.parse(init.body as string))
    return new Promise<Response>((done) => answers.push(() => done(Response.json(null))))
  })
  const before = { theme: 'light', keys: {} }
  const settings = new SettingsState(new Backend(), () => {})
  settings.load({ settings: { path: '', providers: [], preferences: before } } as never)
  settings.prefer({ theme: 'dark' })
  await until(() => saved.length === 1)
  settings.undo()
  // The second waits for the first: they would overtake each other.
  await vi.runAllTimersAsync()
  expect(saved).toHaveLength(1)
  answers[0]!()
  await eventually(() => expect(saved[1]).toMatchObject([{ theme: 'dark' }, { theme: 'light' }]))
})

test('a page that closes sends what is not saved, also what goes back on a save under way, and nothing twice', async () => {
  vi.stubGlobal('window', {})
  const saved: unknown[] = []
  vi.stubGlobal('fetch', (_path: string, init: RequestInit) => {
    saved.push(JSON.parse(init.body as string))
    return new Promise<Response>(() => {}) // a page that closes gets no answer
  })
  const settings = new SettingsState(new Backend(), () => {})
  settings.load({ settings: { path: '', providers: [], preferences: { theme: 'light', zoom: 100, keys: {} } } } as never)
  settings.prefer({ theme: 'dark' })
  await until(() => saved.length === 1)
  void settings.leave()
  await Promise.resolve()
  expect(saved).toHaveLength(1)
  settings.undo()
  settings.zoom(1)
  void settings.leave()
  await until(() => saved.length === 2)
  expect(saved[1]).toMatchObject([
    { theme: 'dark', zoom: 100 },
    { theme: 'light', zoom: 110 },
  ])
})

test('a language counts as chosen once it is saved', async () => {
  let saved: (() => void) | undefined
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', (path: string) =>
    path.includes('ChangePreferences')
      ? new Promise<Response>((done) => (saved = () => done(Response.json(null))))
      : Promise.resolve(Response.json({ path: '', providers: [], preferences: { language: 'zh-CN', keys: {} } })),
  )
  const settings = new SettingsState(new Backend(), () => {})
  settings.load({ settings: { path: '', providers: [], preferences: { language: 'en', keys: {} } } } as never)
  settings.prefer({ language: 'zh-CN' })
  await eventually(() => expect(saved).toBeDefined())
  expect([settings.view!.preferences.language, settings.language]).toEqual(['zh-CN', 'en'])
  saved!()
  await eventually(() => expect(settings.language).toBe('zh-CN'))
})

test.each([
  ['api.example.com/v1', 'https://api.example.com/v1'],
  [' localhost:11434/v1 ', 'http://localhost:11434/v1'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['[::1]:8080/v1', 'http://[::1]:8080/v1'],
  ['box:1234/v1', 'http://box:1234/v1'],
  ['printer.local/v1', 'http://printer.local/v1'],
  ['http://a.example', 'http://a.example'],
  ['ftp://a.example', 'ftp://a.example'],
  ['', ''],
])('an address is completed: %s', (text, whole) => {
  expect(wholeAddress(text)).toBe(whole)
  expect(addressProblem(text) === '').toBe(whole.startsWith('http'))
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { settings } from '$lib/backend/backend'
import { changedTitle, found, settingsList } from './list'

test('the list and the dialog contain the same settings', () => {
  const read = (file: string) => readFileSync(file, 'utf8')
  const sections = readdirSync('src/features/settings').filter((file) => file.endsWith('Section.svelte'))
  const there = sections.flatMap((file) => {
    const text = read(`src/features/settings/${file}`)
    return [...text.matchAll(/<h3>\{t`([^`]+)`\}<\/h3>|<SettingRow title=\{t`([^`]+)`/g)].map((m) => m[1] ?? m[2]!)
  })
  // Two choices of the models stand above the providers, as fields with labels.
  const fields = [...read('src/features/settings/ModelsSection.svelte').matchAll(/\blabel=\{t`([^`]+)`/g)].map((m) => m[1]!)
  // Sections of other features.
  const others = ['acp/AgentsSection', 'approvals/RulesSection', 'servers/ServersSection'].flatMap((file) =>
    [...read(`src/features/${file}.svelte`).matchAll(/<h3>\{t`([^`]+)`\}<\/h3>/g)].map((m) => m[1]!),
  )
  expect(settingsList.map(({ title }) => title).sort()).toEqual([...there, ...fields, ...others].sort())
})

test('a search finds settings by title, section and other words, best matches first', () => {
  const titles = (query: string) => found(query).map(({ title }) => title)
  expect(titles('  ')).toEqual([])
  expect(titles('DARK')).toEqual(['Theme'])
  expect(titles('size')).toEqual(['Size of prose', 'Size of code'])
  expect(titles('images web')).toEqual(['Images from the web'])
  expect(titles('images')).toEqual(['Images from the web', 'Pasted and dropped images'])
  expect(titles('nothing of the kind')).toEqual([])
})

test('a change is named after its setting', () => {
  const p = (more: Partial<settings.Preferences>) =>
    ({ theme: 'dark', zoom: 100, commandEnv: [], keys: {}, ...more }) as unknown as settings.Preferences
  expect(changedTitle(p({}), p({ zoom: 90 }))).toBe('Zoom')
  expect(changedTitle(p({}), p({ commandEnv: ['A'] }))).toBe('Variables for commands')
  expect(changedTitle(p({}), p({ keys: { 'window.find': [] } }))).toBe('Keys')
  expect(changedTitle(p({}), p({}))).toBe('')
})

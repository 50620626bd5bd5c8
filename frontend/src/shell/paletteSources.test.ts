import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingsList } from './paletteSources'

test('each setting that the palette lists is in the dialog of settings, and each of those is listed', () => {
  const of = (file: string) => [...readFileSync(`src/features/${file}.svelte`, 'utf8').matchAll(/<h3>([^<{]+)<\/h3>/g)].map((m) => m[1]!)
  const there = [...of('settings/SettingsDialog'), ...of('settings/ModelsSection'), ...of('approvals/RulesSection')].filter(
    (t) => t !== 'About',
  )
  expect(settingsList.map(({ title }) => title).sort()).toEqual(there.sort())
})

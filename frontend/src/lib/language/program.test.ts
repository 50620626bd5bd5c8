import { readFileSync } from 'node:fs'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import type { Catalogue } from './language'

/** The module with a catalogue loaded. */
async function withProgram(program: Catalogue['program'], language = 'zh-CN') {
  vi.resetModules()
  globalThis.mutsumiCatalogue = { language, texts: { failed: '失败' }, program }
  return (await import('./program')).ofProgram
}

afterEach(() => {
  globalThis.mutsumiCatalogue = undefined
})
afterAll(() => {
  vi.resetModules() // the next file gets the module in English
})

const program = {
  'Asks about {0}: {1}.': '询问 {0}：{1!}。',
  'it was not granted': '尚未获得许可',
  '{0} is outside the allowed folders': '{0} 在允许的文件夹之外',
  'it could be {0}, which is denied for always': '它可能是 {0}，而这已禁止',
  '{0}: {1}': '{0}：{1}',
  'It has been {0} {1} times': '它已 {1} 次{0!}',
  'running {0}': '运行 {0}',
}

test('a text of the backend is recognised, including nested sentences', async () => {
  const ofProgram = await withProgram(program)
  expect(ofProgram('it was not granted')).toBe('尚未获得许可')
  expect(ofProgram('/etc is outside the allowed folders')).toBe('/etc 在允许的文件夹之外')
  expect(ofProgram('Asks about rm /etc: /etc is outside the allowed folders.')).toBe('询问 rm /etc：/etc 在允许的文件夹之外。')
  expect(ofProgram('It has been running npm test 5 times')).toBe('它已 5 次运行 npm test')
  expect(ofProgram('failed')).toBe('失败')
})

test('a colon in a name does not split it', async () => {
  const ofProgram = await withProgram(program)
  expect(ofProgram('Asks about git commit -m "a: b": it was not granted.')).toBe('询问 git commit -m "a: b"：尚未获得许可。')
  // An unknown reason stays, after the first colon.
  expect(ofProgram('Asks about a: b c.')).toBe('询问 a：b c。')
})

test('a name that equals one of our sentences stays unchanged', async () => {
  const ofProgram = await withProgram(program)
  expect(ofProgram('it was not granted is outside the allowed folders')).toBe('it was not granted 在允许的文件夹之外')
})

test('unknown texts, and all texts in English, stay unchanged', async () => {
  const ofProgram = await withProgram(program)
  for (const text of ['', 'a: b', 'x', 'y'.repeat(5000)]) expect(ofProgram(text)).toBe(text)
  expect((await withProgram(program, 'en'))('it was not granted')).toBe('it was not granted')
})

test('the reason why a skill cannot be used is a sentence of the catalogue', async () => {
  const sentences = JSON.parse(readFileSync('../backend/language/zh-CN.sentences.json', 'utf8')) as Record<string, string>
  const ofProgram = await withProgram(sentences)
  expect(ofProgram('this skill cannot be used: it says no name: add one, tidy')).toBe('此技能无法使用：没有写 name：请加上 tidy')
  expect(ofProgram('this skill cannot be used: line 3: description has to be a text')).toBe(
    '此技能无法使用：第 3 行：description 必须是文本',
  )
  expect(ofProgram('this skill cannot be used: it is not used: .agents/skills/a/SKILL.md has the same name and comes first')).toBe(
    '此技能无法使用：未使用：.agents/skills/a/SKILL.md 与它同名且排在前面',
  )
})

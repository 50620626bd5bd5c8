import { afterAll, afterEach, expect, test, vi } from 'vitest'
import type { Catalogue } from './language'

/** The module with a catalogue loaded. */
async function withTexts(texts?: Catalogue['texts'], language = 'zh-CN') {
  vi.resetModules()
  globalThis.mutsumiCatalogue = texts && { language, texts }
  return { ...(await import('./language')), ...(await import('./program')) }
}

afterEach(() => {
  globalThis.mutsumiCatalogue = undefined
})
afterAll(() => {
  vi.resetModules() // the next file gets the module in English
})

test('English is in the code', async () => {
  const { t, counted, language, translated } = await withTexts()
  expect(language).toBe('en')
  expect(translated([{ text: 'a {0}', fields: [{ sentence: 0 }] }]) + translated([])).toBe('a ')
  expect(t`Close ${'{1}'} of ${2}`).toBe('Close {1} of 2')
  expect([0, 1, 2].map((n) => counted(n, '{0} cell', '{0} cells', `${n}`))).toEqual(['0 cells', '1 cell', '2 cells'])
  expect(
    translated([
      { text: 'Could not read {0}: {1}', fields: [{ text: 'a' }, { sentence: 1 }] },
      { text: 'no such {0}', fields: [{ text: 'file' }] },
    ]),
  ).toBe('Could not read a: no such file')
})

test('a catalogue may reorder fields, and is looked up once per place', async () => {
  const { t, counted, translated } = await withTexts({
    'Copy {0} to {1}': '在 {1} 中放入 {0}',
    '{0} cell|{0} cells': '{0} 个单元格',
    'no such file or directory': '没有该文件或目录',
    'open {0}: {1}': '打开 {0}：{1}',
  })
  const copy = (a: string, b: string) => t`Copy ${a} to ${b}`
  expect([copy('a', 'b'), copy('{1}', 'd')]).toEqual(['在 b 中放入 a', '在 d 中放入 {1}'])
  expect(t`Not there ${1}`).toBe('Not there 1')
  expect(counted(1, '{0} cell', '{0} cells', '1')).toBe('1 个单元格')
  expect(translated([{ text: 'open {0}: {1}', fields: [{ text: 'x' }, { sentence: 1 }] }, { text: 'no such file or directory' }])).toBe(
    '打开 x：没有该文件或目录',
  )
})

test('a language with more plural forms has one text for each', async () => {
  const { counted } = await withTexts({ '{0} cell|{0} cells': { one: '{0} ячейка', few: '{0} ячейки', many: '{0} ячеек' } }, 'ru')
  expect([1, 2, 5, 21].map((n) => counted(n, '{0} cell', '{0} cells', `${n}`))).toEqual(['1 ячейка', '2 ячейки', '5 ячеек', '21 ячейка'])
})

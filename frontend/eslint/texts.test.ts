import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { textsOf } from './texts.js'

const catalogue = '../backend/language/zh-CN.window.json'

/** Nouns that are counted, whose names the program gives. */
const counted: string[] = []

/** Names that are the same in every language. */
const sameInChinese = new Set([
  'Mutsumi {0}',
  'Inter',
  'JetBrains Mono',
  'OpenAI Chat Completions',
  'OpenAI Responses',
  'Anthropic Messages',
  'Anthropic',
  'Ollama',
  'LM Studio',
  'mermaid',
  '{0}{1}{2} – Mutsumi',
])

/** An English text that is written in a field of a translated one. */
interface InField {
  key: string
  field: string
  english: string
}

const fieldsOf = (text: string) => [...new Set(text.match(/\{\d\}/g))]

test('texts are found in components and modules', () => {
  const component =
    '<script lang="ts">let { n }: { n: number } = $props()\nconst a = t`One ${n}`</script><B x={t`Two`}>{plural(n, "cell")}</B>'
  expect([...textsOf('A.svelte', component)].sort()).toEqual(['One {0}', 'Two', '{0} cell|{0} cells'])
  expect([...textsOf('a.ts', 'const f = (n: number) => t`Of ${t`it`} ${plural(n, "is", "are")}`')].sort()).toEqual([
    'Of {0} {1}',
    'it',
    '{0} is|{0} are',
  ])
  const inFields: InField[] = []
  textsOf('a.ts', "t`${n === 'one' ? 'does' : t`do`} ${`${n} runs`} ${some || ', and' + n} ${plural(n, 'x y')}`", inFields)
  expect(inFields.map(({ field, english }) => field + english)).toEqual(['{0}does', '{1} runs', '{2}, and'])
})

/* With MUTSUMI_TEXTS=FILE it also writes there what is missing. */
test('every text of the window is in Chinese, and nothing else', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (f) => /\.(ts|svelte)$/.test(f) && !/\.(test|bench)\.ts$|testing|\.d\.ts$/.test(f),
  )
  const texts = new Set(counted)
  const inFields: InField[] = []
  for (const file of files) for (const text of textsOf(`src/${file}`, readFileSync(`src/${file}`, 'utf8'), inFields)) texts.add(text)
  expect(texts.size).toBeGreaterThan(1500)
  const chinese = JSON.parse(readFileSync(catalogue, 'utf8')) as Record<string, string>

  const missing = [...texts].filter((text) => chinese[text] === undefined || (chinese[text] === '' && text.trim() !== ''))
  if (process.env.MUTSUMI_TEXTS) writeFileSync(process.env.MUTSUMI_TEXTS, JSON.stringify(missing, null, 1))
  expect(missing.slice(0, 20), `${missing.length} texts are missing in ${catalogue}`).toEqual([])
  expect(
    Object.keys(chinese).filter((text) => !texts.has(text)),
    'nobody says this any more',
  ).toEqual([])
  const wrong = Object.entries(chinese).filter(
    ([text, to]) =>
      fieldsOf(to).some((field) => !text.includes(field)) || (text === to && /\p{L}{3}/u.test(text) && !sameInChinese.has(text)),
  )
  expect(wrong, 'fields that the English has not, or English left as it is').toEqual([])
  const kept = inFields.filter(({ key, field }) => chinese[key]?.includes(field))
  expect(kept, 'English in a field that the Chinese keeps').toEqual([])
})

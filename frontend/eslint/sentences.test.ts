import { expect, test } from 'vitest'
import { Linter } from 'eslint'
import svelte from 'eslint-plugin-svelte'
import ts from 'typescript-eslint'
import sentences from './sentences.js'

const svelteParser = svelte.configs.base.map((c) => c.languageOptions?.parser).find(Boolean)
const config = [
  { files: ['**/*.ts'], languageOptions: { parser: ts.parser } },
  { files: ['**/*.svelte'], languageOptions: { parser: svelteParser, parserOptions: { parser: ts.parser } } },
  { plugins: { words: { rules: { sentences: sentences as never } } }, rules: { 'words/sentences': 'error' as const } },
]

/** A file as the rule mends it, without the import. */
function mended(text: string, filename: string): string {
  const { output, messages } = new Linter().verifyAndFix(text, config, { filename })
  expect(messages).toEqual([])
  return output.replace(/(<script lang="ts">\n)? *import \{ t \} from '\$lib\/language\/language'\n(<\/script>\n\n)?\n?/, '')
}

test.each([
  ['<p>Close the tab</p>', '<p>{t`Close the tab`}</p>'],
  ['<p> {n} of {all.length} sent <b>now</b></p>', '<p> {t`${n} of ${all.length} sent`} <b>{t`now`}</b></p>'],
  ['<B label="Close" size="large" tip="{name}: not sent" />', '<B label={t`Close`} size="large" tip={t`${name}: not sent`} />'],
  ['<i class="wide open" title="of" data-tip="x">·</i>', '<i class="wide open" title={t`of`} data-tip="x">·</i>'],
  ['<b aria-label={on ? "Unpin" : `Pin ${name} here`}></b>', '<b aria-label={on ? t`Unpin` : t`Pin ${name} here`}></b>'],
  ['{#if a}Not `sent` yet{:else}{a} {b}{/if}', '{#if a}{t`Not \\`sent\\` yet`}{:else}{a} {b}{/if}'],
  ['<p>Write <code>git push</code></p>', '<p>{t`Write`} <code>git push</code></p>'],
  ['<b onclick={() => call("Stop it")}></b>', '<b onclick={() => call(t`Stop it`)}></b>'],
])('markup %s', (from, to) => expect(mended(from, 'A.svelte')).toBe(to))

test.each([
  ['const a = { title: "Not saved", keys: "Ctrl+Enter", to: "/a/b" }', 'const a = { title: t`Not saved`, keys: "Ctrl+Enter", to: "/a/b" }'],
  ['say(`${n} of ${all} sent`, `row-${n}`)', 'say(t`${n} of ${all} sent`, `row-${n}`)'],
  ['if (x === "Not this") run("left right")', 'if (x === "Not this") run(t`left right`)'],
  ['const f = (on) => on ? t`not sent` : "off"', 'const f = (on) => on ? t`not sent` : t`off`'],
  ['function f(n) { if (n) return "gone"; return t`not yet` }', 'function f(n) { if (n) return t`gone`; return t`not yet` }'],
  ['const a: Record<string, string> = { b: t`not yet`, c: "gone" }', 'const a: Record<string, string> = { b: t`not yet`, c: t`gone` }'],
  ['const a = [{ keys: "C", name: "take" }]', 'const a = [{ keys: "C", name: t`take` }]'],
  ['const a = [{ value: "gone", label: t`It is gone` }]', 'const a = [{ value: "gone", label: t`It is gone` }]'],
  ['plural(n, "more change", "more changes")', 'plural(n, "more change", "more changes")'],
  ['el.querySelector("a b"); el.style.font = "bold 12px Inter"', 'el.querySelector("a b"); el.style.font = "bold 12px Inter"'],
  ['type A = "Not this"; import x from "A b"', 'type A = "Not this"; import x from "A b"'],
])('script %s', (from, to) => expect(mended(from, 'a.ts')).toBe(to))

test('a noun that is not written out is reported', () => {
  const messages = new Linter().verify('plural(n, what)', config, { filename: 'a.ts' })
  expect(messages.map((m) => m.messageId)).toEqual(['noun'])
})

test('t is imported once, where the imports are', () => {
  const { output } = new Linter().verifyAndFix(
    '<script lang="ts">\n  import A from "./A"\n</script>\n<A>One two</A><A>Three four</A>\n',
    config,
    {
      filename: 'A.svelte',
    },
  )
  expect(output.match(/import \{ t \}/g)).toHaveLength(1)
  expect(output).toContain('import A from "./A"\n  import { t } from \'$lib/language/language\'\n</script>')
})

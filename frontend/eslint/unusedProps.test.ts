import { describe, expect, it } from 'vitest'
import { Linter } from 'eslint'
import svelte from 'eslint-plugin-svelte'
import ts from 'typescript-eslint'
import unusedProps from './unusedProps.js'

const svelteParser = svelte.configs.base.map((c) => c.languageOptions?.parser).find(Boolean)

/** The names that the rule reports in a component's script. */
function unused(script: string, before = ''): string[] {
  const linter = new Linter()
  const found = linter.verify(
    `${before}<script lang="ts">\n${script}\n</script>\n`,
    {
      files: ['**/*.svelte'],
      languageOptions: { parser: svelteParser, parserOptions: { parser: ts.parser } },
      plugins: { local: { rules: { 'unused-props': unusedProps as never } } },
      rules: { 'local/unused-props': 'error' },
    },
    { filename: 'A.svelte' },
  )
  return found.map((m) => /"(.*)"/.exec(m.message)?.[1] ?? m.message)
}

describe('unused props', () => {
  it('are found in a type that is written in place', () => {
    expect(unused('let { a }: { a: number; b: string } = $props()')).toEqual(['b'])
  })
  it('are found in an interface and an alias of the file', () => {
    expect(unused('interface Props { a: number; "b-c"?: string }\nlet { a = 1 }: Props = $props()')).toEqual(['b-c'])
    expect(unused('type Props = { a: number; b: string }\nlet { a: x }: Props = $props()')).toEqual(['b'])
    expect(
      unused('let { a }: Props = $props()', '<script lang="ts" module>\nexport interface Props { a: number; b: string }\n</script>\n'),
    ).toEqual(['b'])
  })
  it('are not looked for behind a rest, or where all are taken', () => {
    expect(unused('let { a, ...rest }: { a: number; b: string } = $props()')).toEqual([])
    expect(unused('let { a, b = $bindable() }: { a: number; b?: string } = $props()')).toEqual([])
  })
})

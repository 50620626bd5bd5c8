import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ruledTools, toolOf } from './tools'

const builtin = readdirSync('../backend/tool/builtin')
  .filter((f) => f.endsWith('.md'))
  .map((f) => f.slice(0, -3))

test('every tool of the program is in the table', () => {
  expect(builtin.length).toBeGreaterThan(10)
  expect(builtin.filter((name) => !toolOf(name))).toEqual([])
  expect(toolOf('constructor')).toBeUndefined()
})

test('rules apply to commands and paths', () => expect(ruledTools).toEqual(['shell', 'write_file', 'edit_file', 'mkdir']))

test('no other module knows a tool by its name', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (f) => /\.(svelte|ts)$/.test(f) && !/(\.test|\.bench|testing)\.ts$|^lib.tools\.ts$/.test(f),
  )
  const named = new RegExp(`['"\`](${builtin.join('|')})['"\`]`)
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((f) => named.test(readFileSync(`src/${f}`, 'utf8')))).toEqual([])
})

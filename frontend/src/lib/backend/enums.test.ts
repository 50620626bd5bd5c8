import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { choices, restoreChoices, runModes } from './enums'

const runs = readFileSync('../backend/runner/calls.go', 'utf8')
const conflict = readFileSync('../backend/documents/conflict.go', 'utf8')
const apply = readFileSync('../backend/checkpoint/apply.go', 'utf8')
const values = (type: string, go = runs) => [...go.matchAll(new RegExp(`^\\s*\\w+\\s+${type} = "(\\w+)"`, 'gm'))].map((m) => m[1])

test('the values of string types match Go', () => {
  expect(values('Mode')).toEqual([...runModes])
  expect(values('Choice', conflict)).toEqual([...choices])
  expect(values('Choice', apply)).toEqual([...restoreChoices])
})

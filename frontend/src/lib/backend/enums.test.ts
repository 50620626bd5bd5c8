import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { choices, runModes } from './enums'

const go = readFileSync('../backend/workspace/view.go', 'utf8')
const values = (type: string) => [...go.matchAll(new RegExp(`^\\s*\\w+\\s+${type} = "(\\w+)"`, 'gm'))].map((m) => m[1])

test('the values of string types are those of Go', () => {
  expect(values('RunMode')).toEqual([...runModes])
  expect(values('Choice')).toEqual([...choices])
})

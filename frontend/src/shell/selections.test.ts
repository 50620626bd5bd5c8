import { afterEach, expect, test, vi } from 'vitest'
import { Selections } from './selections'

afterEach(() => vi.unstubAllGlobals())

function storage(text?: string) {
  const kept = { text }
  const get = () => kept.text ?? null
  vi.stubGlobal('sessionStorage', { getItem: get, setItem: (_name: string, to: string) => (kept.text = to) })
}
const at = (cell: string) => ({ cell, mode: 'edit', caret: 2 }) as const

test('what was selected is taken once by the next load of the page; what nobody has taken yet stays for the one after', () => {
  storage()
  new Selections().keep({ a: at('1'), b: at('2') })
  const again = new Selections()
  expect([again.take('a'), again.take('a'), again.take('none')]).toEqual([at('1'), undefined, undefined])
  again.keep({ a: at('3') })
  const last = new Selections()
  expect([last.take('a'), last.take('b')]).toEqual([at('3'), at('2')])
})

test.each(['{', 'null', '7'])('without a readable record nothing is restored: %s', (text) => {
  storage(text)
  expect(new Selections().take('a')).toBeUndefined()
})

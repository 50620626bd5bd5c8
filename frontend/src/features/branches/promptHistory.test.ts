import { expect, test, vi } from 'vitest'
import { Fault, type Backend } from '$lib/backend/backend'
import { PromptHistoryState } from './promptHistory.svelte'

const at = { path: 'a.mtm', cell: 'c1', number: 1 }
const version = (text: string, when: string) => ({ at: when, text, added: 1, removed: 1 })

function state(PromptHistory: () => Promise<unknown>, bringBack = vi.fn(() => Promise.resolve(true))) {
  const backend = { call: { PromptHistory } } as unknown as Backend
  return { history: new PromptHistoryState(backend, { text: () => 'third', bringBack }), bringBack }
}

test('each version is followed by its replacement, the latest by the current text', async () => {
  const { history, bringBack } = state(() => Promise.resolve([version('second', 'b'), version('first', 'a')]))
  await history.open(at)
  expect(history.versions?.map((v) => [v.text, v.next])).toEqual([
    ['second', 'third'],
    ['first', 'second'],
  ])
  await history.bringBack(history.versions![1]!)
  expect(bringBack).toHaveBeenCalledWith(at, 'a')
  expect(history.shown).toBeUndefined()
})

test('a failure is shown, and the dialog stays open', async () => {
  const { history } = state(() => Promise.reject(new Fault('notFound', 'gone')))
  await history.open(at)
  expect(history.fault?.message).toBe('gone')
  const kept = state(
    () => Promise.resolve([version('first', 'a')]),
    vi.fn(() => Promise.resolve(false)),
  )
  await kept.history.open(at)
  await kept.history.bringBack(kept.history.versions![0]!)
  expect(kept.history.shown).toBe(at)
  expect(kept.history.busy).toBe(false)
})

test('an answer after the dialog was closed is dropped', async () => {
  let answer: (found: unknown) => void = () => undefined
  const { history } = state(() => new Promise((done) => (answer = done)))
  const opening = history.open(at)
  history.close()
  answer([version('first', 'a')])
  await opening
  expect(history.versions).toBeUndefined()
})

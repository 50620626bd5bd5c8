import { expect, test, vi } from 'vitest'
import { Toasts } from './toasts.svelte'

test('a failure stays until it is closed, whatever succeeds meanwhile', () => {
  vi.useFakeTimers()
  const toasts = new Toasts()
  toasts.failed('Could not save', 'The disk is full.')
  for (let i = 0; i < 9; i++) toasts.done(`done ${i}`)
  expect(toasts.list.map((t) => t.title)).toEqual(['Could not save', 'done 6', 'done 7', 'done 8'])
  for (let i = 0; i < 5; i++) toasts.failed(`Could not do ${i}`, '')
  vi.runAllTimers()
  expect(toasts.list.map((t) => t.kind)).toEqual(Array.from({ length: 6 }, () => 'failed'))
  toasts.close(toasts.list[0]!.id)
  expect(toasts.list).toHaveLength(5)
  vi.useRealTimers()
})

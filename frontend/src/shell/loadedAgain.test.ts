import { expect, test } from 'vitest'
import { Toasts } from '$lib/ui/toasts.svelte'
import { sayLoadedAgain } from './loadedAgain'

test.each([
  ['ended', 'ended', 'last second'],
  ['memory', 'out of memory', 'last second'],
  ['frozen', 'did not answer', 'while it did not answer'],
  ['empty', 'stayed empty', 'Nothing is lost'],
])('a page that was loaded again since it %s says so, until the notice is closed', (cause, why, lost) => {
  const toasts = new Toasts()
  sayLoadedAgain(toasts, new CustomEvent('loadedagain', { detail: cause }))
  expect(toasts.list).toEqual([
    expect.objectContaining({ kind: 'failed', title: expect.stringContaining(why), detail: expect.stringContaining(lost) }),
  ])
})

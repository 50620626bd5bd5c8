// @vitest-environment jsdom
import { render } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import Banner from './Banner.svelte'

domOfComponents()

test('a lost connection is announced once; the seconds are only visible', async () => {
  const connection = { state: 'lost' as const, reason: 'No answer.', sinceMs: 1, retryAtMs: 15_000 }
  const { container, rerender } = render(Banner, { connection, now: 10_000, onretry() {} })
  const live = container.querySelector('[aria-live]')!
  const first = live.textContent
  expect([first, container.textContent]).toEqual([expect.stringContaining('lost'), expect.stringContaining('in 5 s')])
  await rerender({ now: 11_000 })
  expect([live.textContent, container.textContent]).toEqual([first, expect.stringContaining('in 4 s')])
})

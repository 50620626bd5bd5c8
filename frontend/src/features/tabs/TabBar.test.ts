// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import TabBar from './TabBar.svelte'
import { TabsState } from './tabs.svelte'

domOfComponents()

function bar() {
  const tabs = new TabsState(() => {})
  tabs.load(['a', 'b'], 'a')
  const onclose = vi.fn()
  const extra = { name: 'What will be sent', of: 'a', on: false, onopen: vi.fn(), onclose: vi.fn() }
  render(TabBar, { tabs, views: [{ path: 'a', name: 'A', dot: 'standby' as const }, { path: 'b', name: 'B', dot: 'standby' as const }], onclose, extra })
  return { tabs, onclose, extra, tab: (name: RegExp) => screen.getByRole('tab', { name }) }
}

test('a tab is opened by a click alone, as assistive technology does it, and by Enter', async () => {
  const { tabs, tab, extra } = bar()
  await fireEvent.click(tab(/^B/))
  expect(tabs.active).toBe('b')
  await fireEvent.keyDown(tab(/^A/), { key: 'Enter' })
  expect(tabs.active).toBe('a')
  await fireEvent.click(tab(/^What/))
  expect(extra.onopen).toHaveBeenCalledOnce()
})

test('its sign closes a tab and does not open it; a key that is held down closes one', async () => {
  const { tabs, tab, onclose, extra } = bar()
  await fireEvent.click(tab(/^B/).querySelector('.close')!)
  await fireEvent.keyDown(tab(/^A/), { key: 'Delete', repeat: true })
  expect([tabs.active, onclose.mock.calls]).toEqual(['a', [['b']]])
  await fireEvent.click(tab(/^What/).querySelector('.close')!)
  expect([extra.onopen.mock.calls.length, extra.onclose.mock.calls.length]).toEqual([0, 1])
})

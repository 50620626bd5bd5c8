// @vitest-environment jsdom
import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { tick, type ComponentProps } from 'svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents, enterOfComposition } from '$lib/ui/testing'
import TabBar from './TabBar.svelte'
import { TabsState } from './tabs.svelte'

domOfComponents()

function bar(more: Partial<ComponentProps<typeof TabBar>> = {}) {
  const tabs = new TabsState(() => {})
  tabs.load(['a', 'b'], 'a')
  const said = { onclose: vi.fn(), onrename: vi.fn(), onreload: vi.fn(), onenter: vi.fn((path: string) => tabs.open(path)) }
  const extra = { name: 'What will be sent', of: 'a', on: false, onopen: vi.fn(), onclose: vi.fn() }
  render(TabBar, {
    tabs,
    views: [
      { path: 'a', name: 'A', dot: 'standby' as const, renames: true },
      { path: 'b', name: 'B', dot: 'standby' as const },
    ],
    extra,
    ...said,
    ...more,
  })
  return { tabs, extra, ...said, tab: (name: RegExp) => screen.getByRole('tab', { name }) }
}

test('a mere click, as by assistive technology, opens a tab, and so does Enter', async () => {
  const { tabs, tab, extra } = bar()
  await fireEvent.click(tab(/^B/))
  expect(tabs.active).toBe('b')
  await fireEvent.keyDown(tab(/^A/), { key: 'Enter' })
  expect(tabs.active).toBe('a')
  await fireEvent.click(tab(/^What/))
  expect(extra.onopen).toHaveBeenCalledOnce()
})

test('the close button closes a tab without opening it; a held key closes only one', async () => {
  const { tabs, tab, onclose, extra } = bar()
  await fireEvent.click(tab(/^B/).querySelector('.close')!)
  await fireEvent.keyDown(tab(/^A/), { key: 'Delete', repeat: true })
  expect([tabs.active, onclose.mock.calls]).toEqual(['a', [['b']]])
  await fireEvent.click(tab(/^What/).querySelector('.close')!)
  expect([extra.onopen.mock.calls.length, extra.onclose.mock.calls.length]).toEqual([0, 1])
})

test('F2, a double click and the menu rename a notebook, and nothing else', async () => {
  const { tabs, onrename, tab } = bar()
  const field = () => screen.queryByRole('textbox', { name: 'Name of the agent' })
  await fireEvent.dblClick(tab(/^B/))
  await fireEvent.keyDown(tab(/^B/), { key: 'F2' })
  expect(field()).toBeNull()

  tab(/^A/).focus()
  await fireEvent.keyDown(tab(/^A/), { key: 'F2' })
  await fireEvent.input(field()!, { target: { value: '  Gardener ' } })
  await fireEvent.keyDown(field()!, { key: 'Enter' })
  expect([onrename.mock.calls, tabs.renaming, field()]).toEqual([[['a', 'Gardener']], undefined, null])
  expect(document.activeElement).toBe(tab(/^A/))

  await fireEvent.dblClick(tab(/^A/))
  await fireEvent.input(field()!, { target: { value: 'Other' } })
  await fireEvent.keyDown(field()!, { key: 'Escape' })
  expect(onrename.mock.lastCall).toEqual(['a', null])

  await fireEvent.contextMenu(tab(/^A/))
  await fireEvent.click(screen.getByRole('menuitem', { name: /Rename/ }))
  expect(field()).not.toBeNull()
})

test('a notebook in both groups is renamed in the tab that was asked', async () => {
  const tabs = new TabsState(() => {})
  tabs.load(['a'], 'a', [], { tabs: ['a'], active: 'a', front: true })
  const onrename = vi.fn()
  const said = { onclose: vi.fn(), onrename, onreload: vi.fn(), onenter: vi.fn() }
  const views = [{ path: 'a', name: 'A', dot: 'standby' as const, renames: true }]
  const bars = tabs.groups.map((group) => render(TabBar, { tabs, group, views, ...said }).container)
  const fields = () => bars.map((bar) => bar.querySelectorAll('input').length)

  await fireEvent.dblClick(within(bars[1]!).getByRole('tab'))
  expect(fields()).toEqual([0, 1])
  tabs.rename('a', 'b')
  expect(tabs.renaming).toEqual({ path: 'b', group: tabs.groups[1]!.id })
  tabs.rename('b', 'a')
  await tick()
  const field = within(bars[1]!).getByRole('textbox')
  expect(document.activeElement).toBe(field)
  await fireEvent.input(field, { target: { value: 'Gardener' } })
  await fireEvent.keyDown(field, { key: 'Enter' })
  expect([onrename.mock.calls, fields()]).toEqual([[['a', 'Gardener']], [0, 0]])
})

test.each(enterOfComposition)('a key of a composition neither opens, closes nor renames a tab: %o', async (composed) => {
  const { tabs, tab, onclose, onenter } = bar()
  for (const key of ['Enter', 'Delete', 'F2', 'ArrowRight']) await fireEvent.keyDown(tab(/^A/), { ...composed, key })
  expect([tabs.active, tabs.renaming, onclose.mock.calls, onenter.mock.calls]).toEqual(['a', undefined, [], []])
  await fireEvent.keyDown(tab(/^A/), { key: 'Delete' })
  expect(onclose).toHaveBeenCalledExactlyOnceWith('a')
})

test('a held key keeps stepping, but enters and closes only once, even the last tab', async () => {
  const { tabs, tab, onenter, extra } = bar()
  await fireEvent.keyDown(tab(/^A/), { key: 'Enter' })
  await fireEvent.keyDown(tab(/^A/), { key: 'Enter', repeat: true })
  expect(onenter).toHaveBeenCalledOnce()
  await fireEvent.keyDown(tab(/^What/), { key: 'Delete' })
  await fireEvent.keyDown(tab(/^What/), { key: 'Delete', repeat: true })
  expect(extra.onclose).toHaveBeenCalledOnce()
  await fireEvent.keyDown(tab(/^A/), { key: 'ArrowRight' })
  expect(tabs.active).toBe('b')
  await fireEvent.keyDown(tab(/^B/), { key: 'ArrowLeft', repeat: true })
  expect(tabs.active).toBe('a')
})

test('the middle button closes a tab and pastes nothing; the others do not close', async () => {
  const { tab, onclose, extra } = bar()
  for (const button of [0, 2]) await fireEvent(tab(/^B/), new MouseEvent('auxclick', { button, bubbles: true }))
  expect(onclose).not.toHaveBeenCalled()
  await fireEvent(tab(/^B/), new MouseEvent('auxclick', { button: 1, bubbles: true }))
  expect(onclose).toHaveBeenCalledExactlyOnceWith('b')
  await fireEvent(tab(/^What/), new MouseEvent('auxclick', { button: 1, bubbles: true }))
  expect(extra.onclose).toHaveBeenCalledOnce()
})

test('Escape cancels the drag of a tab, and is no other command then', async () => {
  const pressed = vi.fn()
  const ondrop = vi.fn()
  const { tab } = bar({ onpull: () => true, ondrop })
  const strip = screen.getByRole('tablist')
  strip.setPointerCapture = () => {}
  const drag = async () => {
    await fireEvent.pointerDown(tab(/^A/), { button: 0, buttons: 1, clientX: 10 })
    await fireEvent.pointerMove(strip, { buttons: 1, clientX: 60 })
  }
  window.addEventListener('keydown', pressed)
  const listens = vi.spyOn(window, 'addEventListener')
  const keys = () => listens.mock.calls.filter(([type]) => type === 'keydown').length
  try {
    await fireEvent.pointerDown(tab(/^A/), { button: 0, buttons: 1, clientX: 10 })
    expect(keys(), 'listeners for keys before a drag').toBe(0)
    await drag()
    expect(keys()).toBe(1)
    expect(await fireEvent.keyDown(document.body, { key: 'Escape' })).toBe(false)
    expect([ondrop.mock.calls, pressed.mock.calls]).toEqual([[[undefined]], []])
    await fireEvent.pointerMove(strip, { buttons: 1, clientX: 90 })
    await fireEvent.pointerUp(strip)
    expect(ondrop).toHaveBeenCalledOnce()

    await fireEvent.keyDown(document.body, { key: 'Escape' })
    expect(pressed).toHaveBeenCalledOnce()
    await drag()
    await fireEvent.pointerUp(strip)
    expect(ondrop.mock.lastCall).toEqual(['a'])
  } finally {
    listens.mockRestore()
    window.removeEventListener('keydown', pressed)
  }
})

test('the menu of a tab reloads its notebook from disk', async () => {
  const { tab, onreload } = bar()
  await fireEvent.contextMenu(tab(/^A/))
  await fireEvent.click(screen.getByRole('menuitem', { name: /Load from the disk again/ }))
  expect(onreload.mock.calls).toEqual([['a']])
})

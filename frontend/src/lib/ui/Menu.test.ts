// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents, enterOfComposition } from './testing'
import { tick } from 'svelte'
import Menu from './Menu.svelte'
import { TypeAhead, type MenuEntry } from './menu'
import { eventually } from '$lib/testing/waits'

domOfComponents()

function open(filter?: string) {
  const run = vi.fn()
  const onclose = vi.fn()
  render(Menu, {
    label: 'Model',
    filter,
    place: { x: 0, y: 0 },
    entries: [
      { label: '模型', run },
      { label: 'other', run: vi.fn() },
    ],
    onclose,
  })
  return { run, onclose }
}

test.each(enterOfComposition)('Enter that ends a composition chooses nothing: %o', async (key) => {
  const { run, onclose } = open('Search models')
  const field = screen.getByRole('combobox')
  await fireEvent.input(field, { target: { value: '模' } })
  await fireEvent.keyDown(field, key)
  expect([run.mock.calls, onclose.mock.calls]).toEqual([[], []])
  await fireEvent.keyDown(field, { key: 'Enter' })
  expect(run).toHaveBeenCalledOnce()
})

test('the Enter that opened it chooses nothing while held', async () => {
  const { run } = open()
  await fireEvent.keyDown(screen.getByRole('menu'), { key: 'Enter', repeat: true })
  expect(run).not.toHaveBeenCalled()
})

test('a mere click chooses', async () => {
  const { run } = open()
  await fireEvent.click(screen.getByRole('menuitem', { name: '模型' }))
  expect(run).toHaveBeenCalledOnce()
})

test('a key of a composition neither closes a menu nor moves in it', async () => {
  const { run, onclose } = open()
  const menu = screen.getByRole('menu')
  await eventually(() => expect(document.activeElement).toBe(menu))
  const at = menu.getAttribute('aria-activedescendant')
  for (const key of ['Escape', 'Tab', 'ArrowDown', 'o', ' ', 'Enter']) {
    await fireEvent.keyDown(menu, { key, isComposing: true })
    await fireEvent.keyDown(menu, { key, keyCode: 229 })
  }
  expect([run.mock.calls, onclose.mock.calls, menu.getAttribute('aria-activedescendant')]).toEqual([[], [], at])
})

test.each([
  { key: 'Escape' },
  { key: 'Tab', code: 'Tab' },
  { key: 'Tab', code: 'Tab', shiftKey: true },
  { key: 'Unidentified', code: 'Tab', shiftKey: true }, // WebKitGTK
])('%o closes a menu', async (key) => {
  const { onclose } = open()
  await fireEvent.keyDown(screen.getByRole('menu'), key)
  expect(onclose).toHaveBeenCalledOnce()
})

test('a held key keeps moving and chooses nothing; no key reaches the page behind', async () => {
  const heard = vi.fn()
  window.addEventListener('keydown', heard)
  const runs = [vi.fn(), vi.fn(), vi.fn()]
  const onclose = vi.fn()
  render(Menu, {
    label: 'Agent',
    place: { x: 0, y: 0 },
    entries: [
      { label: 'Open', run: runs[0]! },
      { label: 'Rename', disabled: true, run: runs[1]! },
      'line',
      { label: 'Trash', run: runs[2]! },
    ],
    onclose,
  })
  const menu = screen.getByRole('menu')
  await fireEvent.keyDown(menu, { key: ' ', repeat: true })
  // Disabled entries and the line are skipped.
  await fireEvent.keyDown(menu, { key: 'ArrowDown', repeat: true })
  expect(menu.querySelector('[data-active]')!.textContent).toContain('Trash')
  await fireEvent.click(screen.getByRole('menuitem', { name: 'Rename' }))
  await fireEvent.keyDown(menu, { key: 'r' })
  expect([onclose.mock.calls.length, heard.mock.calls.length]).toEqual([0, 0])
  await fireEvent.keyDown(menu, { key: ' ' })
  expect(runs.map((run) => run.mock.calls.length)).toEqual([0, 0, 1])
  window.removeEventListener('keydown', heard)
})

test('a click outside closes it, one inside does not, and the focus returns', async () => {
  const before = document.createElement('button')
  document.body.append(before)
  before.focus()
  const onclose = vi.fn()
  const { unmount } = render(Menu, { label: 'Model', place: { x: 0, y: 0 }, entries: [{ label: 'one', run() {} }], onclose })
  const menu = screen.getByRole('menu')
  await eventually(() => expect(document.activeElement).toBe(menu))
  await fireEvent.pointerDown(menu)
  expect(onclose).not.toHaveBeenCalled()
  await fireEvent.pointerDown(menu.parentElement!)
  expect(onclose).toHaveBeenCalledOnce()
  unmount()
  expect(document.activeElement).toBe(before)
  before.remove()
})

test('letters find the first matching entry, then the next one, and can be combined', () => {
  const entries: MenuEntry[] = ['Duplicate', 'Rename', 'line', 'Delete', 'Reference'].map((label) =>
    label === 'line' ? 'line' : { label, run: () => {}, disabled: label === 'Never' },
  )
  const ahead = new TypeAhead()
  // The first entry is active when a menu opens: its letter finds it, not the next one.
  expect(ahead.find(entries, 0, 'd', 0)).toBe(0)
  expect(ahead.find(entries, 0, 'd', 300)).toBe(3)
  expect(ahead.find(entries, 3, 'D', 600)).toBe(0)
  expect(ahead.find(entries, 0, 'r', 2000)).toBe(1)
  expect(ahead.find(entries, 1, 'e', 2200)).toBe(1)
  expect(ahead.find(entries, 1, 'f', 2400)).toBe(4)
  expect(ahead.find(entries, 4, 'z', 5000)).toBe(-1)
})

test('the first key of a menu works, however it was opened', async () => {
  const run = vi.fn()
  render(Menu, {
    label: 'Cell',
    place: { x: 0, y: 0 },
    entries: [
      { label: 'Delete', run: () => run('Delete') },
      { label: 'Duplicate', run: () => run('Duplicate') },
    ],
    onclose: () => {},
  })
  await tick()
  const menu = screen.getByRole('menu')
  expect(document.activeElement).toBe(menu)
  await fireEvent.keyDown(menu, { key: 'd' })
  await fireEvent.keyDown(menu, { key: 'Enter' })
  expect(run.mock.calls).toEqual([['Delete']])
})

test('opened by keys its first entry is active; opened by a pointer none is, until the first key', async () => {
  const current = () => screen.getByRole('menu').getAttribute('aria-activedescendant')
  await fireEvent.keyDown(window, { key: 'Enter' })
  open()
  await tick()
  expect(current()).toMatch(/-0$/)
  document.body.replaceChildren()
  await fireEvent.pointerDown(window)
  const { run } = open()
  await tick()
  expect(current()).toBeNull()
  await fireEvent.keyDown(screen.getByRole('menu'), { key: 'Enter' })
  expect(run).not.toHaveBeenCalled()
  await fireEvent.keyDown(screen.getByRole('menu'), { key: 'ArrowDown' })
  expect(current()).toMatch(/-0$/)
  await fireEvent.keyDown(screen.getByRole('menu'), { key: 'Enter' })
  expect(run).toHaveBeenCalledOnce()
})

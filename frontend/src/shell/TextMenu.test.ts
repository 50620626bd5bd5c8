// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import TextMenu from './TextMenu.svelte'
import { lazyTextField } from '$lib/ui/lazyTextField'
import { textAt } from '$lib/ui/textField'

domOfComponents()
beforeAll(() => lazyTextField.load())
afterEach(() => document.body.replaceChildren())

function page(html: string): HTMLElement {
  const box = document.createElement('div')
  box.innerHTML = html
  document.body.append(box)
  return box
}
const labels = () =>
  screen.getAllByRole('menuitem').map((e) => `${e.querySelector('.label')!.textContent}${e.getAttribute('aria-disabled') ? ' -' : ''}`)

test('a field can be cut, copied, pasted into and selected', async () => {
  const oncopy = vi.fn()
  render(TextMenu, { oncopy, clipboard: () => Promise.resolve('text') })
  const input = page('<input value="one two">').querySelector('input')!
  input.setSelectionRange(4, 7)
  await fireEvent.contextMenu(input)
  expect(labels()).toEqual(['Cut', 'Copy', 'Paste', 'Select all'])
  await fireEvent.click(screen.getByRole('menuitem', { name: /^Copy/ }))
  expect(oncopy).toHaveBeenCalledWith('two')
  expect(screen.queryByRole('menu')).toBeNull()
})

test('read-only text can be copied and selected', async () => {
  render(TextMenu, { oncopy: vi.fn(), clipboard: () => Promise.resolve('') })
  const text = page('<div class="selectable"><p>an answer</p></div>').querySelector('p')!
  await fireEvent.contextMenu(text)
  expect(labels()).toEqual(['Copy -', 'Select all'])
  await fireEvent.click(screen.getByRole('menuitem', { name: /^Select all/ }))
  expect(getSelection()?.toString()).toBe('an answer')
  await fireEvent.contextMenu(text)
  expect(labels()).toEqual(['Copy', 'Select all'])
})

test('anything but text, or with its own menu, gets none', async () => {
  render(TextMenu, { oncopy: vi.fn(), clipboard: () => Promise.resolve('') })
  const box = page('<button>x</button><div class="selectable row">x</div><input type="checkbox">')
  await fireEvent.contextMenu(box.querySelector('button')!)
  await fireEvent.contextMenu(box.querySelector('input')!)
  const row = box.querySelector('.row')!
  row.addEventListener('contextmenu', (e) => e.preventDefault())
  await fireEvent.contextMenu(row)
  expect(screen.queryByRole('menu')).toBeNull()
})

test('a password is never copied', () => {
  const input = page('<input type="password" value="secret">').querySelector('input')!
  input.select()
  expect(textAt(input)).toMatchObject({ selected: '', field: input })
})

test('a read-only field accepts no paste', () => {
  expect(textAt(page('<input value="x" readonly>').querySelector('input')!)?.field).toBeUndefined()
})

// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import Field from './Field.svelte'
import FileRow from './FileRow.svelte'
import TextArea from './TextArea.svelte'
import TextField from './TextField.svelte'
import { domOfComponents } from './testing'

domOfComponents()

test.each([
  ['Field', Field],
  ['TextArea', TextArea],
] as const)('%s takes what is typed, tells of it, and shows what came from elsewhere', async (_, part) => {
  const oninput = vi.fn()
  const { rerender } = render(part as typeof Field, { value: 'one', 'aria-label': 'Name', oninput })
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' })
  await fireEvent.input(field, { target: { value: 'two' } })
  expect([field.value, oninput.mock.calls.length]).toEqual(['two', 1])
  await rerender({ value: 'three', wrong: true })
  expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['three', 'true'])
})

test('a field with a label shows the error instead of its hint', async () => {
  const { rerender } = render(TextField, { label: 'Name', value: '', hint: 'As it is shown' })
  const field = screen.getByRole('textbox', { name: 'Name', description: 'As it is shown' })
  await rerender({ error: 'It is empty' })
  expect(screen.getByRole('textbox', { name: 'Name', description: 'It is empty' })).toBe(field)
  expect(field.getAttribute('aria-invalid')).toBe('true')
})

test('a file row separates folder and name, and shows whether it is unfolded', async () => {
  const onclick = vi.fn()
  const { rerender } = render(FileRow, { path: 'src/a\u202eb.go', tip: 'src', open: false, onclick })
  const row = screen.getByRole('button', { name: /^src\/a.*U\+202E.*b\.go$/, expanded: false })
  expect(row.querySelector('.folder')?.textContent).toBe('src/')
  await fireEvent.click(row)
  expect(onclick).toHaveBeenCalledOnce()
  await rerender({ open: undefined })
  expect(row.hasAttribute('aria-expanded')).toBe(false)
})

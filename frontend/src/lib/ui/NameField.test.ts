// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import NameField from './NameField.svelte'
import { domOfComponents, enterOfComposition } from './testing'

domOfComponents()

function field(value = 'Gardener') {
  const onend = vi.fn()
  const { unmount } = render(NameField, { label: 'Name', value, onend })
  const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' })
  return { onend, input, unmount, type: (text: string) => fireEvent.input(input, { target: { value: text } }) }
}

test.each(enterOfComposition)('a composition ends nothing: %o', async (key) => {
  const { onend, input, type } = field()
  await type('园丁')
  await fireEvent.keyDown(input, key)
  await fireEvent.keyDown(input, { ...key, key: 'Escape' })
  expect(onend).not.toHaveBeenCalled()
  await fireEvent.keyDown(input, { key: 'Enter' })
  expect(onend).toHaveBeenCalledExactlyOnceWith('园丁', false)
})

test('the name is selected, Escape cancels, and no key reaches the surroundings', async () => {
  const heard = vi.fn()
  document.addEventListener('keydown', heard)
  const { onend, input, type } = field()
  expect([document.activeElement, input.selectionStart, input.selectionEnd]).toEqual([input, 0, 8])
  await type('Other')
  await fireEvent.keyDown(input, { key: 'F2' })
  await fireEvent.keyDown(input, { key: 'Escape' })
  await fireEvent.blur(input)
  expect(onend).toHaveBeenCalledExactlyOnceWith(null, false)
  expect(heard).not.toHaveBeenCalled()
  document.removeEventListener('keydown', heard)
})

test('leaving the field submits the typed name, unless it is empty or unchanged', async () => {
  for (const [typed, given] of [
    [' Baker ', 'Baker'],
    ['   ', null],
    ['Gardener', null],
  ] as const) {
    const { onend, input, type, unmount } = field()
    await type(typed)
    await fireEvent.blur(input)
    expect(onend).toHaveBeenCalledExactlyOnceWith(given, false)
    unmount()
  }
})

test('a removed field submits the typed name', async () => {
  const { onend, type, unmount } = field()
  await type('Baker')
  unmount()
  expect(onend).toHaveBeenCalledExactlyOnceWith('Baker', false)
})

test('after a key the focus returns to where it was; what the person clicked instead keeps it', async () => {
  const [before, other] = [document.createElement('button'), document.createElement('button')]
  document.body.append(before, other)
  for (const [leave, left, at] of [
    [(input: HTMLElement) => fireEvent.keyDown(input, { key: 'Enter' }), false, before],
    [() => other.focus(), true, other],
    [(input: HTMLElement) => input.blur(), false, before], // a click on what takes no focus
  ] as const) {
    before.focus()
    const { onend, input, type, unmount } = field()
    await type('Baker')
    await leave(input)
    unmount()
    expect(onend).toHaveBeenCalledExactlyOnceWith('Baker', left)
    expect(document.activeElement).toBe(at)
  }
  before.remove()
  other.remove()
})

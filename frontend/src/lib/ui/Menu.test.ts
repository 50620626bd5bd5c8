// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents, enterOfComposition } from './testing'
import Menu from './Menu.svelte'

domOfComponents()

function open(filter?: string) {
  const run = vi.fn()
  const onclose = vi.fn()
  render(Menu, { label: 'Model', filter, place: { x: 0, y: 0 }, entries: [{ label: '模型', run }, { label: 'other', run: vi.fn() }], onclose })
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

test('the Enter that opened it, still held down, chooses nothing', async () => {
  const { run } = open()
  await fireEvent.keyDown(screen.getByRole('menu'), { key: 'Enter', repeat: true })
  expect(run).not.toHaveBeenCalled()
})

test('a click alone chooses', async () => {
  const { run } = open()
  await fireEvent.click(screen.getByRole('menuitem', { name: '模型' }))
  expect(run).toHaveBeenCalledOnce()
})

// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import PaletteWaiting from './PaletteWaiting.svelte'

domOfComponents()

test('the palette that is loading takes the keys, and closes with Escape', async () => {
  const onclose = vi.fn()
  render(PaletteWaiting, { text: '', onclose })
  const field = screen.getByLabelText<HTMLInputElement>('Find commands, agents, cells, files, settings')
  expect(document.activeElement).toBe(field)
  const outside = vi.fn()
  window.addEventListener('keydown', outside, { once: true })
  await fireEvent.keyDown(field, { key: 'd' })
  expect(outside).not.toHaveBeenCalled()
  await fireEvent.keyDown(field, { key: 'Escape' })
  expect(onclose).toHaveBeenCalledOnce()
})

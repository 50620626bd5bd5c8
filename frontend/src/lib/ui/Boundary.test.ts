// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet } from 'svelte'
import { expect, test, vi } from 'vitest'
import Boundary from './Boundary.svelte'
import { domOfComponents } from './testing'

domOfComponents()

test('an error is shown in place of the part, which can be shown again or closed', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  let broken = true
  const children = createRawSnippet(() => {
    if (broken) throw new Error('The cell has no text.')
    return { render: () => '<p>All is well.</p>' }
  })
  const onclose = vi.fn()
  render(Boundary, { what: 'this notebook', onclose, children })
  expect(screen.getByRole('alert').textContent).toContain('Could not show this notebook. The cell has no text.')
  await fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(onclose).toHaveBeenCalledOnce()
  broken = false
  await fireEvent.click(screen.getByRole('button', { name: 'Show it again' }))
  expect(screen.getByText('All is well.')).toBeTruthy()
})

// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet } from 'svelte'
import { expect, test, vi } from 'vitest'
import EntryForm from './EntryForm.svelte'
import { domOfComponents, enterOfComposition } from './testing'

domOfComponents()

test('Escape closes the form and not the dialog around it; one of a composition does nothing', async () => {
  const onclose = vi.fn()
  const children = createRawSnippet(() => ({ render: () => '<input aria-label="Name">' }))
  render(EntryForm, { label: 'Add', action: 'Add', complete: true, onsave: () => Promise.resolve(true), onclose, children })
  const name = screen.getByLabelText('Name')
  for (const key of enterOfComposition) await fireEvent.keyDown(name, { ...key, key: 'Escape' })
  expect(onclose).not.toHaveBeenCalled()
  // A dialog closes unless the default is prevented.
  expect(await fireEvent.keyDown(name, { key: 'Escape' })).toBe(false)
  expect(onclose).toHaveBeenCalledOnce()
})

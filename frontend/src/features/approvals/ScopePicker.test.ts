// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents, enterOfComposition } from '$lib/ui/testing'
import { Draft } from './draft.svelte'
import ScopePicker from './ScopePicker.svelte'

domOfComponents()

test.each(enterOfComposition)('a pattern that is composed decides nothing: %o', async (key) => {
  const onenter = vi.fn()
  const draft = new Draft(
    { id: '1', tool: 'write_file', arguments: '{}', suggestions: [{ label: 'x', patterns: ['src/**'] }] } as never,
    () => Promise.reject(new Error('unexpected request')),
  )
  draft.scope = 'always'
  render(ScopePicker, { draft, onenter })
  const field = screen.getByRole('textbox', { name: 'Pattern 1' })
  await fireEvent.keyDown(field, key)
  expect(onenter).not.toHaveBeenCalled()
  await fireEvent.keyDown(field, { key: 'Enter' })
  expect(onenter).toHaveBeenCalledOnce()
})

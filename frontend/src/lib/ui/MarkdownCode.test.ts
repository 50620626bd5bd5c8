// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { domOfComponents } from './testing'
import MarkdownCode from './MarkdownCode.svelte'

domOfComponents()

test.each([[true, 'Copied'], [false, 'Copy code']])('code that was copied (%s) is called so', async (worked, label) => {
  render(MarkdownCode, { lang: 'text', chunks: ['x'], settled: true, oncopy: () => Promise.resolve(worked) })
  await fireEvent.click(screen.getByRole('button'))
  await screen.findByRole('button', { name: label })
  expect(screen.getByRole('button').getAttribute('aria-label')).toBe(label)
})

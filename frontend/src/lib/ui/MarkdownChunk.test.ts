// @vitest-environment jsdom
import { render } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { domOfComponents } from './testing'
import MarkdownChunk from './MarkdownChunk.svelte'

domOfComponents()
vi.mock('./MarkdownEnhance', () => ({ highlight: (code: string) => Promise.resolve(`<b>${code}</b>`) }))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const streaming = async () => {
  const { container, rerender } = render(MarkdownChunk, { text: 'one\nt', lang: 'go' })
  await vi.advanceTimersByTimeAsync(100)
  expect(container.querySelector('b')).toBeNull()
  return { coloured: () => container.querySelector('b')?.textContent, rerender }
}

test('colours appear with the next text, in the same frame', async () => {
  const { coloured, rerender } = await streaming()
  await rerender({ text: 'one\ntwo' })
  expect(coloured()).toBe('one\n')
})

test('colours appear by themselves if no text follows', async () => {
  const { coloured } = await streaming()
  await vi.advanceTimersByTimeAsync(300)
  expect(coloured()).toBe('one\n')
})

// @vitest-environment jsdom
import { render } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { highlight } from './MarkdownEnhance'
import { domOfComponents } from './testing'
import MarkdownChunk from './MarkdownChunk.svelte'

domOfComponents()

beforeEach(async () => {
  await highlight('', 'go') // loads what it needs, while time passes by itself
  // Not performance.now(): the turns of Frame, which other files of tests used before, compare it.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame', 'cancelAnimationFrame'] })
})
afterEach(() => void vi.useRealTimers())

/** Draws a complete line and the start of the next, and waits until the line has been coloured. */
async function streaming() {
  const { container, rerender } = render(MarkdownChunk, { text: 'if x {\n\tret', lang: 'go' })
  const before = highlight('if', 'go')
  await vi.dynamicImportSettled()
  await vi.advanceTimersByTimeAsync(100)
  await before
  const words = () => [...container.querySelectorAll('.hljs-keyword')].map((e) => e.textContent)
  expect(words()).toEqual([])
  return { words, rerender }
}

test('colours appear with the next text, in the same frame', async () => {
  const { words, rerender } = await streaming()
  await rerender({ text: 'if x {\n\treturn' })
  expect(words()).toEqual(['if'])
})

test('colours appear by themselves if no text follows', async () => {
  const { words } = await streaming()
  await vi.advanceTimersByTimeAsync(300)
  expect(words()).toEqual(['if'])
})

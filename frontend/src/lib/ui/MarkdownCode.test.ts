// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents } from './testing'
import MarkdownCode from './MarkdownCode.svelte'

domOfComponents()

test.each([
  [true, 'Copied'],
  [false, 'Copy code'],
])('code that was copied (%s) is called so', async (worked, label) => {
  render(MarkdownCode, { lang: 'text', chunks: ['x'], settled: true, oncopy: () => Promise.resolve(worked) })
  await fireEvent.click(screen.getByRole('button'))
  await screen.findByRole('button', { name: label })
  expect(screen.getByRole('button').getAttribute('aria-label')).toBe(label)
})

test('code that streams in is coloured line by line, and keeps every character', async () => {
  const props = { lang: 'go', chunks: ['func main() {\n\treturn "half'], settled: false, oncopy: () => Promise.resolve(true) }
  const { container, rerender } = render(MarkdownCode, props)
  const code = () => container.querySelector('pre')!
  await vi.waitUntil(() => code().querySelector('.hljs-keyword'), { timeout: 10_000 })
  expect(code().textContent).toBe('func main() {\n\treturn "half')
  expect(code().querySelector('.hljs-string')).toBeNull()
  await rerender({ ...props, chunks: ['func main() {\n\treturn "half of <b>it</b> \u202e"\n}'] })
  expect(code().textContent).toBe('func main() {\n\treturn "half of <b>it</b> U+202E"\n}')
  await vi.waitUntil(() => code().querySelector('.hljs-string'), { timeout: 10_000 })
  expect(code().querySelector('b')).toBeNull()
  expect(code().querySelector('.unseen')!.textContent).toBe('U+202E')
  await rerender({ ...props, settled: true, chunks: ['func main() {}\n'] })
  await vi.waitUntil(() => code().querySelector('code:not(.chunk) .hljs-keyword'), { timeout: 10_000 })
})

test('code that will stay plain is not coloured any more while it grows', async () => {
  const props = { lang: 'go', chunks: ['func main() {\n'], settled: false, oncopy: () => Promise.resolve(true) }
  const { container, rerender } = render(MarkdownCode, props)
  await vi.waitUntil(() => container.querySelector('.hljs-keyword'), { timeout: 10_000 })
  await rerender({ ...props, chunks: ['func main() {\n', 'x\n'.repeat(30_000)] })
  expect(container.querySelector('.hljs-keyword')).toBeNull()
})

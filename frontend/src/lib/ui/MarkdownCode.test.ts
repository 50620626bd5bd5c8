// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents } from './testing'
import MarkdownCode from './MarkdownCode.svelte'
import { until } from '$lib/testing/waits'

domOfComponents()

test.each([
  [true, 'Copied'],
  [false, 'Copy code'],
])('code that was copied (%s) is called so', async (worked, label) => {
  render(MarkdownCode, { lang: 'text', chunks: ['x'], settled: true, oncopy: () => Promise.resolve(worked) })
  await fireEvent.click(screen.getByRole('button', { name: 'Copy code' }))
  await screen.findByRole('button', { name: label })
})

test('streaming code is coloured line by line, and keeps every character', async () => {
  const props = { lang: 'go', chunks: ['func main() {\n\treturn "half'], settled: false, oncopy: () => Promise.resolve(true) }
  const { container, rerender } = render(MarkdownCode, props)
  const code = () => container.querySelector('pre')!
  await until(() => code().querySelector('.hljs-keyword'))
  expect(code().textContent).toBe('func main() {\n\treturn "half')
  expect(code().querySelector('.hljs-string')).toBeNull()
  await rerender({ ...props, chunks: ['func main() {\n\treturn "half of <b>it</b> \u202e"\n}'] })
  expect(code().textContent).toBe('func main() {\n\treturn "half of <b>it</b> U+202E"\n}')
  await until(() => code().querySelector('.hljs-string'))
  expect(code().querySelector('b')).toBeNull()
  expect(code().querySelector('.unseen')!.textContent).toBe('U+202E')
  await rerender({ ...props, settled: true, chunks: ['func main() {}\n'] })
  await until(() => code().querySelector('code:not(.chunk) .hljs-keyword'))
})

test.each(['go', 'klingon'])('what is selected in %s stays selected while more arrives, is coloured and numbered', async (lang) => {
  const props = { lang, chunks: ['func main() {\n\treturn'], settled: false, oncopy: () => Promise.resolve(true) }
  const { container, rerender } = render(MarkdownCode, props)
  const pre = () => container.querySelector('pre')!
  if (lang === 'go') await until(() => pre().querySelector('.hljs-keyword'))
  const texts = document.createTreeWalker(pre(), NodeFilter.SHOW_TEXT)
  let text = texts.nextNode() as Text
  while (!text.data.includes('main')) text = texts.nextNode() as Text
  const at = text.data.indexOf('main')
  getSelection()!.setBaseAndExtent(text, at + 4, text, at)
  const selected = () => {
    const { anchorNode, focusNode } = getSelection()!
    return pre().contains(anchorNode) && pre().contains(focusNode) ? String(getSelection()) : 'something else'
  }
  expect(selected()).toBe('main')
  await rerender({ ...props, chunks: ['func main() {\n\treturn "a"\n'] })
  expect(selected()).toBe('main')
  if (lang === 'go') await until(() => pre().querySelector('.hljs-string'))
  expect(selected()).toBe('main')
  await rerender({ ...props, settled: true, chunks: ['func main() {\n\treturn "a"\n}\n'] })
  if (lang === 'go') await until(() => pre().querySelector('code:not(.chunk) .hljs-keyword'))
  expect(selected()).toBe('main')
  await fireEvent.click(screen.getByRole('button', { name: 'Line numbers' }))
  expect(selected()).toBe('main')
})

test('code that will stay plain is not coloured while it grows', async () => {
  const props = { lang: 'go', chunks: ['func main() {\n'], settled: false, oncopy: () => Promise.resolve(true) }
  const { container, rerender } = render(MarkdownCode, props)
  await until(() => container.querySelector('.hljs-keyword'))
  await rerender({ ...props, chunks: ['func main() {\n', 'x\n'.repeat(30_000)] })
  expect(container.querySelector('.hljs-keyword')).toBeNull()
})

test('lines are wrapped and numbered on demand, and copied and saved without the numbers', async () => {
  const oncopy = vi.fn(() => Promise.resolve(true))
  const onsave = vi.fn()
  const { container } = render(MarkdownCode, { lang: 'klingon', chunks: ['a <b>\n', 'c\n'], settled: true, oncopy, onsave })
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
  await press('Wrap lines')
  expect(container.querySelector('.md-code.wrap')).not.toBeNull()
  expect(screen.getByRole('button', { name: 'Wrap lines' }).getAttribute('aria-pressed')).toBe('true')
  await press('Line numbers')
  expect([...container.querySelectorAll('.numbered')].map((e) => e.textContent)).toEqual(['a <b>\n', 'c\n'])
  expect(container.querySelectorAll<HTMLElement>('.chunk')[1]!.style.counterReset).toBe('line 120')
  await press('Copy code')
  expect(oncopy).toHaveBeenCalledWith('a <b>\nc')
  await press('Save as file')
  expect(onsave).toHaveBeenCalledWith('code.klingon', 'a <b>\nc\n')
})

test('code of a thousand lines has its own box, with a button for the viewer', async () => {
  const chunks = Array.from({ length: 9 }, () => 'x\n'.repeat(120))
  const { container, rerender } = render(MarkdownCode, {
    lang: '',
    chunks: chunks.slice(1),
    settled: true,
    oncopy: () => Promise.resolve(true),
  })
  expect(container.querySelector('.long')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Open in a viewer' })).toBeNull()
  await rerender({ chunks })
  expect(container.querySelector('.long')).not.toBeNull()
  screen.getByRole('button', { name: 'Open in a viewer' })
})

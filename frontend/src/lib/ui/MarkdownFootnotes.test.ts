// @vitest-environment jsdom
import { render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { beforeEach, expect, test, vi } from 'vitest'
import Markdown from './Markdown.svelte'
import { MarkdownDoc } from './MarkdownDoc.svelte'
import './MarkdownParser'
import { counterpart, noteOf, positionOf } from './MarkdownFootnotes'
import { domOfComponents } from './testing'

domOfComponents()
beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  )
})

const oncopy = () => Promise.resolve(true)

test('a footnote link names its other end', () => {
  expect(noteOf('footnote:a%22b')).toEqual({ label: 'a"b', to: 'note' })
  expect(noteOf('footnote-back:1')).toEqual({ label: '1', to: 'mark' })
  expect(noteOf('footnote:%')).toBeUndefined()
  expect(noteOf('https://footnote:1')).toBeUndefined()
  expect(counterpart({ label: 'a"b', to: 'note' })).toBe('footnote-back:a%22b')
})

test('marks and notes are found in the text', () => {
  const text = 'One[^1] and two[^b].\n\n> [^1]: first\n\n[^B]: second, see [^1]\n'
  expect(positionOf(text, { label: '1', to: 'mark' })).toBe(3)
  expect(positionOf(text, { label: '1', to: 'note' })).toBe(text.indexOf('[^1]: first'))
  expect(positionOf(text, { label: 'b', to: 'note' })).toBe(text.indexOf('[^B]:'))
  expect(positionOf(text, { label: 'x', to: 'note' })).toBe(-1)
})

test('a mark leads to the note of its own answer and back, and to no other', async () => {
  const onlink = vi.fn()
  const text = 'One[^1].\n\nAgain[^1].\n\n[^1]: The note.\n'
  render(Markdown, { doc: new MarkdownDoc(text), onlink, oncopy })
  render(Markdown, { doc: new MarkdownDoc(text), onlink, oncopy })
  const scrolled = vi.fn<(this: Element) => void>()
  Element.prototype.scrollIntoView = scrolled
  await tick()
  const marks = screen.getAllByRole('link', { name: 'Footnote 1' })
  const notes = screen.getAllByRole('link', { name: 'Back to footnote mark 1' })
  expect([marks.length, notes.length]).toEqual([4, 2])
  marks[3]!.click()
  await tick()
  expect(scrolled.mock.contexts.at(-1)).toBe(notes[1])
  expect(document.activeElement).toBe(notes[1])
  notes[1]!.click()
  await tick()
  expect(document.activeElement).toBe(marks[3])
  notes[0]!.click()
  await tick()
  expect(document.activeElement).toBe(marks[0])
  expect(document.querySelectorAll('.md [id]')).toHaveLength(0)
  expect(onlink).not.toHaveBeenCalled()
})

test('a mark is drawn while text streams; at the end it is text without a note, a link with one', async () => {
  const doc = new MarkdownDoc()
  const { container } = render(Markdown, { doc, onlink: () => undefined, oncopy })
  doc.append('One[^1] and [^2].\n\nMore')
  doc.flush()
  await tick()
  expect([...container.querySelectorAll('sup')].map((e) => e.textContent)).toEqual(['1', '2'])
  doc.append(' text.\n\n[^1]: Note.\n')
  doc.finish()
  doc.flush()
  await tick()
  expect(container.querySelector('p')!.innerHTML).toMatch(/^One<sup><a .*href="footnote:1".*<\/sup> and \[\^2\]\.$/)
})

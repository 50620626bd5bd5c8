// @vitest-environment jsdom
import { EditorView } from '@codemirror/view'
import { afterEach, expect, test } from 'vitest'
import { contentOf } from './MarkdownCopy'
import { domOfComponents } from './testing'

domOfComponents()
afterEach(() => document.body.replaceChildren())

const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}`)

/** A paragraph, an editor with 3,000 lines of which only a few are drawn, and a paragraph. */
function page() {
  const [before, around, after] = ['p', 'div', 'p'].map((name) => document.body.appendChild(document.createElement(name)))
  for (const p of [before!, after!]) {
    p.className = 'selectable'
    p.textContent = 'some words'
  }
  const view = new EditorView({ doc: lines.join('\n'), parent: around! })
  const lineOf = (n: number) => [...view.contentDOM.querySelectorAll('.cm-line')].find((line) => line.textContent === lines[n])!.firstChild!
  return { before: before!.firstChild!, after: after!.firstChild!, view, lineOf }
}

function taken(start: Node, from: number, end: Node, to: number): string[] {
  const range = document.createRange()
  range.setStart(start, from)
  range.setEnd(end, to)
  const html = document.createElement('div')
  html.innerHTML = contentOf(range)().html
  return [...html.children].map((part) => part.textContent)
}

test('of an editor in the selection all is copied, up to the ends of the selection', () => {
  const { before, after, view, lineOf } = page()
  expect(view.contentDOM.querySelectorAll('.cm-line').length).toBeLessThan(1000)
  expect(taken(before, 5, after, 4)).toEqual(['words', lines.join('\n'), 'some'])
  expect(taken(before, 5, lineOf(2), 4)).toEqual(['words', 'line 0\nline 1\nline'])
  expect(taken(lineOf(2), 5, after, 4)).toEqual([['2', ...lines.slice(3)].join('\n'), 'some'])
  expect(taken(lineOf(2), 5, lineOf(3), 4)).toEqual(['2\nline'])
})

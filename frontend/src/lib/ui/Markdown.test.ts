// @vitest-environment jsdom
import { render } from '@testing-library/svelte'
import { flushSync } from 'svelte'
import { expect, test, vi } from 'vitest'
import Markdown from './Markdown.svelte'
import { BlockSplitter, MAX_DRAWN } from './MarkdownBlocks'
import { closeOpen } from './MarkdownClose'
import { MarkdownDoc, parseWith } from './MarkdownDoc.svelte'
import { toHTML } from './MarkdownHtml'
import { Section, shared } from './MarkdownSection'
import { domOfComponents } from './testing'

domOfComponents()
vi.stubGlobal(
  'IntersectionObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
)

/** The texts rendered since the list was emptied. */
const rendered: string[] = []
parseWith({
  splitter: () => new BlockSplitter(),
  section: (blocks) => new Section(blocks),
  toHTML: (text, references) => {
    rendered.push(text)
    return toHTML(text, references)
  },
  closeOpen,
  shared,
})

const word = (i: number) => ['water', '**leaf**', '`cache`', 'garden'][i % 4]!
const paragraph = (n: number) => `Part ${n}: ${Array.from({ length: 40 }, (_, i) => word(i + n)).join(' ')}.\n\n`
const code = (n: number) => `\`\`\`text\nlines of part ${n}\n\`\`\`\n\n`

function show() {
  const doc = new MarkdownDoc()
  const { container } = render(Markdown, { doc, onlink: () => undefined, oncopy: () => Promise.resolve(true) })
  return { doc, container }
}
/** Adds text in pieces, as it streams in. */
function stream(doc: MarkdownDoc, text: string, size = 100) {
  for (let at = 0; at < text.length; at += size) {
    doc.append(text.slice(at, at + size))
    doc.flush()
    flushSync()
  }
}

test('elements drawn while streaming stay the same, even when their section is complete', () => {
  const { doc, container } = show()
  stream(doc, 'The **first** one.\n\n' + code(0) + paragraph(0))
  const [first, second] = container.querySelectorAll('.md-block')
  const box = container.querySelector('.md-code')
  expect(first!.textContent.trim()).toBe('The first one.')
  let made = 0
  const seen = new MutationObserver(() => undefined)
  seen.observe(container, { childList: true, subtree: true })
  for (let n = 1; n <= 60; n++) {
    const was = [...container.querySelectorAll('.md-block')].slice(0, -1)
    stream(doc, paragraph(n))
    expect(was.filter((el) => !el.isConnected)).toEqual([])
    const added = seen.takeRecords().flatMap((r) => [...r.addedNodes])
    made += added.filter((node) => node instanceof Element && node.matches('.md-block, .md-code')).length
  }
  expect(doc.sections.length).toBe(3)
  expect(first!.isConnected && second!.isConnected && box!.isConnected).toBe(true)
  expect(container.querySelectorAll('.md-block').length).toBe(62)
  // Each block once, plus once more for the last block of each section, with which the next one begins.
  expect(made).toBeLessThanOrEqual(60 + doc.sections.length)
})

test('a block is rendered only while text arrives in it', () => {
  const { doc, container } = show()
  const text = Array.from({ length: 60 }, (_, n) => paragraph(n)).join('')
  stream(doc, text, 1000)
  const pieces = Math.ceil(text.length / 1000)
  rendered.length = 0
  stream(doc, 'The last one.', 1000)
  doc.finish()
  flushSync()
  // The block before it may have been open until now.
  expect(rendered.length).toBeLessThanOrEqual(2)
  expect(container.textContent).toContain('The last one.')
  rendered.length = 0
  stream(doc, '\n\n' + text, 1000)
  // Every block once; once more for the block in which each piece ends, and for the start of a section.
  expect(rendered.length).toBeLessThanOrEqual(60 + 2 * (pieces + 1) + 2 * doc.sections.length)
})

test('a link is drawn once its definition has arrived, above and below a section', () => {
  const { doc, container } = show()
  stream(doc, 'See [the page][p].\n\n' + Array.from({ length: 60 }, (_, n) => paragraph(n)).join(''))
  expect(container.querySelector('a')).toBeNull()
  stream(doc, '[p]: https://example.org/\n\nIt is [the page][p] as well.')
  doc.finish()
  flushSync()
  expect([...container.querySelectorAll('a')].map((a) => a.getAttribute('href'))).toEqual(['https://example.org/', 'https://example.org/'])
})

test('only blocks whose content may overlap their surroundings are contained', () => {
  const { doc, container } = show()
  stream(doc, 'Plain **words**, d\u0323\u0302 and `code`.\n\nA formula $x^2$.\n\nA letter e' + '\u0301'.repeat(12) + ' with a tower.\n\n')
  doc.finish()
  flushSync()
  expect([...container.querySelectorAll('.md-block')].map((el) => el.classList.contains('reaches'))).toEqual([false, true, true])
})

test('items before the text that streams in stay the same elements', () => {
  const { doc, container } = show()
  stream(doc, '- one\n- **two**\n- thr')
  const items = [...container.querySelectorAll('li')]
  const text = items[2]!.firstChild
  stream(doc, 'ee\n- four')
  expect(container.querySelectorAll('li').length).toBe(4)
  expect([...container.querySelectorAll('li')].slice(0, 3)).toEqual(items)
  expect(items.every((item) => item.isConnected)).toBe(true)
  expect(items[2]!.firstChild).toBe(text)
  expect(text?.textContent).toContain('three')
})

test.each([3, 11, 40])('text that streamed in, %i characters at a time, is shown like text that came at once', (size) => {
  const text = [
    '# Head\n\nWords with **bold [link](https://example.org)** and `code`, a mark[^1] and a ref [a].',
    '1. one\n   - in *it*\n\n     ```go\n     x := 1\n     ```\n2. two\n- [ ] to do\n- [x] done',
    '| a | b |\n| --- | :-: |\n| 1 | **2** |\n| 3 | `4` |\n\n> [!NOTE]\n> Look\n> > deeper\n\n```text\ncode\n```',
    'שלום **world**\n\n[^1]: The note, with *marks*.\n\n[a]: https://example.org/a\n\nEnd ~~gone~~ <b>raw</b>',
  ].join('\n\n')
  const [one, other] = [show(), show()]
  stream(one.doc, text, size)
  stream(other.doc, text, text.length)
  for (const { doc } of [one, other]) doc.finish()
  flushSync()
  const plain = (of: Element) => of.innerHTML.replaceAll('<!---->', '')
  expect(plain(one.container)).toBe(plain(other.container))
})

test('of a long text only its end is drawn, not the pieces that pass while it is cut', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { doc, container } = show()
  rendered.length = 0
  doc.set(Array.from({ length: 1000 }, (_, i) => paragraph(i)).join(''))
  flushSync()
  expect(container.querySelector('.md-more')).not.toBeNull()
  while (vi.getTimerCount() > 0) {
    vi.runOnlyPendingTimers()
    flushSync()
  }
  vi.useRealTimers()
  expect(container.querySelector('.md-more')).toBeNull()
  expect(container.textContent).toContain('Part 999:')
  expect(rendered.length).toBeLessThan(100)
})

const table = (rows: number) =>
  '| a | b |\n|---|---|\n' + Array.from({ length: rows }, (_, i) => `| cell ${i} | **bold** ${i} |\n`).join('')

test('a long table is rendered once, not again with each slice', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { doc, container } = show()
  rendered.length = 0
  doc.set(table(2000))
  flushSync()
  while (vi.getTimerCount() > 0) {
    vi.runOnlyPendingTimers()
    flushSync()
  }
  vi.useRealTimers()
  expect(container.querySelectorAll('td')).toHaveLength(4000)
  expect(rendered.filter((text) => text.length > 10_000)).toHaveLength(1)
})

test('a block too long to draw is shown as its source', () => {
  const { doc, container } = show()
  rendered.length = 0
  doc.set(table(10_000) + '\n**The end**')
  doc.flush()
  flushSync()
  expect(rendered.every((text) => text.length <= MAX_DRAWN)).toBe(true)
  expect(container.querySelector('.md-code .lang')!.textContent).toBe('markdown')
  expect(container.textContent).toContain('The end')
})

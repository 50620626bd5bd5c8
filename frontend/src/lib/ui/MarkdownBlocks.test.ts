// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { BlockSplitter, type Block, MAX_DRAWN } from './MarkdownBlocks'
import { MarkdownDoc } from './MarkdownDoc.svelte'
import './MarkdownParser'
import { normalise, toHTML } from './MarkdownHtml'

const document = `Intro with a [link][later] and a [second]
paragraph line.

Setext
======

- one
- two

  still two
    - nested

          code in a list
- [x] done
- [ ] open

1. first

   \`\`\`go
   func inList() {}

   \`\`\`
2. second
---
> quote
lazy line
> > deeper
***
text | more
---- | ----:
a | 1
b | \`x|y\`

after the table
\`\`\`\`md
\`\`\`
not the end

\`\`\`
\`\`\`\`
~~~
tilde \`\`\`
~~~

    indented code

    still the same

$$
a = b
+ c
$$

Inline $x_1$, \\(y\\) and money: $5 and $6.

[later]: https://example.com "title
over two lines"
[second]: <https://example.org>
[not a definition
[third]: /relative
'maybe a title

no it is not

* a

  > quote in a list

* b
+ other list

\\[
\\int_0^1
\\]

# Heading #
<div onclick="x">no html</div>
![picture](https://example.com/p.png) trailing
Last words with [later].

\`\`\`python
print("never closed")

x = 1`

/** Equal blocks with equal definitions give equal HTML; most of the cuts below end in the same blocks. */
const drawn = new Map<string, string>()
const draw = (src: string, references: Record<string, unknown>) => {
  const key = JSON.stringify([src, references])
  const known = drawn.get(key) ?? toHTML(src, { references: { ...references } })
  drawn.set(key, known)
  return known
}

const html = (s: BlockSplitter, settled: Block[]) => [...settled, ...s.tail].map((b) => draw(b.src, all(s))).join('')

/** Every definition of the document, as at its end. */
function all(s: BlockSplitter): Record<string, unknown> {
  const refs: Record<string, unknown> = {}
  for (const key in s.tailEnv.references) refs[key] = s.tailEnv.references[key]
  return refs
}

function split(text: string, cut: () => number): { html: string; splitter: BlockSplitter; settled: Block[] } {
  const splitter = new BlockSplitter()
  const settled: Block[] = []
  for (let at = 0; at < text.length;) {
    const n = Math.max(1, cut())
    settled.push(...splitter.push(text.slice(at, at + n)))
    at += n
  }
  return { html: html(splitter, settled), splitter, settled }
}

const loose = (s: string) => s.replace(/\s+/g, ' ').replace(/> </g, '><').trim()

describe('BlockSplitter', () => {
  const want = loose(toHTML(normalise(document)))

  it('gives the same by blocks as for the whole', () => {
    expect(loose(split(document, () => document.length).html)).toBe(want)
  })
  it('gives the same character by character', () => {
    expect(loose(split(document, () => 1).html)).toBe(want)
  })
  it('gives the same line by line, and with CRLF', () => {
    expect(loose(split(document.replaceAll('\n', '\r\n'), () => 7).html)).toBe(want)
  })
  it('gives the same for any cuts', () => {
    let seed = 1
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647
    for (let round = 0; round < 60; round++) {
      const largest = 1 + Math.floor(random() * 60)
      expect(loose(split(document, () => Math.ceil(random() * largest)).html)).toBe(want)
    }
  })
  it('gives the same for a random mix of lines', () => {
    const lines = [
      'a',
      '',
      '- x',
      '  y',
      '> q',
      '---',
      '===',
      '```',
      '~~~~',
      '1. n',
      '    code',
      '| a | b |',
      '|---|---|',
      '$$',
      '\\[',
      '\\]',
      '[r]: /u',
      "'t",
      '[r]',
      '# h',
      '***',
      '-',
      '\t',
      '> ```',
      '- ```',
      '+',
      '10) z',
      'x $$',
      '  - - >',
      '"open',
      'x[^1]',
      '[^1]: w',
      '  [^n]: two words',
      '<kbd>',
    ]
    let seed = 99
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647
    for (let round = 0; round < 200; round++) {
      const text = Array.from({ length: 14 }, () => lines[Math.floor(random() * lines.length)]).join('\n')
      const got = split(text, () => Math.ceil(random() * 5))
      expect(loose(got.html), JSON.stringify(text)).toBe(loose(toHTML(text)))
    }
  })
  it('settles blocks as it goes, so that only the last one is parsed again', () => {
    const splitter = new BlockSplitter()
    let largest = 0
    for (let i = 0; i < 400; i++) {
      splitter.push(`Paragraph ${i} with some words.\n\n`)
      largest = Math.max(
        largest,
        splitter.tail.reduce((n, b) => n + b.src.length, 0),
      )
    }
    expect(largest).toBeLessThan(120)
  })
  it('keeps the code of a fence in order while it streams, and ends it at the right place', () => {
    const body = Array.from({ length: 500 }, (_, i) => `line ${i} \`\`\``).join('\n')
    const splitter = new BlockSplitter()
    const text = `\`\`\`\`go\n${body}\n`
    for (let at = 0; at < text.length; at += 13) {
      splitter.push(text.slice(at, at + 13))
      if (at > 20) expect(text.slice(7, at + 13)).toBe(splitter.tail[0]!.code!.chunks.join(''))
    }
    expect(splitter.tail[0]!.code!.lang).toBe('go')
    splitter.push('````\n\nbehind')
    expect(splitter.tail.at(-1)!.src).toBe('behind')
  })
})

describe('MarkdownDoc', () => {
  it('has the same text and blocks whether it streamed in or was set', () => {
    const streamed = new MarkdownDoc()
    streamed.show()
    for (let at = 0; at < document.length; at += 11) streamed.append(document.slice(at, at + 11))
    streamed.flush()
    streamed.finish()
    const set = new MarkdownDoc(document)
    set.flush()
    const blocks = (d: MarkdownDoc) => [...d.sections.flatMap((s) => s.blocks), ...d.open, ...d.tail]
    expect(streamed.text).toBe(document)
    const render = (d: MarkdownDoc) =>
      loose(
        blocks(d)
          .map((b) => d.html(d.shown(b, true), true))
          .join(''),
      )
    expect(render(streamed)).toBe(render(set))
    expect(render(set)).toBe(loose(toHTML(document)))
  })
  it('keeps what is drawn if the finished form equals the streamed one', () => {
    const doc = new MarkdownDoc()
    doc.append('one\n\ntwo\n\nthr')
    doc.flush()
    const first = doc.open[0]
    doc.set('one\n\ntwo\n\nthree')
    doc.flush()
    expect(doc.open[0]).toBe(first)
    doc.set('other')
    doc.flush()
    expect([...doc.open, ...doc.tail].map((b) => b.src)).toEqual(['other'])
  })
  it('returns the blocks of a section as they were cut, with their code, even once it is complete', () => {
    const text = Array.from({ length: 40 }, (_, i) => `${document}\n\n## Part ${i}\n\n    indented ${i}\n\n`).join('')
    const splitter = new BlockSplitter()
    const cut = [...splitter.push(text), ...splitter.tail]
    const doc = new MarkdownDoc()
    doc.show()
    for (let at = 0; at < text.length; at += 997) doc.append(text.slice(at, at + 997))
    doc.flush()
    const sections = doc.sections.length
    expect(sections).toBeGreaterThan(2)
    const all = () => [...doc.sections.flatMap((s) => s.blocks), ...doc.open, ...doc.tail]
    expect(all()).toEqual(cut)
    expect(cut.filter((b) => b.code).length).toBeGreaterThan(40)
    doc.finish()
    expect(doc.sections).toHaveLength(sections)
    expect(all()).toEqual(cut)
  })
  it('keeps invalid characters and CR out of its blocks, even once it is complete', () => {
    const doc = new MarkdownDoc('one\r\n\r\ntwo \0\r\n\r\nthree')
    doc.flush()
    expect([...doc.open, ...doc.tail].map((b) => b.src)).toEqual(['one\n\n', 'two \ufffd\n\n', 'three'])
    expect(doc.text).toBe('one\r\n\r\ntwo \0\r\n\r\nthree')
  })
  it('continues after it was finished', () => {
    const doc = new MarkdownDoc('Hello wor')
    doc.flush()
    doc.append('ld\n\nmore')
    doc.flush()
    expect([...doc.open, ...doc.tail].map((b) => b.src.trim())).toEqual(['Hello world', 'more'])
  })
  it('cuts nothing while hidden', () => {
    const doc = new MarkdownDoc()
    doc.append('a\n\nb\n\nc')
    expect(doc.tail).toHaveLength(0)
    doc.show()()
    expect(doc.tail.length + doc.open.length).toBe(3)
  })
})

it.each([
  ['a table', '| a | b |\n|---|---|\n' + '| a cell | another |\n'.repeat(20_000)],
  ['a list', '- an item\n'.repeat(40_000)],
  ['a line', 'words in one line '.repeat(20_000)],
])('%s without an end costs no more with each push', (_, text) => {
  const splitter = new BlockSplitter()
  const settled: Block[] = []
  for (let at = 0; at < text.length; at += 30_000) {
    settled.push(...splitter.push(text.slice(at, at + 30_000)))
    const open = splitter.tail.reduce((sum, block) => sum + (block.code ? 0 : block.src.length), 0) // which is parsed again
    expect(open).toBeLessThan(130_000)
  }
  const all = [...settled, ...splitter.tail]
  expect(all.map((block) => block.src).join('')).toBe(text)
  all.reduce((at, block) => (expect(block.id).toBe(at), at + block.src.length), 0)
})

/** The blocks of a text that arrives in slices. */
function blocksOf(text: string, slice = 30_000): Block[] {
  const splitter = new BlockSplitter()
  const settled: Block[] = []
  for (let at = 0; at < text.length; at += slice) settled.push(...splitter.push(text.slice(at, at + slice)))
  return [...settled, ...splitter.tail]
}

it.each([
  ['with spaces', 'words in one line '.repeat(20_000)],
  ['without', 'x'.repeat(360_000)],
  ['below another line', `See:\n${'x'.repeat(360_000)}`],
])('a line of 360,000 characters %s is drawn as text, and what was drawn of it stays', (_, text) => {
  const all = blocksOf(`${text}\n\nThe end`)
  expect(all.map((block) => block.src).join('')).toBe(`${text}\n\nThe end`)
  expect(Math.max(...all.map((block) => block.src.length))).toBeLessThanOrEqual(MAX_DRAWN)
  expect(all.length).toBeGreaterThan(5)
  // Each block of the line but the first begins with the rest of a word and is marked as joined; the block after the line is not.
  const end = all.findIndex((block) => block.src.includes('The end'))
  expect(all.map((block) => block.joined ?? false)).toEqual(all.map((_, i) => i > 0 && i < end))
  for (const block of all.slice(1, end)) expect(block.src).toMatch(/^\p{L}/u)
})

it('a long line in a code fence of a list ends nothing', () => {
  const list = `- see\n\n  ~~~\n  ${'x'.repeat(50_000)}\n  ~~~\n- more\n\n`
  const [first, end] = blocksOf(`${list}The end`, 10_000)
  expect(first!.src).toBe(list)
  expect(end!.src).toBe('The end')
})

it.each([
  ['a blank line', '\n**The end**\n'],
  ['a heading', '## The end\n'],
  ['a fence', '```js\nlet a\n\nlet b\n```\n\nThe end\n'],
])('a block too long to draw is one block of source up to %s', (_, after) => {
  const rows = '| a cell | another |\n'.repeat(10_000)
  const table = '| a | b |\n|---|---|\n' + rows
  for (const size of [7, 30_000, 40_007, 1_000_000]) {
    const splitter = new BlockSplitter()
    const settled: Block[] = []
    const text = table + after
    // Each row is not its own push: only the last ones come in small pieces.
    const small = size < 100 ? text.length - 200 : 0
    if (small) settled.push(...splitter.push(text.slice(0, small)))
    for (let at = small; at < text.length; at += size) settled.push(...splitter.push(text.slice(at, at + size)))
    const all = [...settled, ...splitter.tail]
    const [first, ...others] = all
    expect(first!.src.trimEnd(), String(size)).toBe(table.trimEnd())
    expect(
      others
        .map((b) => b.src)
        .join('')
        .trim(),
    ).toBe(after.trim())
    if (after.startsWith('```')) expect(others[0]!.code).toEqual({ lang: 'js', chunks: ['let a\n\nlet b\n'] })
  }
})

it('a fence in a long list is part of its source, with its blank lines', () => {
  const splitter = new BlockSplitter()
  const list = '- an item of the list\n'.repeat(5000) + '- code:\n    ```js\n    let a\n'
  const settled = [...splitter.push(list)]
  expect(splitter.tail[0]!.code!.lang).toBe('markdown')
  const fence = '\n# no heading\n    ```\n- more\n'
  settled.push(...splitter.push(fence + '\nThe end'))
  const all = [...settled, ...splitter.tail]
  expect(all.map((b) => b.src.trimEnd())).toEqual([(list + fence).trimEnd(), '\nThe end'])
})

// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { closeOpen } from './MarkdownClose'
import { MarkdownDoc } from './MarkdownDoc.svelte'
import './MarkdownParser'

test.each<[string, string]>([
  ['plain', 'plain'],
  ['some **bo', 'some **bo**'],
  ['some **', 'some '],
  ['some *', 'some '],
  ['some **bold*', 'some **bold**'],
  ['some **bold**', 'some **bold**'],
  ['some **bold** and *ital', 'some **bold** and *ital*'],
  ['**bold and *both', '**bold and *both***'],
  ['***both', '***both***'],
  ['***both***', '***both***'],
  ['use `co', 'use `co`'],
  ['use `', 'use '],
  ['use ``a ` b', 'use ``a ` b``'],
  ['`**` and **b', '`**` and **b**'],
  ['~~gone', '~~gone~~'],
  ['_ital', '_ital_'],
  ['这是**粗体', '这是**粗体**'],
  ['**bold ', '**bold**'],
  // Not markup.
  ['2 * 3 and 2*3 and 2**3', '2 * 3 and 2*3 and 2**3'],
  ['snake_case_name and __init', 'snake_case_name and __init__'],
  ['a \\*b', 'a \\*b'],
  ['- item\n- **bo', '- item\n- **bo**'],
  ['* item\n* other', '* item\n* other'],
  ['a **b\n\nc', 'a **b\n\nc'],
  ['> quoted `co', '> quoted `co`'],
  ['| a | `b', '| a | `b`'],
  // Links and pictures whose address is still arriving.
  ['see [the page](http://ex', 'see the page'],
  ['see [the page](', 'see the page'],
  ['see **[the page](http', 'see **the page**'],
  ['see [the page](http://x) and **b', 'see [the page](http://x) and **b**'],
  ['![alt](data:image', ''],
  ['an [array', 'an [array'],
  ['x[0] = **y', 'x[0] = **y**'],
])('%j is drawn as %j', (src, want) => expect(closeOpen(src)).toBe(want))

test('fast for pieces of any length and for markup alone', () => {
  const start = performance.now()
  for (const src of [
    '*'.repeat(1 << 20),
    '`a'.repeat(1 << 19),
    '['.repeat(1 << 20),
    `${'**a '.repeat(900)}`,
    '['.repeat(3900),
    '`'.repeat(1999) + 'a`'.repeat(900),
    '\n'.repeat(1 << 20),
    '- a\n'.repeat(1 << 18),
  ])
    closeOpen(src)
  expect(performance.now() - start).toBeLessThan(2000)
})

test('a document closes only its last block, and nothing once it is complete', () => {
  const doc = new MarkdownDoc()
  doc.show()
  doc.append('One **half.\n\nTwo `half')
  doc.flush()
  const html = () => [...doc.open, ...doc.tail].map((b) => doc.html(doc.shown(b, doc.finished), doc.finished)).join('')
  expect(html()).toContain('One **half.')
  expect(html()).toContain('<code>half</code>')
  doc.finish()
  expect(html()).toContain('Two `half')
})

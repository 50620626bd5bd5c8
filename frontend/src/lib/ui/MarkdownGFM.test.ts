// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { toHTML } from './MarkdownHtml'

/*
 * The additions of GFM to CommonMark, rule by rule, with the number of the example in version
 * 0.29-gfm that shows the rule. CommonMark's own examples are in MarkdownSpec.test.ts.
 */

const drawn = (text: string) => {
  const root = document.createElement('div')
  root.innerHTML = toHTML(text)
  return root
}
/** The rows of the tables, each cell preceded by its alignment. */
const rows = (text: string) =>
  [...drawn(text).querySelectorAll('tr')].map((row) =>
    [...row.children].map((cell) => `${cell.tagName.toLowerCase()}${cell.getAttribute('align')?.[0] ?? ''}:${cell.innerHTML}`),
  )
/** The text with its links as [text](address). */
const links = (text: string) => {
  const root = drawn(text)
  for (const a of root.querySelectorAll('a')) a.replaceWith(`[${a.textContent}](${a.getAttribute('href') ?? 'nothing'})`)
  return root.textContent!.trim()
}

test.each([
  [
    '198',
    '| tool | price |\n| --- | --- |\n| saw | 12 |',
    [
      ['th:tool', 'th:price'],
      ['td:saw', 'td:12'],
    ],
  ],
  [
    '199: alignment, and outer bars left out',
    '| a | price |\n:-: | ---:\nsaw | 12',
    [
      ['thc:a', 'thr:price'],
      ['tdc:saw', 'tdr:12'],
    ],
  ],
  [
    '200: a bar in a cell, in code and in strong text',
    '| a\\|b |\n| - |\n| x `\\|` y |\n| **\\|** |',
    [['th:a|b'], ['td:x <code>|</code> y'], ['td:<strong>|</strong>']],
  ],
  [
    '202: a line without bars is a row',
    '| a | b |\n| - | - |\n| 1 | 2 |\nlast',
    [
      ['th:a', 'th:b'],
      ['td:1', 'td:2'],
      ['td:last', 'td:'],
    ],
  ],
  ['203: fewer rules than headings is no table', '| a | b |\n| - |\n| 1 |', []],
  [
    '204: short rows are filled, long ones cut',
    '| a | b |\n| - | - |\n| 1 |\n| 1 | 2 | 3 |',
    [
      ['th:a', 'th:b'],
      ['td:1', 'td:'],
      ['td:1', 'td:2'],
    ],
  ],
  ['205: headings alone', '| a | b |\n| - | - |', [['th:a', 'th:b']]],
])('a table, example %s', (_, text, want) => {
  expect(rows(text)).toEqual(want)
})

test('a table ends at the next block or an empty line (examples 201 and 202)', () => {
  const table = '| a | b |\n| - | - |\n| 1 | 2 |\n'
  for (const [after, tag] of [
    ['> quoted', 'BLOCKQUOTE'],
    ['\nwords', 'P'],
    ['# head', 'H1'],
    ['- item', 'UL'],
  ] as const) {
    const root = drawn(table + after)
    expect([root.querySelectorAll('td').length, root.lastElementChild!.tagName]).toEqual([2, tag])
  }
  expect(drawn('| a | b |\n| - | - |').querySelector('tbody')).toBeNull()
})

test('task lists, one in another (examples 279 and 280)', () => {
  const boxes = [...drawn('- [x] sow\n  - [ ] water\n  - [X] weed\n- [ ] reap\n- plain').querySelectorAll('li')].map((li) => {
    const box = li.querySelector<HTMLInputElement>(':scope > input, :scope > label > input')
    return box ? `${box.checked ? 'x' : ' '}${box.disabled ? '' : ' can be pressed'}` : '-'
  })
  expect(boxes).toEqual(['x', ' ', 'x', ' ', '-'])
})

test('strikethrough, within one paragraph (examples 491 and 492)', () => {
  expect(drawn('~~wet~~ dry').innerHTML.trim()).toBe('<p><s>wet</s> dry</p>')
  expect(drawn('It ~~ends\n\nhere~~.').querySelector('s')).toBeNull()
})

test.each([
  ['621', 'www.example.org', '[www.example.org](http://www.example.org)'],
  ['622', 'See www.example.org/help for more.', 'See [www.example.org/help](http://www.example.org/help) for more.'],
  ['623: a full stop at the end is not of it', 'See www.example.org/a.b.', 'See [www.example.org/a.b](http://www.example.org/a.b).'],
  ['624: brackets around it', '(www.example.org/q=a+(b))', '([www.example.org/q=a+(b)](http://www.example.org/q=a+(b)))'],
  ['624: brackets left over', 'www.example.org/q=a+(b)))', '[www.example.org/q=a+(b)](http://www.example.org/q=a+(b)))) '.trim()],
  ['626: parameters', 'www.example.org/?a=b&hl=en', '[www.example.org/?a=b&hl=en](http://www.example.org/?a=b&hl=en)'],
  ['626: an entity at the end', 'www.example.org/?a=b&hl;', '[www.example.org/?a=b](http://www.example.org/?a=b)&hl;'],
  ['627', 'www.example.org/he<lp', '[www.example.org/he](http://www.example.org/he)<lp'],
  ['628: http', 'http://example.org', '[http://example.org](http://example.org)'],
  ['628: https', '(See https://example.org/q=a+(b))', '(See [https://example.org/q=a+(b)](https://example.org/q=a+(b)))'],
  ['629', 'me@example.org', '[me@example.org](mailto:me@example.org)'],
  ['630', 'me+garden@mail.example is right', '[me+garden@mail.example](mailto:me+garden@mail.example) is right'],
  ['631: a full stop at the end', 'a.b-c_d@example.org.', '[a.b-c_d@example.org](mailto:a.b-c_d@example.org).'],
  ['628: ftp leads nowhere here', 'ftp://example.org', 'ftp://example.org'],
  ['none: a host without a scheme', 'example.org and main.go', 'example.org and main.go'],
  ['none: a comment', '//example.org/x', '//example.org/x'],
  ['none: www. in a word', 'awww.example.org', 'awww.example.org'],
  ['none: www. alone', 'www. and www.example', 'www. and [www.example](http://www.example)'],
  ['none: in code', '`www.example.org me@example.org`', 'www.example.org me@example.org'],
  ['none: after Chinese', '请看 www.example.org/帮助', '请看 [www.example.org/帮助](http://www.example.org/%E5%B8%AE%E5%8A%A9)'],
])('an address in the text, example %s', (_, text, want) => {
  expect(links(text)).toBe(want)
})

test('the tags that GFM forbids are text, like all others (example 653)', () => {
  const root = drawn('<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> and <XMP>.\n</blockquote>')
  expect(root.querySelectorAll(':not(p)').length).toBe(0)
  expect(root.textContent).toContain('<title> <style>')
})

test('a text of addresses alone has a link for each', () => {
  expect(drawn('www.a.b '.repeat(1000)).querySelectorAll('a').length).toBe(1000)
})

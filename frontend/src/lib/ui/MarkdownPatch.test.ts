// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { MarkdownPatch } from './MarkdownPatch'

function made(html: string) {
  const node = document.createElement('div')
  node.innerHTML = html
  return { node, patch: new MarkdownPatch(node, html) }
}

const steps = [
  '',
  '<p>a</p>',
  '<p>a <strong>b</strong></p>',
  '<p>a <strong>bc</strong> d</p>',
  '<p dir="rtl">a</p>\n<ul><li>one</li></ul>',
  '<p>a</p>\n<ul><li>one</li>\n<li>two <code>x</code></li></ul>',
  '<ul><li><p>one</p></li></ul><hr>',
  '<h2>a</h2><ul><li><p>one</p></li><li>b</li></ul>',
  'text<p>a</p>',
  '<table><tbody><tr><td>1</td></tr></tbody></table>',
  '',
]

test('the content becomes that of the HTML, from any to any other', () => {
  for (const from of steps)
    for (const to of steps) {
      const { node, patch } = made(from)
      patch.apply(to)
      expect(node.innerHTML, `${from} to ${to}`).toBe(to)
      patch.apply(from)
      expect(node.innerHTML, `${to} to ${from}`).toBe(from)
    }
})

test('what did not change stays: items before, and a selection in text that grows', () => {
  const { node, patch } = made('<ul><li>one</li><li>two</li></ul>')
  const [one, two] = node.querySelectorAll('li')
  const selection = getSelection()!
  document.body.append(node)
  selection.setBaseAndExtent(two!.firstChild!, 1, two!.firstChild!, 3)
  patch.apply('<ul><li>one</li><li>two and more</li><li>three</li></ul>')
  expect([...node.querySelectorAll('li')].slice(0, 2)).toEqual([one, two])
  expect(node.querySelectorAll('li')[1]).toBe(two)
  expect(String(selection)).toBe('wo')
  // The end of the text was a mark that is drawn now.
  patch.apply('<ul><li>one</li><li>two an<em>d</em></li></ul>')
  expect(node.innerHTML).toBe('<ul><li>one</li><li>two an<em>d</em></li></ul>')
  expect(String(selection)).toBe('wo')
  node.remove()
})

test('a formula that was drawn stays until its source changes', () => {
  const { node, patch } = made('<p>as <span class="math">x</span> is</p>')
  const draw = (of: Element) => {
    of.innerHTML = '<b>drawn</b>'
    of.setAttribute('data-drawn', '')
  }
  const first = node.querySelector('.math')!
  draw(first)
  patch.apply('<p>as <span class="math">x</span> is <span class="math">y</span></p>')
  const [x, y] = node.querySelectorAll('.math')
  expect(x).toBe(first)
  expect(x!.innerHTML).toBe('<b>drawn</b>')
  expect(y!.outerHTML).toBe('<span class="math">y</span>')
  draw(y!)
  patch.apply('<p>as <span class="math">x</span> is <span class="math">yz</span></p>')
  expect(node.innerHTML).toBe('<p>as <span class="math" data-drawn=""><b>drawn</b></span> is <span class="math">yz</span></p>')
})

test('an element whose content was exchanged is made anew, not patched in the wrong place', () => {
  const { node, patch } = made('<p><a href="#">words</a> and</p>')
  node.querySelector('p')!.innerHTML = '<img>'
  patch.apply('<p><a href="#">words</a> and more</p>')
  expect(node.innerHTML).toBe('<p><a href="#">words</a> and more</p>')
})

test('code that was coloured is made anew once it changes, however its pieces are cut', () => {
  const { node, patch } = made('<pre><code>a <i>b</i> c</code></pre>')
  const code = node.querySelector('code')!
  code.innerHTML = 'a b<i></i> c'
  code.dataset.drawn = ''
  patch.apply('<pre><code>a <i>b</i> cd</code></pre>')
  expect(node.innerHTML).toBe('<pre><code>a <i>b</i> cd</code></pre>')
})

// @vitest-environment jsdom
import { tests } from 'commonmark-spec'
import { expect, test } from 'vitest'
import { filePath, folderScheme } from './MarkdownFiles'
import { sanitise, toHTML } from './MarkdownHtml'

/*
 * The published examples of CommonMark, of which GFM is an extension, from the package
 * commonmark-spec. Examples that are drawn differently are listed below with the reason; the list
 * must be exact. MarkdownGFM.test.ts tests the additions of GFM.
 */

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** The numbers of the examples that are drawn differently, by reason. */
const otherwise: Record<string, number[]> = {
  'HTML is text': [
    ...[21, 31, 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536],
    ...range(148, 191),
    ...range(613, 617),
    623,
    ...range(625, 631),
    ...[642, 643],
  ],
  '\\[ and \\] enclose a formula': [12],
  'a bare address is a link, as in GFM': [602, 608, 611, 612],
}

/** A body with HTML. A document for each would take most of the test's time. */
function parsed(html: string): HTMLElement {
  const body = document.createElement('body')
  body.innerHTML = html
  return body
}

/** The expected HTML of an example under this program's rules: links to files have a special form, and no picture is loaded. */
function underRules(html: string): string {
  const body = parsed(html)
  for (const img of body.querySelectorAll('img')) {
    const src = img.getAttribute('src') ?? ''
    const isFile = filePath(src) !== undefined
    const shown = document.createElement(!img.closest('a') && (isFile || /^https?:/i.test(src)) ? 'a' : 'span')
    shown.className = 'image-link'
    if (shown.tagName === 'A') {
      shown.setAttribute('href', src)
      if (isFile) shown.className += ' image-file'
    }
    shown.textContent = (img.getAttribute('alt') ?? '').trim() || 'image'
    img.replaceWith(shown)
  }
  for (const link of body.querySelectorAll('a[href]')) {
    const path = filePath(link.getAttribute('href') ?? '')
    if (path !== undefined) link.setAttribute('href', folderScheme + encodeURIComponent(path))
  }
  return sanitise(body.innerHTML)
}

/** HTML without irrelevant details: the order of attributes, space between elements, and notes about links. */
function normal(html: string): string {
  const body = parsed(html)
  for (const el of body.querySelectorAll('*'))
    for (const { name, value } of [...el.attributes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      el.removeAttribute(name)
      if (name !== 'rel' && name !== 'data-tip') el.setAttribute(name, value)
    }
  return body.innerHTML.replace(/>\s+/g, '>').replace(/\s+</g, '<').trim()
}

test('CommonMark’s examples are drawn as specified, except for those listed', () => {
  expect(tests.length).toBe(652)
  const found = tests
    .filter(({ markdown, html }) => {
      const tabs = (text: string) => text.replaceAll('→', '\t')
      return normal(toHTML(tabs(markdown))) !== normal(underRules(tabs(html)))
    })
    .map(({ number }) => number)
  expect(found).toEqual(
    Object.values(otherwise)
      .flat()
      .sort((a, b) => a - b),
  )
})

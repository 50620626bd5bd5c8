// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { directionOf, languageOf } from './MarkdownDirection'
import { toHTML } from './MarkdownHtml'

test.each([
  ['مرحبا code', 'rtl'],
  ['שלום', 'rtl'],
  ['1. (مرحبا)', 'rtl'],
  ['Hello مرحبا', 'ltr'],
  ['中文', 'ltr'],
  ['12 + 3', undefined],
  ['', undefined],
])('%j runs %s', (text, dir) => expect(directionOf(text)).toBe(dir))

test.each([
  ['これは漢字', 'ja'],
  ['カタカナ', 'ja'],
  ['한국어', 'ko'],
  ['中文', undefined],
  ['English', undefined],
])('%j is in %s', (text, lang) => expect(languageOf(text)).toBe(lang))

/** The elements of a text with a direction. */
function directions(text: string): string[] {
  const root = document.createElement('div')
  root.innerHTML = toHTML(text)
  return [...root.querySelectorAll('[dir]')].map((el) => `${el.tagName.toLowerCase()} ${el.getAttribute('dir')}`)
}

test('a list, a table and a quote take the direction of their content', () => {
  expect(directions('- أولا\n- ثانيا')).toEqual(['ul rtl'])
  expect(directions('| العمود | B |\n|---|---|\n| مطر | 12 |')).toEqual(['div rtl', 'th ltr'])
  expect(directions('- שלום\n- English')).toEqual(['ul rtl'])
  expect(directions('> שלום\n>\n> English')).toEqual(['blockquote rtl', 'p ltr'])
  expect(directions('# مرحبا\n\nEnglish')).toEqual(['h1 rtl'])
})

test('left-to-right text sets no direction', () => {
  expect(toHTML('# One\n\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |')).not.toContain('dir=')
})

test('code before a text does not change its direction', () => {
  expect(directions('`npm run build` يبني البرنامج')).toEqual(['p rtl'])
  expect(directions('`مرحبا` says hello')).toEqual([])
})

test('Japanese and Korean are detected anywhere in a text', () => {
  expect(toHTML('これは **漢字** です')).toContain('<p lang="ja">')
  expect(toHTML('- 한국어 문장')).toContain('<li lang="ko">')
})

import { describe, expect, test } from 'vitest'
import { fileNameFor, htmlOfText, linesOf, numbered } from './codeLines'

describe('code in lines', () => {
  test.each([
    ['a\nb\n', ['a', 'b']],
    ['a\n\nb', ['a', '', 'b']],
    ['', ['']],
    ['<span class="x">a\nb</span>c\n', ['<span class="x">a</span>', '<span class="x">b</span>c']],
    [
      '<span class="x"><span class="y">\n</span></span>',
      ['<span class="x"><span class="y"></span></span>', '<span class="x"><span class="y"></span></span>'],
    ],
    ['&lt;b&gt;', ['&lt;b&gt;']],
  ])('%j', (html, lines) => expect(linesOf(html)).toEqual(lines))
  test('text stays text', () => {
    expect(numbered(htmlOfText('<img src=x onerror=alert(1)>\n'))).toBe(
      '<span class="numbered">&lt;img src=x onerror=alert(1)&gt;\n</span>',
    )
  })
})

describe('the suggested name for a file', () => {
  test.each([
    ['python', 'code.py'],
    ['go', 'code.go'],
    ['TS', 'code.ts'],
    ['', 'code.txt'],
    ['../../x', 'code.txt'],
    ['exe', 'code.txt'],
    ['bat', 'code.txt'],
    ['constructor', 'code.txt'],
    ['"onclick=alert(1)', 'code.txt'],
  ])('%s', (lang, name) => expect(fileNameFor(lang)).toBe(name))
})

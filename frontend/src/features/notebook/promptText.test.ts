import { describe, expect, it } from 'vitest'
import { linesOf } from './promptText'

const drawn = (text: string) =>
  linesOf(text).map((line) => line.map((s) => (s.cls ? `{${s.cls.split(' ')[0]}|${s.text}}` : s.text)).join(''))

describe('the drawn prompt', () => {
  it.each([
    ['', ['']],
    ['plain', ['plain']],
    ['a\n\nb', ['a', '', 'b']],
    ['see @[a.go:1:2], {{R}}', ['see {chip|a.go:1:2}, {macro|{{R}}}']],
    ['![image](file:///tmp/x/p99.png) there', ['{chip|p99.png} there']],
    ['**b**', ['{tok-strong|**}{tok-strong|b}{tok-strong|**}']],
    ['@[ls{\n"uri":"."}] x', ['{chip|ls{}', '{chip|"uri":"."}} x']],
    ['#define A b\nx', ['{directive|#define A b}', 'x']],
  ])('%j', (text, want) => expect(drawn(text)).toEqual(want))

  it('has as many lines as the text, so that the editor replaces it without a jump', () => {
    for (const text of ['a\n', '\n\n', '# h\n\n- @[x]\n- ![i](y.png)\n\n```\ncode\n```\n', 'x @[ls{"a":\n1}]\n{{A}}']) {
      expect(linesOf(text)).toHaveLength(text.split('\n').length)
    }
  })

  it('leaves out no characters except the brackets of chips', () => {
    const text = '# T\n> q *e* `c` @[a] [l](http://x) {{M}} tail\n1. x'
    expect(
      linesOf(text)
        .map((l) => l.map((s) => s.text).join(''))
        .join('\n'),
    ).toBe(text.replace('@[a]', 'a'))
  })
})

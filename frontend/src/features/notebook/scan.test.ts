import { describe, expect, it } from 'vitest'
import { imageName, scan, type Mark } from './scan'

const kinds = (text: string) => scan(text).map((m) => `${m.kind}:${text.slice(m.innerFrom, m.innerTo)}`)

describe('scan', () => {
  it.each([
    ['see @[a/b.go:10:20] and @[dir]', ['reference:a/b.go:10:20', 'reference:dir']],
    ['@[a[1].txt]', ['reference:a[1].txt']],
    ['@[]', []],
    ['@[open', []],
    ['@[two\nlines]', []],
    ['@[grep{"keyword":"a]b}@[c"}] x', ['tool:grep{"keyword":"a]b}@[c"}']],
    ['@[ls{\n "uri": "."\n}]', ['tool:ls{\n "uri": "."\n}']],
    ['@[ls{"uri":".", "x":["]"]}]', ['tool:ls{"uri":".", "x":["]"]}']],
    ['@[a{b].txt', ['reference:a{b']],
    ['for {{REGION}} and {{1X}} and {{ A }}', ['macro:{{REGION}}']],
    ['@{define A, "x}y"} @{endif}', ['directive:@{define A, "x}y"}', 'directive:@{endif}']],
    ['#define A b c\ntext #define B', ['define:#define A b c']],
    ['```c\n#define A 1\n```\n#define B 2', ['define:#define B 2']],
    ['````\n```\n#define A 1\n````\n#define B 2', ['define:#define B 2']],
    ['![image](file:///tmp/a(1).png) ![](x.png)', ['image:image', 'image:']],
    ['![a](<with space.png>)', ['image:a']],
    ['![a](', []],
    ['![a]()', []],
    ['@@[a]', ['reference:a']],
    ['', []],
  ])('%j', (text, want) => expect(kinds(text)).toEqual(want))

  it('returns the target of an image and a name for it', () => {
    const [a, b, c] = scan('![image](file:///tmp/p%2099.png) ![chart](data:image/png;base64,AAAA) ![](a/b.gif)') as [Mark, Mark, Mark]
    expect([a.target, imageName(a)]).toEqual(['file:///tmp/p%2099.png', 'p 99.png'])
    expect([b.target, imageName(b)]).toEqual(['data:image/png;base64,AAAA', 'chart'])
    expect(imageName(c)).toBe('b.gif')
    expect(imageName({ target: 'file:///x/%E0%A4%A.png', alt: '' })).toBe('%E0%A4%A.png')
  })

  it('never overlaps and stays inside the text, for any mix of brackets', () => {
    const pieces = ['@[', ']', '@{', '}', '{{', '}}', 'A', '"', '\\', '![', '](', ')', '\n', '#define ', '```', 'ls{', ' ']
    let seed = 7
    const pick = () => pieces[(seed = (seed * 1103515245 + 12345) & 0x7fffffff) % pieces.length]
    for (let round = 0; round < 3000; round++) {
      const text = Array.from({ length: 24 }, pick).join('')
      let last = 0
      for (const m of scan(text)) {
        expect(m.from).toBeGreaterThanOrEqual(last)
        expect(m.innerFrom).toBeGreaterThanOrEqual(m.from)
        expect(m.innerTo).toBeLessThanOrEqual(m.to)
        expect(m.to).toBeLessThanOrEqual(text.length)
        last = m.to
      }
    }
  })

  it('reads each character at most a fixed number of times, whatever the text contains', () => {
    // Counted, not timed: every charCodeAt of a hostile text goes through this string's proxy.
    for (const piece of ['@[', '@[ls{', '@[ls{"', '![', '![a](', '@{', '{{A', '@[]', '![](data:', '```\n']) {
      for (const tail of ['', ']', '}', ')']) {
        const cost = (n: number) => reads(piece.repeat(n) + tail)
        expect(cost(20000) / cost(10000)).toBeLessThan(2.3)
      }
    }
  })
})

/** reads counts how many characters scan reads. */
function reads(text: string): number {
  let n = 0
  const real = String.prototype.charCodeAt
  String.prototype.charCodeAt = function (this: string, i: number) {
    n++
    return real.call(this, i)
  }
  try {
    scan(text)
  } finally {
    String.prototype.charCodeAt = real
  }
  return n
}

import { describe, expect, test } from 'vitest'
import { Screen } from './ansi'

const ESC = '\x1b'
const shown = (...pieces: string[]) => {
  const screen = new Screen()
  for (const p of pieces) screen.write(p)
  return Array.from({ length: screen.length }, (_, i) => screen.line(i).map((r) => (r.style ? `[${r.style}:${r.text}]` : r.text)).join(''))
}

describe('what a command prints', () => {
  test.each<[string, string[], string[]]>([
    ['lines', ['a\r\nb\n'], ['a', 'b']],
    ['a last line without an end', ['a\nb'], ['a', 'b']],
    ['colours and looks', [`${ESC}[1;31mred${ESC}[0m and ${ESC}[42mgreen${ESC}[m`], ['[fg-red bold:red] and [bg-green:green]']],
    ['bright, 256 and all colours by the nearest name', [`${ESC}[92ma${ESC}[38;5;196mb${ESC}[38;2;20;30;220mc${ESC}[39md`], ['[fg-green:a][fg-red:b][fg-blue:c]d']],
    ['reverse without colours', [`${ESC}[7mx${ESC}[27my`], ['[fg-back bg-front:x]y']],
    ['a sequence cut anywhere', ['a', ESC, '[', '3', '1', 'm', 'b', `${ESC}]0;ti`, 'tle\x07c'], ['a[fg-red:bc]']],
    ['a line written over', ['10%\r20%\r', `done${ESC}[K\n`], ['done']],
    ['a shorter one over a longer one', [`12345\r${ESC}[K12\n`], ['12']],
    ['lines above written over', [`one\ntwo\n${ESC}[2AONE\n${ESC}[2Ktwo!\n`], ['ONE', 'two!']],
    ['tabs and backspace', ['a\tb\n12\b3'], ['a       b', '13']],
    ['titles, links and pictures left out', [`${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\ ${ESC}Pq#0${ESC}\\.`], ['link .']],
    ['a cleared screen goes on below', [`before\n${ESC}[2J${ESC}[Hafter`], ['before', 'after']],
    ['markup as text', ['<img src=x onerror=alert(1)>'], ['<img src=x onerror=alert(1)>']],
    ['letters with marks, and those beyond the first plane', ['e\u0301 🙂'], ['e\u0301 🙂']],
    ['nothing', [], []],
    ['other controls and modes', [`\x00\x07a${ESC}[?25l\x9bb${ESC}(Bc${ESC}=d`], ['abcd']],
  ])('%s', (_name, pieces, want) => expect(shown(...pieces)).toEqual(want))

  test('is bounded: many lines, long lines, many marks, a sequence without an end', () => {
    const screen = new Screen()
    for (let i = 0; i < 30; i++) screen.write('x\n'.repeat(1000))
    expect(screen.length).toBeLessThanOrEqual(12_000)
    expect(screen.length + screen.dropped).toBe(30_000)
    screen.write('y'.repeat(100_000) + '\n')
    expect(screen.line(screen.length - 1)[0]?.text).toHaveLength(2000)
    screen.write('e' + '\u0301'.repeat(1000) + `\n${ESC}[${'1;'.repeat(5000)}`)
    screen.write('z')
    expect(screen.line(screen.length - 1)).toBeDefined()
    screen.write(`${ESC}[999999999A${ESC}[999999999Cq\n`)
    expect(screen.text.length).toBeLessThan(100_000)
  })

  test('a line that does not change keeps its runs', () => {
    const screen = new Screen()
    screen.write('a\nb')
    const a = screen.line(0)
    screen.write('c')
    expect(screen.line(0)).toBe(a)
    expect(screen.line(1)).toEqual([{ text: 'bc', style: '' }])
  })
})

import { describe, expect, test } from 'vitest'
import { Screen } from './screen'

const ESC = '\x1b'
const shown = (...pieces: string[]) => {
  const screen = new Screen()
  for (const p of pieces) screen.write(p)
  return Array.from({ length: screen.length }, (_, i) =>
    screen
      .line(i)
      .map((r) => (r.style ? `[${r.style}:${r.text}]` : r.text))
      .join(''),
  )
}

describe('the output of a command', () => {
  test.each<[string, string[], string[]]>([
    ['lines', ['a\r\nb\n'], ['a', 'b']],
    ['a last line without an end', ['a\nb'], ['a', 'b']],
    ['colours and looks', [`${ESC}[1;31mred${ESC}[0m and ${ESC}[42mgreen${ESC}[m`], ['[fg-red bold:red] and [bg-green:green]']],
    [
      'bright, 256 and all colours by the nearest name',
      [`${ESC}[92ma${ESC}[38;5;196mb${ESC}[38;2;20;30;220mc${ESC}[39md`],
      ['[fg-green:a][fg-red:b][fg-blue:c]d'],
    ],
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
    [
      'a screen that is drawn over and over',
      [`before\n${ESC}[H${ESC}[2J${ESC}[1;1Hone\n${ESC}[3;3Htwo${ESC}[1;1HONE`, `${ESC}[H${ESC}[Kend`],
      ['before', 'end', '', '  two'],
    ],
    ['the other screen of an editor', [`a\n${ESC}[?1049h${ESC}[H${ESC}[2Jtext${ESC}[?1049lb`], ['a', 'textb']],
    ['what goes to the clipboard, cut anywhere', [`a${ESC}]52;c;`, 'aGVsbG8=', 'aGVsbG8=', ESC, '\\b'], ['ab']],
    ['a string for the terminal that never ends takes its line alone', [`a${ESC}]0;x`, 'y'.repeat(9000), '\nb'], ['a', 'b']],
    ['a sequence that a control stands in', [`a${ESC}[3\nb${ESC}\nc`], ['a', 'b', 'c']],
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

  test('an unchanged line keeps its runs', () => {
    const screen = new Screen()
    screen.write('a\nb')
    const a = screen.line(0)
    screen.write('c')
    expect(screen.line(0)).toBe(a)
    expect(screen.line(1)).toEqual([{ text: 'bc', style: '' }])
  })

  test('hostile output is fast and takes little memory', () => {
    const pieces: Record<string, string> = {
      'plain lines': 'a line of a log, as long as they mostly are, number 12345\n'.repeat(18_000),
      colours: `${ESC}[32mok${ESC}[0m  a test that went ${ESC}[1mwell${ESC}[0m\n`.repeat(21_000),
      'a style for each letter': `${ESC}[31ma${ESC}[32mb`.repeat(87_000),
      'a progress bar': 'building 12% [====      ]\r'.repeat(40_000),
      'a spinner': `${ESC}[2K${ESC}[1Gpart 1 of 7`.repeat(55_000),
      'one line without an end': 'x'.repeat(1 << 20),
      links: `${ESC}]8;;http://example.com/a${ESC}\\link${ESC}]8;;${ESC}\\\n`.repeat(24_000),
      'the clipboard': `${ESC}]52;c;${'QUFB'.repeat(1 << 18)}\x07`,
      'a string without an end': `${ESC}]0;${'t'.repeat(1 << 20)}`,
      'parameters without an end': `${ESC}[${'1;'.repeat(1 << 19)}`,
      moves: `${ESC}[H${ESC}[50;200Hx${ESC}[A${ESC}[D`.repeat(50_000),
      'cleared screens': `${ESC}[H${ESC}[2Jx`.repeat(100_000),
      letters: '\u{1f642}\u4f60'.repeat(1 << 18),
      marks: `e${'\u0301'.repeat(64)}`.repeat(1 << 14),
      controls: '\x07\x08\x0b'.repeat(1 << 18),
    }
    const slow: string[] = []
    for (const [name, text] of Object.entries(pieces)) {
      const screen = new Screen()
      const start = performance.now()
      for (let i = 0; i < text.length; i += 64 << 10) screen.write(text.slice(i, i + (64 << 10)))
      const took = performance.now() - start
      if (process.env.SHOW)
        console.log(
          `${name}: ${took.toFixed(0)} ms, ${(text.length / 1e6).toFixed(1)} M characters, ${((took * 65536) / text.length).toFixed(1)} ms for 64 K`,
        )
      if (took > 4000) slow.push(`${name}: ${took.toFixed(0)} ms`)
      expect(screen.text.length, name).toBeLessThan(2 << 20)
    }
    expect(slow).toEqual([])
    const screen = new Screen()
    for (let i = 0; i < 20_000; i++) screen.write(`${'y'.repeat(3000)}\n`)
    expect(screen.text.length).toBeLessThan(6 << 20)
    expect(screen.dropped).toBeGreaterThan(10_000)
  }, 60_000)
})

import { expect, test } from 'vitest'
import { proseHTML, visible, visibleHTML } from './visible'

test.each([
  ['src/\u202Egpj.exe', 'src/⟨U+202E⟩gpj.exe'],
  ['a\u0000b\u001b[31m', 'a⟨U+0000⟩b⟨U+001B⟩[31m'],
  ['pay\u200Bpal\uFEFF', 'pay⟨U+200B⟩pal⟨U+FEFF⟩'],
  ['x\u{E0041}', 'x⟨U+E0041⟩'],
  ['line\r\nnext\rback', 'line\r\nnext⟨U+000D⟩back'],
  ['👩‍💻 and 👍🏽‍x', '👩‍💻 and 👍🏽⟨U+200D⟩x'],
  [`e${'\u0301'.repeat(40)}`, `e${'\u0301'.repeat(8)}⟨+32 marks⟩`],
  ['日本語 العربية Ünï\tcode\n', '日本語 العربية Ünï\tcode\n'],
])('%j reads %j', (text, shown) => expect(visible(text)).toBe(shown))

test('prose keeps the characters its language needs, but no direction overrides', () => {
  expect(proseHTML('می\u200Cخواهم \u200F(a)\u200E')).toBe('می\u200Cخواهم \u200F(a)\u200E')
  expect(proseHTML('a \u202Eb\u202C')).toBe('a <span class="unseen">U+202E</span>b<span class="unseen">U+202C</span>')
})

test('coloured code keeps its colours', () => {
  expect(visibleHTML('<span class="hljs-string">&quot;\u2066x&quot;</span>')).toBe(
    '<span class="hljs-string">&quot;<span class="unseen">U+2066</span>x&quot;</span>',
  )
})

test('a long text is processed fast', () => {
  const text = `${'a\u0301'.repeat(100_000)}${'\u0301'.repeat(100_000)}${'\u200D'.repeat(100_000)}`
  const start = performance.now()
  visible(text)
  expect(performance.now() - start).toBeLessThan(5000)
})

import { expect, test } from 'vitest'
import { chipAt } from './chips'
import { linesOf } from './promptText'

test('every drawn chip leads to its target', () => {
  const text = 'See @[src/a.go:10:20],\n@[grep{"k":"]}"}] and ![x](y.png) in {{R}} @[文 件.md]'
  const drawn = linesOf(text)
    .flat()
    .filter((s) => s.cls === 'chip')
  expect(drawn.map((s) => chipAt(text, s.from))).toEqual([
    { kind: 'reference', text: 'src/a.go:10:20' },
    { kind: 'tool', text: 'grep{"k":"]}"}' },
    { kind: 'reference', text: '文 件.md' },
  ])
})

test('a picture, a macro and plain text are not chips', () => {
  const text = 'a ![x](y.png) {{R}}'
  expect([0, 4, 15].map((at) => chipAt(text, at))).toEqual([undefined, undefined, undefined])
})

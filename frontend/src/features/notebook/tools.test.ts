import { expect, test } from 'vitest'
import { changesOf } from './tools'

const changes = (name: string, args: unknown) => changesOf({ name, arguments: JSON.stringify(args) }).map((c) => [c.path, c.lines.map((l) => l.op + l.text).join('|')])

test('what a call writes is read from its arguments', () => {
  expect(changes('write_file', { uri: 'file://a.go', content: 'x\ny\n' })).toEqual([['a.go', '@@@ -0,0 +1,2 @@|+x|+y']])
  expect(changes('edit_file', { uri: 'a.go', edits: [{ old: 'a\nb\n', new: 'a\nB\n' }, { old: 'c', new: '' }] })).toEqual([['a.go', ' a|-b|+B|@|-c']])
})

test.each([
  ['write_file', { uri: 'a', content: 3 }],
  ['write_file', { content: 'x' }],
  ['edit_file', { uri: 'a', edits: [null, 4, { old: 'x' }] }],
  ['edit_file', { uri: 'a', edits: [{ old: 'x', new: 'x' }] }],
  ['shell', { uri: 'a', content: 'x' }],
])('%s with %j writes nothing that can be shown', (name, args) => expect(changes(name, args)).toEqual([]))

test('arguments that are still streaming in are none', () => expect(changesOf({ name: 'write_file', arguments: '{"uri":"a","content":"x' })).toEqual([]))

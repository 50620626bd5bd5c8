import { expect, test } from 'vitest'
import { diffTexts } from '$lib/ui/diffTexts'
import { asideOf, backgroundState, callState, changesOf, commandOf, outcomeOf, pendingFrom, toolLine } from './tools'

const changes = (name: string, args: unknown) =>
  changesOf({ name, arguments: JSON.stringify(args) }, diffTexts).map((c) => [c.path, c.lines.map((l) => l.op + l.text).join('|')])

test('the changes of a call are read from its arguments', () => {
  expect(changes('write_file', { uri: 'file://a.go', content: 'x\ny\n' })).toEqual([['a.go', '@@@ -0,0 +1,2 @@|+x|+y']])
  expect(
    changes('edit_file', {
      uri: 'a.go',
      edits: [
        { old: 'a\nb\n', new: 'a\nB\n' },
        { old: 'c', new: '' },
      ],
    }),
  ).toEqual([['a.go', ' a|-b|+B|@|-c']])
})

test.each([
  ['write_file', { uri: 'a', content: 3 }],
  ['write_file', { content: 'x' }],
  ['edit_file', { uri: 'a', edits: [null, 4, { old: 'x' }] }],
  ['edit_file', { uri: 'a', edits: [{ old: 'x', new: 'x' }] }],
  ['shell', { uri: 'a', content: 'x' }],
])('%s with %j writes nothing that can be shown', (name, args) => expect(changes(name, args)).toEqual([]))

test('incomplete arguments have no changes', () =>
  expect(changesOf({ name: 'write_file', arguments: '{"uri":"a","content":"x' }, diffTexts)).toEqual([]))

type Result = NonNullable<Parameters<typeof asideOf>[2]> & { isError?: boolean }
const result = (over: Partial<Result> = {}): Result => ({ text: 'one\ntwo', truncated: false, tookMs: 0, ...over })
const shown = (name: string, args: unknown, result: Result | undefined, running = false) => {
  const state = callState(result, running)
  const line = toolLine({ name, arguments: JSON.stringify(args) }, state)
  return [[line.verb, line.subject, line.rest].filter(Boolean).join(' '), asideOf(name, state, result), outcomeOf(state, result)]
}

test.each<[string, string, unknown, Result | undefined, boolean, string[]]>([
  ['runs', 'shell', { command: 'make' }, undefined, true, ['Running make', '', '']],
  ['ran', 'shell', { command: 'make' }, result({ tookMs: 2100 }), false, ['Ran make', '2 lines · 2.1 s', '']],
  [
    'failed',
    'shell',
    { command: 'make' },
    result({ isError: true, tookMs: 2100, facts: { exit: 2, line: 'a.c:1:2: error: no bed' } }),
    false,
    ['Command failed make', 'exit 2 · 2.1 s', 'a.c:1:2: error: no bed'],
  ],
  [
    'was ended by a signal',
    'shell',
    { command: 'make' },
    result({ isError: true, facts: { exit: 137 } }),
    false,
    ['Command failed make', 'signal 9', 'one'],
  ],
  [
    'was rejected',
    'shell',
    { command: 'rm -rf build' },
    result({ isError: true, facts: { end: 'rejected' as never, reason: 'Keep build: I am looking at it.' } }),
    false,
    ['Rejected rm -rf build', '', 'Keep build: I am looking at it.'],
  ],
  [
    'was rejected without a word',
    'edit_file',
    { uri: 'a.go' },
    result({ isError: true, facts: { end: 'rejected' as never } }),
    false,
    ['Rejected a.go', '', ''],
  ],
  [
    'was stopped',
    'shell',
    { command: 'make' },
    result({ isError: true, facts: { end: 'stopped' as never } }),
    false,
    ['Stopped make', '', ''],
  ],
  ['has no result: the program ended', 'shell', { command: 'make' }, undefined, false, ['Interrupted make', 'no result', '']],
  [
    'found nothing',
    'grep',
    { keyword: 'x' },
    result({ text: 'No line matches', facts: { matches: 0 } }),
    false,
    ['Searched x', 'no matches', ''],
  ],
  ['edited', 'edit_file', { uri: 'a.go' }, result({ facts: { added: 4, removed: 3 } }), false, ['Edited a.go', '+4 −3', '']],
  ['edited before this was counted', 'edit_file', { uri: 'a.go' }, result(), false, ['Edited a.go', '', '']],
  [
    'could not edit',
    'edit_file',
    { uri: 'a.go' },
    result({ isError: true, text: 'nothing was written. Edit 1 of 1: old is not in the file\nmore' }),
    false,
    ['Edit failed a.go', '', 'nothing was written. Edit 1 of 1: old is not in the file'],
  ],
  ['started agents', 'self_fork', { children: [1, 2, 3, 4] }, result({ tookMs: 90_000 }), false, ['Started 4 agents', '1:30', '']],
])('a call that %s', (_what, name, args, result, running, want) => expect(shown(name, args, result, running)).toEqual(want))

test('a background command shows its current state', () => {
  const at = (command?: { endedMs: number; exitCode: number }, over: Partial<Result> = {}) => backgroundState(result(over), command)
  expect([
    at({ endedMs: 0, exitCode: 0 }),
    at({ endedMs: 5, exitCode: 0 }),
    at({ endedMs: 5, exitCode: 1 }),
    at({ endedMs: 5, exitCode: -1 }),
    at(undefined),
  ]).toEqual(['running', 'ran', 'failed', 'stopped', 'started'])
  expect(at(undefined, { isError: true })).toBe('failed')
  const line = toolLine({ name: 'shell', arguments: '{"command":"npm run dev","background":true}' }, 'started')
  expect([line.verb, line.subject, line.rest]).toEqual(['Started in the background', 'npm run dev', ''])
})

test('a command is shown as written, with its options', () => {
  expect(commandOf({ name: 'shell', arguments: '{"command":"a\\nb","folder":"web","timeout_seconds":300}' })).toEqual({
    text: 'a\nb',
    how: 'in web · at most 300 s',
  })
  expect([commandOf({ name: 'shell', arguments: '{"command":"a' }), commandOf({ name: 'grep', arguments: '{"command":"a"}' })]).toEqual([
    undefined,
    undefined,
  ])
})

test.each<[string[], string, number]>([
  [['shell', 'shell'], '..', 1],
  [['shell', 'shell', 'shell'], 'r..', 2],
  [['read_file', 'grep', 'shell', 'ls'], '....', 2],
  [['read_file', 'grep'], '..', 2],
  [['edit_file', 'read_file'], '..', 1],
  [['shell'], 'r', 1],
])('of %j with the results %j those from %d on wait', (names, results, want) =>
  expect(pendingFrom(names, (i) => results[i] === '.')).toBe(want),
)

test('a call of call_tool is shown as a call of the named tool', () => {
  const line = (args: string, state?: 'running') => toolLine({ name: 'call_tool', arguments: args }, state)
  expect(line('{"name":"tracker__close","revision":"0123456789abcdef","arguments":{"issue":7}}')).toMatchObject({
    verb: 'tracker__close',
    rest: '7',
  })
  expect(line('{"name":"tracker__close","arguments":"{\\"issue\\":7}"}')).toMatchObject({ verb: 'tracker__close', rest: '7' })
  expect(line('{"name":"tracker__close","revi', 'running').verb).toBe('tracker__close')
  expect(line('{"na', 'running').verb).toBe('call_tool')
})

const line = (name: string, args: unknown, state?: Parameters<typeof toolLine>[1]) => {
  const { verb, subject, rest } = toolLine({ name, arguments: JSON.stringify(args) }, state)
  return [verb, subject, rest]
}

test.each<[string, unknown, string[]]>([
  ['acp_read', { title: 'Read a.go', locations: ['a.go:3', 'b.go'] }, ['Read', 'a.go:3', 'and 1 more']],
  ['acp_read', { title: 'Read', locations: ['a.go:3', 'a.go:9'] }, ['Read', 'a.go:3', '']],
  ['acp_edit', { title: 'Edit', input: { file_path: '/w/a.go' } }, ['Edited', '/w/a.go', '']],
  ['acp_search', { title: 'grep', input: { pattern: 'TTL', path: 'src' } }, ['Searched', 'TTL', 'in src']],
  ['acp_execute', { title: '`make test`' }, ['Ran', 'make test', '']],
  ['acp_execute', { title: 'x', input: { command: ['bash', '-lc', 'make && ls'] } }, ['Ran', 'make && ls', '']],
  ['acp_execute', { input: { command: ['git', 'commit', '-m', "it's"] } }, ['Ran', "git commit -m 'it'\\''s'", '']],
  ['acp_fetch', { input: { url: 'https://example.org' } }, ['Fetched', 'https://example.org', '']],
  ['acp_other', { title: 'Made an issue\u202e' }, ['Made an issue⟨U+202E⟩', '', '']],
  ['acp_think', {}, ['Thought', '', '']],
  ['acp_read', { title: 4, locations: 'a', input: [] }, ['Read', '', '']],
])('%s with %j is a line', (name, args, shown) => expect(line(name, args)).toEqual(shown))

test('a call of another agent that failed says so before its title, and several may run at once', () => {
  expect(line('acp_other', { title: 'Make an issue' }, 'failed')).toEqual(['Tool failed', '', 'Make an issue'])
  expect(commandOf({ name: 'acp_execute', arguments: JSON.stringify({ title: 'x', input: { command: 'make', cwd: 'src' } }) })).toEqual({
    text: 'make',
    how: 'in src',
  })
  expect(pendingFrom(['acp_read', 'acp_execute', 'acp_edit'], () => true)).toBe(3)
})

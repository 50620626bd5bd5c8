import { describe, expect, it } from 'vitest'
import { pathsIn } from './insert.svelte'
import { ending, usageLine } from './outcome'
import { elapsed, took } from '$lib/format/time'
import { resultSummary, toolLine } from './tools'

const actions = (outcome: string, code?: string) =>
  ending({ outcome, fault: code === undefined ? undefined : { kind: 'provider', code, message: 'why' } })?.actions.map((a) => a.label)

describe('the way out of a run', () => {
  it.each([
    ['failed', 'keyMissing', ['Open settings', 'Choose a model']],
    ['failed', 'keyRejected', ['Open settings', 'Try again']],
    ['failed', 'modelUnknown', ['Choose a model', 'Try again']],
    ['failed', 'contextTooLong', ['Choose a model', 'Try again']],
    ['failed', 'unreachable', ['Try again', 'Open settings']],
    ['failed', 'something new', ['Try again']],
    ['broken', 'streamBroken', ['Continue', 'Try again']],
    ['broken', 'keyRejected', ['Continue', 'Open settings', 'Try again']],
    ['interrupted', undefined, ['Resume']],
    ['stopped', undefined, ['Continue']],
    ['stepLimit', undefined, ['Continue']],
    ['elsewhere', undefined, []],
    ['done', undefined, undefined],
    ['taskFinished', undefined, undefined],
  ])('%s, %s', (outcome, code, want) => expect(actions(outcome, code)).toEqual(want))

  it('says who runs it when another program does', () =>
    expect(ending({ outcome: 'elsewhere' })).toMatchObject({
      tone: 'note',
      title: 'Running in another program',
      detail: expect.stringContaining('stop it there'),
    }))

  it('keeps the message of the fault', () =>
    expect(ending({ outcome: 'failed', fault: { kind: 'provider', message: 'why' } })?.detail).toBe('why'))
})

describe('lines', () => {
  it.each([
    ['grep', '{"keyword":"WithTTL","uri":"pricing/"}', 'Searched|WithTTL|in pricing/'],
    ['read_file', '{"uri":"a.go","start_line":40,"end_line":118}', 'Read|a.go:40:118|'],
    ['shell', '{"command":"go test\\n./..."}', 'Ran|go test ./...|'],
    ['read_file', '{"uri":"pricing/ca', 'Read|pricing/ca|'],
    ['unknown_tool', '{"a":"b","n":2}', 'unknown_tool||b 2'],
    ['grep', 'no json', 'Searched||'],
    ['toString', '{}', 'toString||'],
    ['', '', 'Tool||'],
  ])('%s %s', (name, args, want) => {
    const line = toolLine({ name, arguments: args })
    expect([line.verb, line.subject, line.rest].join('|')).toBe(want)
  })
  it('count what came back', () => {
    expect(resultSummary('read_file', 'a\nb\nc\n', false, 0)).toBe('3 lines')
    expect(resultSummary('ls', '[FILE] a\n[DIR] b', true, 1500)).toBe('2+ entries · 1.5 s')
    expect(resultSummary('shell', '', false, 0)).toBe('no output')
  })
  it.each([
    ['grep', 'a.go\n11-before\n12:text\n13:text\n\nb.go\n1:text\n\n[3 matching lines in 2 files.]', false, '3 matches'],
    ['grep', 'a.go\n12:text\n\n[1 matching lines in 1 files.]', false, '1 match'],
    ['grep', 'a.go\n12:text\n\n[The first 200 matching lines in 9 files; there are more. Narrow it.]', false, '200+ matches'],
    ['grep', 'a.go\n12:text\n13:te', true, '2+ matches'],
    ['grep', 'No line matches in src (12 files looked at; what .gitignore excludes and binary files are left out).', false, 'no matches'],
    ['glob', 'No file matches *.x in src. What .gitignore excludes is left out.', false, 'no matches'],
    ['glob', 'a.go\nb.go\n\n[The first 1000 files; there are more. Narrow the pattern or the folder.]', false, '2+ files'],
    ['glob', 'a.go', false, '1 file'],
    ['ls', '[The folder is empty.]', false, 'empty'],
    ['read_file', 'one', false, '1 line'],
    ['read_file', '\n', false, '1 line'],
  ])('%s: %j, cut: %j, found %s', (name, result, cut, want) => expect(resultSummary(name, result, cut, 0)).toBe(want))
  it('write times', () => {
    expect([elapsed(0), elapsed(134_999), elapsed(3_753_000)]).toEqual(['0:00', '2:14', '1:02:33'])
    expect([took(12), took(6000), took(59_999), took(61_000)]).toEqual(['12 ms', '6.0 s', '59 s', '1:01'])
    // All of the time, also that before the answer was continued.
    expect(usageLine({ tookMs: 1100, earlierMs: 32_900 }, took)).toBe('34 s')
    expect(usageLine({ usage: { input: 1204, cached: 602, output: 310, estimated: true }, tookMs: 12 }, took)).toBe(
      '~1,204 in · ~310 out · 50% cached · 12 ms',
    )
  })
})

describe('pasted text', () => {
  it.each([
    ['file:///home/a%20b.png', 1],
    ['/home/me/a b.png\n/home/me/c.go', 2],
    ['C:\\Users\\me\\a.png', 1],
    ['# comment of a uri list\nfile:///a/b', 1],
    ['/help', 0],
    ['see /home/me/a.png', 0],
    ['https://example.com/a.png', 0],
    ['/a/b.png\nand words', 0],
    ['', 0],
  ])('%j holds %d paths', (text, n) => expect(pathsIn(text)).toHaveLength(n))
})

import { describe, expect, it } from 'vitest'
import { pathsIn } from './insert.svelte'
import { ending, missLine, usageLine } from './outcome'
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

  it('names the other program that runs it', () =>
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
  it('count what was returned', () => {
    expect(resultSummary('read_file', 'a\nb\nc\n', false, 0)).toBe('3 lines')
    expect(resultSummary('ls', '[FILE] a\n[DIR] b', true, 1500)).toBe('2+ lines · 1.5 s') // from an earlier program, without counts
    expect(resultSummary('shell', '', false, 0)).toBe('no output')
  })
  it.each([
    ['grep', { matches: 3 }, '3 matches'],
    ['grep', { matches: 1 }, '1 match'],
    ['grep', { matches: 1, more: true }, '1+ matches'],
    ['grep', { matches: 0 }, 'no matches'],
    ['glob', { found: 0 }, 'no matches'],
    ['glob', { found: 1000, more: true }, '1,000+ files'],
    ['glob', { found: 1 }, '1 file'],
    ['ls', { found: 0 }, 'empty'],
    ['ls', { found: 2 }, '2 entries'],
    ['read_file', undefined, '2 lines'],
  ])('what %s with the facts %j found: %s', (name, facts, want) =>
    expect(resultSummary(name, 'a text\nfor the model', false, 0, facts)).toBe(want),
  )
  it.each([
    ['one', '1 line'],
    ['\n', '1 line'],
  ])('%j has %s', (result, want) => expect(resultSummary('read_file', result, false, 0)).toBe(want))
  it('write times', () => {
    expect([elapsed(0), elapsed(134_999), elapsed(3_753_000)]).toEqual(['0:00', '2:14', '1:02:33'])
    expect([took(12), took(6000), took(59_999), took(61_000)]).toEqual(['12 ms', '6.0 s', '59 s', '1:01'])
    // The whole time, including the time before the answer was continued.
    expect(usageLine({ tookMs: 1100, earlierMs: 32_900 }, took)).toBe('34 s')
    expect(usageLine({ usage: { input: 1204, cached: 602, output: 310, estimated: true }, tookMs: 12 }, took)).toBe(
      '~1,204 in · ~310 out · 50% cached · 12 ms',
    )
  })
})

describe('an unused cache', () => {
  const miss = { expected: 8805, read: 0, same: 37_632, bytes: 37_806, agoMs: 180_000 }
  const begin = '0 of 8,805 expected tokens came from the cache'
  it.each([
    [{}, `${begin}, though the first 37,632 of 37,806 bytes are those of the request before, sent 3:00 earlier`],
    [{ same: -1 }, `${begin}, though it begins as the request before, sent 3:00 earlier`],
    [
      { same: 512, brokenBy: 'the rule style.md changed' },
      `${begin}: differs from the request before from byte 512 of 37,806 on, the rule style.md changed`,
    ],
    [{ same: -1, brokenBy: 'the rule style.md changed' }, `${begin}: the rule style.md changed`],
  ])('%j', (changes, words) => expect(missLine({ cache: { ...miss, ...changes } }, took)).toBe(words))
  it('is empty when there is nothing to report', () => expect(missLine({ tookMs: 5 }, took)).toBe(''))
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

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backend, type approval, type Fault } from '$lib/backend/backend'
import { ApprovalsState, guardMs } from './approvals.svelte'
import { request } from './testing'
import type { Request } from './words'

/* The stand-in is at the network edge: it plays what `mutsumi serve` answers to fetch. */
let asked: { id: string; decision: approval.Decision }[]
let refusal: string | undefined
let hold: Promise<void> | undefined
let told: string[]
let approvals: ApprovalsState

const ids = () => approvals.list.map((r) => r.id)
const first = () => approvals.list[0]!
const wait = () => vi.advanceTimersByTimeAsync(guardMs)

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  told = []
  refusal = hold = undefined
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (!url.endsWith('/ResolveApproval')) return new Response('{"kind":"notFound","message":"gone"}', { status: 404 })
    const [id, decision] = JSON.parse(init.body as string) as [string, approval.Decision]
    asked.push({ id, decision })
    await hold
    return refusal ? new Response(refusal, { status: 409 }) : Response.json(null)
  })
  approvals = new ApprovalsState(new Backend(), {
    failed: (title: string, fault: Fault) => told.push(`${title}: ${fault.message}`),
    now: () => Date.now(),
  })
})
afterEach(() => {
  approvals.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the waiting requests', () => {
  test('follow the events, oldest first, each once', () => {
    approvals.load({ approvals: [request('a')] })
    approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [request('b'), request('a')] } })
    approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: null as unknown as Request[] } })
    expect(ids()).toEqual(['a', 'b'])
    approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [], removed: 'a' } })
    expect(ids()).toEqual(['b'])
    approvals.load({ approvals: null })
    expect(ids()).toEqual([])
  })

  test('of one agent are together', () => {
    approvals.load({ approvals: [request('a'), request('b', { path: 'b.mtm' }), request('c'), request('d', { path: 'b.mtm' })] })
    expect(ids()).toEqual(['a', 'c', 'b', 'd'])
    expect(approvals.step('c', 1)?.id).toBe('b')
  })

  test('are found by their calls', () => {
    approvals.load({ approvals: [request('a'), request('b', { path: 'b.mtm' })] })
    expect(approvals.ofCall('b.mtm', 'call b')?.id).toBe('b')
    expect(approvals.ofCall('a.mtm', 'call b')).toBeUndefined()
  })

  test('keep the focus on an existing card', () => {
    approvals.load({ approvals: [request('a'), request('b'), request('c')] })
    approvals.cursor = 'b'
    approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [], removed: 'b' } })
    expect(approvals.cursor).toBe('a')
    expect([approvals.step('a', 1)?.id, approvals.step('a', -1)?.id, approvals.step('c', 9)?.id]).toEqual(['c', 'a', 'c'])
  })
})

describe('a decision', () => {
  test('removes the card at once, and the event confirms it', async () => {
    approvals.load({ approvals: [request('a'), request('b')] })
    await wait()
    let arrive = () => {}
    hold = new Promise((done) => (arrive = done))
    const done = approvals.decide(first(), true)
    expect(ids()).toEqual(['b'])
    arrive()
    expect(await done).toBe(true)
    expect(asked).toEqual([
      {
        id: 'a',
        decision: {
          allow: true,
          scope: 'once',
          patterns: [],
          reason: '',
          arguments: '',
          answer: '',
          left: [],
          seen: 'print of a',
          seenMs: 1,
        },
      },
    ])
    approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [], removed: 'a' } })
    expect(ids()).toEqual(['b'])
  })

  test('to let agents share a file needs no pattern', async () => {
    approvals.load({
      approvals: [request('a', { conflicts: [{ file: 'a', path: 'o.mtm', agent: 'Other', notebook: 'o', atMs: 1, running: true }] })],
    })
    expect(await approvals.share(first())).toBe(false) // it has just appeared
    await wait()
    expect(await approvals.share(first())).toBe(true)
    expect(asked).toEqual([
      {
        id: 'a',
        decision: {
          allow: true,
          scope: 'agent',
          patterns: [],
          reason: '',
          arguments: '',
          answer: '',
          left: [],
          seen: 'print of a',
          seenMs: 1,
        },
      },
    ])
  })

  test('applies to what the card showed; a new difference has to be seen first', async () => {
    approvals.load({ approvals: [request('a')] })
    await wait()
    const draft = approvals.draft(first())
    draft.scope = 'always'
    draft.rejecting = true
    draft.reason = 'hm'
    approvals.apply({
      seq: 1,
      type: 'approvalsChanged',
      data: {
        added: [
          request('a', {
            print: 'new',
            renewed: { file: 'a', by: 'B', atMs: 2 },
            changes: [{ path: 'a', new: false, lines: [], hunks: [], added: 1, removed: 0, more: 0, plain: '' }],
          }),
        ],
      },
    })
    expect(await approvals.decide(first(), true)).toBe(false) // input meant for the old one does not decide it
    await wait()
    expect([approvals.draft(first()).reason, approvals.draft(first()).scope]).toEqual(['hm', 'always'])
    approvals.draft(first()).scope = 'once'
    expect(await approvals.decide(first(), true)).toBe(true)
    expect(asked.map((a) => a.decision.seen)).toEqual(['new'])
  })

  test('applies to what the card shows after missed events, too', async () => {
    approvals.load({ approvals: [request('a')] })
    await wait()
    approvals.draft(first()).reason = 'hm'
    const changes = [{ path: 'a', new: false, lines: [], hunks: [], added: 1, removed: 0, more: 0, plain: '' }]
    approvals.load({ approvals: [request('a', { print: 'new', changes })] })
    expect(await approvals.decide(first(), true)).toBe(false)
    await wait()
    expect([approvals.draft(first()).reason, approvals.draft(first()).edited.request.changes]).toEqual(['hm', changes])
    expect(await approvals.decide(first(), true)).toBe(true)
    expect(asked.map((a) => a.decision.seen)).toEqual(['new'])
  })

  test('that fails restores the card to its place, and says why', async () => {
    approvals.load({ approvals: [request('a'), request('b')] })
    await wait()
    refusal = '{"kind":"denied","message":"A rule says no."}'
    expect(await approvals.decide(first(), true)).toBe(false)
    expect(ids()).toEqual(['a', 'b'])
    expect(approvals.draft(first()).fault?.message).toBe('A rule says no.')
    expect(told).toEqual(['Could not approve it: A rule says no.'])
    // The card came back: input meant for another card does not decide it.
    expect(approvals.ready('a')).toBe(false)
  })

  test('on a request that somebody else decided is not a failure', async () => {
    approvals.load({ approvals: [request('a')] })
    await wait()
    refusal = '{"kind":"notFound","message":"gone"}'
    expect(await approvals.decide(first(), true)).toBe(false)
    expect([ids(), told]).toEqual([[], []])
  })

  test('includes the reason, the scope with its patterns, and the edit', async () => {
    approvals.load({ approvals: [request('a'), request('b'), request('c', { tool: 'x', arguments: '{"n":1}' })] })
    await wait()
    const [a, b, c] = approvals.list as [Request, Request, Request]
    approvals.draft(a).reason = ' use make '
    approvals.draft(a).scope = 'always'
    await approvals.decide(a, false)
    await wait()
    approvals.draft(b).editing = true
    approvals.draft(b).fields.named('command')!.text = 'go vet'
    await approvals.decide(b, true)
    await wait()
    approvals.draft(c).editing = true
    approvals.draft(c).fields.named('n')!.text = '1,'
    expect(await approvals.decide(c, true)).toBe(false)
    approvals.draft(c).fields.named('n')!.text = '2'
    await approvals.decide(c, true)
    expect(asked.map((x) => x.decision)).toEqual([
      {
        allow: false,
        scope: 'always',
        patterns: ['go test *'],
        reason: 'use make',
        arguments: '',
        answer: '',
        left: [],
        seen: '',
        seenMs: 0,
      },
      {
        allow: true,
        scope: 'once',
        patterns: [],
        reason: '',
        arguments: '{"command":"go vet"}',
        answer: '',
        left: [],
        seen: 'print of b',
        seenMs: 1,
      },
      { allow: true, scope: 'once', patterns: [], reason: '', arguments: '{"n":2}', answer: '', left: [], seen: 'print of c', seenMs: 1 },
    ])
  })

  test('that applies more than once needs a pattern', async () => {
    approvals.load({ approvals: [request('a', { suggestions: [] })] })
    await wait()
    approvals.draft(first()).scope = 'agent'
    expect(await approvals.decide(first(), true)).toBe(false)
    approvals.draft(first()).setPattern(0, 'ls')
    expect(await approvals.decide(first(), true)).toBe(true)
  })

  test('on all identical requests approves each once', async () => {
    approvals.load({
      approvals: [
        request('a'),
        request('b', { suggestions: [] }),
        request('c', { arguments: '{"command":"go test ./... -exec ./evil"}' }),
        request('d', { tool: 'mkdir' }),
      ],
    })
    await wait()
    approvals.draft(first()).scope = 'always'
    expect(approvals.alike(first()).map((r) => r.id)).toEqual(['b'])
    await approvals.approveAll(first())
    expect(asked.map((x) => [x.id, x.decision.scope])).toEqual([
      ['a', 'once'],
      ['b', 'once'],
    ])
  })
})

describe('requests are identical if they show the same', () => {
  const command = (text: string) => ({ text, understood: true, parts: [] }) as unknown as approval.Command
  const change = (text: string, more = 0) =>
    ({ path: 'a', new: false, plain: '', more, added: 1, removed: 0, hunks: ['h'], lines: [{ op: '+', text }] }) as approval.FileChange
  test.each<[string, Partial<Request>, Partial<Request>, boolean]>([
    [
      'the same in another order',
      { arguments: '{"command":"ls","background":true}' },
      { arguments: '{"background":true,"command":"ls"}' },
      true,
    ],
    ['another agent', {}, { path: 'b.mtm', agent: 'B', notebook: 'v', why: 'because' }, true],
    ['other patterns', {}, { suggestions: [] }, true],
    ['another command under the same pattern', { command: command('go test ./a') }, { command: command('go test ./b') }, false],
    ['another argument', {}, { arguments: '{"command":"go test ./...","background":true}' }, false],
    ['another folder', {}, { folder: '/elsewhere' }, false],
    ['another warning', {}, { warnings: [{ kind: 'later', text: 'it runs later' }] as unknown as approval.Warning[] }, false],
    ['another change of the same file', { changes: [change('x')] }, { changes: [change('y')] }, false],
    ['the same change', { changes: [change('x')] }, { changes: [change('x')] }, true],
    ['a change that is here in part', { changes: [change('x', 1)] }, { changes: [change('x', 1)] }, false],
    ['arguments that are no object', { arguments: '[1]' }, { arguments: '[2]' }, false],
  ])('%s', (_name, a, b, want) => {
    approvals.load({ approvals: [request('a', a), request('b', b)] })
    expect(approvals.alike(first()).length > 0).toBe(want)
  })
})

describe('requests that have to be viewed in full', () => {
  const fork = (id: string) => request(id, { tool: 'self_fork', arguments: '{"children":[{"name":"A","prompt":"a"}]}' })
  const question = (id: string) =>
    request(id, { tool: 'ask_user', arguments: '{}', question: { text: 'Which?', choices: ['x', 'y'], several: false } })

  test('a refused fork stays in its card with the reason, and no other message appears', async () => {
    approvals.load({ approvals: [fork('a')] })
    await wait()
    const draft = approvals.draft(first())
    draft.fork!.children[0]!.prompt = 'b'
    refusal = '{"kind":"invalid","message":"the changed arguments cannot be used: no"}'
    let arrive = () => {}
    hold = new Promise((done) => (arrive = done))
    const done = approvals.decide(first(), true)
    expect([ids(), draft.sending]).toEqual([['a'], true])
    expect(await approvals.decide(first(), true)).toBe(false)
    arrive()
    expect(await done).toBe(false)
    expect([ids(), draft.sending, draft.fault?.message, told]).toEqual([['a'], false, 'the changed arguments cannot be used: no', []])
    expect(asked.map((x) => x.decision.arguments)).toEqual(['{"children":[{"name":"A","prompt":"b"}]}'])
    refusal = undefined
    expect(approvals.ready('a')).toBe(true)
    expect(await approvals.decide(first(), true)).toBe(true)
    expect(ids()).toEqual([])
  })

  test('an unedited fork is approved as requested, without arguments', async () => {
    approvals.load({ approvals: [fork('a')] })
    await wait()
    await approvals.decide(first(), true)
    expect(asked[0]!.decision).toEqual({
      allow: true,
      scope: 'once',
      patterns: [],
      reason: '',
      arguments: '',
      answer: '',
      left: [],
      seen: 'print of a',
      seenMs: 1,
    })
  })

  test('an answer is sent with the choice, a skipped question only with the reason', async () => {
    approvals.load({ approvals: [question('a'), question('b')] })
    await wait()
    const [a, b] = approvals.list as [Request, Request]
    expect(await approvals.decide(a, true)).toBe(false)
    approvals.draft(a).question!.choose(1)
    await approvals.decide(a, true)
    approvals.draft(b).question!.choose(1)
    approvals.draft(b).reason = 'no time'
    await approvals.decide(b, false)
    expect(asked.map((x) => x.decision)).toEqual([
      { allow: true, scope: 'once', patterns: [], reason: '', arguments: '', answer: 'y', left: [], seen: 'print of a', seenMs: 1 },
      { allow: false, scope: 'once', patterns: [], reason: 'no time', arguments: '', answer: '', left: [], seen: '', seenMs: 0 },
    ])
  })

  test('they are never decided together with others', async () => {
    approvals.load({ approvals: [question('a'), question('b'), fork('c'), fork('d')] })
    expect(approvals.list.map((r) => approvals.alike(r))).toEqual([[], [], [], []])
  })

  test('a write to a file of other agents is approved with its warning in sight, not along with others', () => {
    const conflict = { file: 'a', path: 'b.mtm', agent: 'B', notebook: 'b', atMs: 1, running: true }
    approvals.load({ approvals: [request('a'), request('b', { conflicts: [conflict] }), request('c')] })
    expect(approvals.alike(first()).map((r) => r.id)).toEqual(['c'])
  })

  test('a completed request replaces the earlier one and keeps the edits', async () => {
    approvals.load({ approvals: [fork('a'), request('b')] })
    await wait()
    approvals.draft(first()).fork!.children[0]!.name = 'Z'
    approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [{ ...request('b'), held: 'Other' }], removed: 'b' } })
    approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [{ ...fork('a'), held: 'Other' }] } })
    expect(approvals.list.map((r) => [r.id, r.held])).toEqual([
      ['a', 'Other'],
      ['b', 'Other'],
    ])
    expect([approvals.draft(first()).fork!.children[0]!.name, approvals.ready('a')]).toEqual(['Z', true])
  })
})

test('a request that returns with another change is decided in its new form; typed text stays', async () => {
  const change = (text: string) => ({
    path: 'a',
    new: false,
    lines: [{ op: '+', text }],
    hunks: ['h'],
    added: 1,
    removed: 0,
    more: 0,
    plain: '',
  })
  approvals.load({ approvals: [request('a', { changes: [change('x')] }), request('b', { changes: [change('x')] })] })
  await wait()
  const was = approvals.draft(first())
  was.reason = 'not yet'
  was.editing = true
  was.fields.named('command')!.text = 'go vet'
  approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [request('a', { changes: [change('y')] })], removed: 'a' } })
  const now = approvals.draft(first())
  expect([now.request.changes[0]!.lines[0]!.text, now.reason, now.fields.named('command')!.text]).toEqual(['y', 'not yet', 'go vet'])
  approvals.apply({ seq: 1, type: 'approvalsChanged', data: { added: [request('a', { arguments: '{"command":"ls"}' })], removed: 'a' } })
  expect([approvals.draft(first()).changed, approvals.draft(first()).reason]).toEqual([false, 'not yet'])
  const same = approvals.draft(approvals.list[1]!)
  approvals.apply({
    seq: 1,
    type: 'approvalsChanged',
    data: { added: [request('b', { changes: [change('x')], held: 'Other' })], removed: 'b' },
  })
  expect(approvals.draft(approvals.list[1]!)).toBe(same)
})

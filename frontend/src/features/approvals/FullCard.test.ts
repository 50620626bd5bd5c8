// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Backend, type approval } from '$lib/backend/backend'
import { domOfComponents, enterOfComposition } from '$lib/ui/testing'
import { ApprovalsState, guardMs } from './approvals.svelte'
import FullCard from './FullCard.svelte'
import InboxCard from './InboxCard.svelte'
import type { Request } from './words'
import { eventually } from '$lib/testing/waits'

domOfComponents()
afterEach(() => vi.unstubAllGlobals())

const part = (text: string, understood = true): approval.Part =>
  ({ kind: 'program', text, program: text, args: [], depth: 0, understood }) as unknown as approval.Part
function request(parts: approval.Part[]): Request {
  const text = parts.map((p) => p.text).join('\n')
  return {
    id: '1',
    tool: 'shell',
    why: '',
    path: 'a.mtm',
    cell: 'c',
    callId: 'k',
    agent: 'Evil \u202Etxt.mtm',
    arguments: JSON.stringify({ command: text }),
    command: { text, understood: true, parts },
    suggestions: [],
  } as unknown as Request
}

/** A card whose guard time is over. */
function card(asked: Request) {
  vi.useFakeTimers()
  let clock = 0
  const approvals = new ApprovalsState(new Backend(), { failed() {}, now: () => clock })
  approvals.load({ approvals: [asked] })
  vi.advanceTimersByTime(guardMs + 1)
  vi.useRealTimers()
  const decide = vi.spyOn(approvals, 'decide').mockResolvedValue(true)
  return { approvals, decide, later: () => (clock += guardMs + 1) }
}

test('a command of many parts can be approved once all of them are shown; parts that are not understood come first', async () => {
  const asked = request([...Array.from({ length: 100 }, (_, i) => part(`echo${i}`)), part('./evil.sh', false)])
  const { approvals, decide, later } = card(asked)
  render(FullCard, { approvals, request: asked })
  const whole = screen.getByRole('region')
  const approve = screen.getByRole('button', { name: 'Approve' })
  expect(screen.getAllByRole('listitem')[0]!.textContent).toContain('./evil.sh')
  whole.focus()
  later()
  await fireEvent.click(approve, { detail: 1 })
  await fireEvent.keyDown(whole, { key: 'Enter' })
  expect([approve.getAttribute('aria-disabled'), decide.mock.calls]).toEqual(['true', []])
  await fireEvent.click(screen.getByRole('button', { name: 'Show the other 41 parts' }))
  expect(screen.getAllByRole('listitem').at(-1)!.textContent).toContain('./evil.sh')
  await fireEvent.click(approve, { detail: 1 })
  expect(decide).toHaveBeenCalledOnce()
})

test.each(enterOfComposition)('a key of a composition, or one that is held down, decides nothing: %o', async (key) => {
  const asked = request([part('ls')])
  const { approvals, decide, later } = card(asked)
  render(FullCard, { approvals, request: asked })
  const whole = screen.getByRole('region')
  whole.focus()
  later()
  await fireEvent.keyDown(whole, key)
  await fireEvent.keyDown(whole, { key: 'Enter', repeat: true })
  expect(decide).not.toHaveBeenCalled()
  await fireEvent.keyDown(whole, { key: 'Enter' })
  expect(decide).toHaveBeenCalledOnce()
})

test.each(enterOfComposition)(
  'at the side, a key of a composition, or one that is held down, decides nothing and asks nothing: %o',
  async (composed) => {
    const asked = request([part('ls')])
    const { approvals, decide, later } = card(asked)
    const said = { onstep: vi.fn(), onleave: vi.fn() }
    render(InboxCard, { approvals, request: asked, head: true, cursor: true, onopen() {}, ondecided() {}, ...said })
    const small = screen.getByRole('article')
    small.focus()
    later()
    for (const key of ['Enter', 'Escape', 'ArrowDown', 'r', 'e']) await fireEvent.keyDown(small, { ...composed, key })
    await fireEvent.keyDown(small, { key: 'Enter', repeat: true })
    expect([decide.mock.calls, said.onstep.mock.calls, said.onleave.mock.calls, approvals.draft(asked).rejecting]).toEqual([
      [],
      [],
      [],
      false,
    ])
    // The keys of decisions type text in the reason.
    await fireEvent.keyDown(small, { key: 'r' })
    const reason = screen.getByRole('textbox')
    await fireEvent.keyDown(reason, composed)
    await fireEvent.keyDown(reason, { key: 'Enter', repeat: true })
    expect(decide).not.toHaveBeenCalled()
    await fireEvent.keyDown(reason, { key: 'Enter' })
    expect(decide).toHaveBeenCalledOnce()
  },
)

test.each(enterOfComposition)('the reason of a whole card is given by its own Enter: %o', async (composed) => {
  const asked = request([part('ls')])
  const { approvals, decide, later } = card(asked)
  render(FullCard, { approvals, request: asked })
  const whole = wholeCard()
  whole.focus()
  later()
  await fireEvent.keyDown(whole, { key: 'r' })
  const reason = screen.getByRole('textbox')
  await fireEvent.keyDown(reason, composed)
  await fireEvent.keyDown(reason, { key: 'Enter', repeat: true })
  expect(decide).not.toHaveBeenCalled()
  await fireEvent.keyDown(reason, { key: 'Enter' })
  expect(decide).toHaveBeenCalledOnce()
})

test('in the sidebar, a command of several lines links to the whole card, and a name hides nothing', async () => {
  const asked = request([part('ls'), part('./evil.sh')])
  const { approvals, decide } = card(asked)
  render(InboxCard, { approvals, request: asked, head: true, cursor: true, onopen() {}, onstep() {}, ondecided() {}, onleave() {} })
  expect(screen.getByRole('article').textContent).toContain('Evil ⟨U+202E⟩txt.mtm')
  await fireEvent.click(screen.getByRole('button', { name: 'Review…' }), { detail: 1 })
  expect([approvals.shown?.id, decide.mock.calls]).toEqual(['1', []])
})

const wholeCard = () => document.querySelector<HTMLElement>('section[data-approval]')!

/** A write of a number of parts, each of one line, whose last lines are missing. */
function write(parts: number, more = 0): Request {
  const hunks = Array.from({ length: parts }, (_, i) => `h${i}`)
  const lines = hunks.slice(0, parts - more).flatMap((h, i) => [
    { op: '@', text: `@@ -${i * 10 + 1},0 +${i * 10 + 1},1 @@` },
    { op: '+', text: `new ${h}` },
  ])
  return {
    id: '1',
    tool: 'write_file',
    why: '',
    path: 'a.mtm',
    cell: 'c',
    callId: 'k',
    agent: 'A',
    arguments: '{"uri":"a.txt","content":"x"}',
    changes: [{ path: 'a.txt', new: false, plain: '', added: parts, removed: 0, hunks, lines, more }],
    suggestions: [],
  } as unknown as Request
}
/** The program's answers to a request for all lines. */
const answerWith = (...answers: (Request | undefined)[]) =>
  vi.stubGlobal('fetch', async (url: string) => {
    if (!url.endsWith('/PreviewApproval')) return Response.json(null)
    const next = answers.shift()
    return next ? Response.json(next) : new Response('{"kind":"io","message":"the file cannot be read"}', { status: 500 })
  })
/** Tries every way to approve. */
async function tryAll(whole: HTMLElement, later: () => void) {
  whole.focus()
  later()
  await fireEvent.click(screen.getByRole('button', { name: 'Approve' }), { detail: 1 })
  await fireEvent.keyDown(whole, { key: 'Enter' })
  await fireEvent.keyDown(whole, { key: 'Enter', ctrlKey: true })
}

test('a change that arrived in part can be approved once all its lines have arrived', async () => {
  const asked = write(3, 2)
  const { approvals, decide, later } = card(asked)
  answerWith(undefined, write(3))
  render(FullCard, { approvals, request: asked })
  const whole = wholeCard()
  const approve = screen.getByRole('button', { name: 'Approve' })
  await tryAll(whole, later)
  expect([approve.getAttribute('aria-disabled'), decide.mock.calls]).toEqual(['true', []])
  expect(document.getElementById(approve.getAttribute('aria-describedby')!)!.textContent).toMatch(/show all of them/)
  // Lines that do not arrive do not count as shown.
  const show = screen.getByRole('button', { name: 'Show all: 2 more lines' })
  await fireEvent.click(show)
  expect((await screen.findByRole('alert')).textContent).toContain('The file cannot be read.')
  await tryAll(whole, later)
  expect(decide).not.toHaveBeenCalled()
  await fireEvent.click(screen.getByRole('button', { name: 'Show all: 2 more lines' }))
  await screen.findByRole('checkbox', { name: 'Take line 21 of a.txt' })
  expect(screen.queryByRole('alert')).toBeNull()
  await fireEvent.click(approve, { detail: 1 })
  expect(decide).toHaveBeenCalledOnce()
})

test('a change whose lines cannot all be shown says so next to the approval', async () => {
  const asked = write(30, 5)
  const { approvals, decide, later } = card(asked)
  answerWith(write(30, 3))
  render(FullCard, { approvals, request: asked })
  await fireEvent.click(screen.getByRole('button', { name: 'Show all: 5 more lines' }))
  await screen.findByText(/^3 more lines of a\.txt are not shown/)
  await tryAll(wholeCard(), later)
  expect(decide).not.toHaveBeenCalled()
  await fireEvent.click(screen.getByRole('button', { name: 'Show the rest as one' }))
  await fireEvent.click(screen.getByRole('button', { name: 'Approve' }), { detail: 1 })
  expect(decide).toHaveBeenCalledOnce()
})

test.each(['Show the rest as one', 'Show 5 more of 25 parts'])(
  'a change of many parts is approved once all of them are on view: %s',
  async (way) => {
    const asked = write(25)
    const { approvals, decide, later } = card(asked)
    render(FullCard, { approvals, request: asked })
    await tryAll(wholeCard(), later)
    expect(decide).not.toHaveBeenCalled()
    expect(screen.getAllByRole('checkbox')).toHaveLength(20)
    await fireEvent.click(screen.getByRole('button', { name: way }))
    expect(wholeCard().textContent).toContain('new h24')
    await fireEvent.click(screen.getByRole('button', { name: 'Approve' }), { detail: 1 })
    expect(decide).toHaveBeenCalledOnce()
  },
)

test('a write to a file of other agents cannot be shared before all of it was shown', async () => {
  const asked = {
    ...write(25),
    conflicts: [{ file: 'a.txt', path: 'b.mtm', agent: 'B', notebook: 'b', atMs: 1, running: false }],
  } as Request
  const { approvals, decide } = card(asked)
  const share = vi.spyOn(approvals, 'share').mockResolvedValue(true)
  render(FullCard, { approvals, request: asked })
  for (const name of ['Allow', 'Let them share']) await fireEvent.click(screen.getByRole('button', { name }), { detail: 1 })
  expect([decide.mock.calls, share.mock.calls]).toEqual([[], []])
  await fireEvent.click(screen.getByRole('button', { name: 'Show the rest as one' }))
  await fireEvent.click(screen.getByRole('button', { name: 'Let them share' }), { detail: 1 })
  expect(share).toHaveBeenCalledOnce()
})

test.each([
  ['cut', write(3, 1)],
  ['of many parts', write(21)],
])('at the side, a change that is %s leads to the whole', async (_name, asked) => {
  const { approvals, decide } = card(asked)
  render(InboxCard, { approvals, request: asked, head: true, cursor: true, onopen() {}, onstep() {}, ondecided() {}, onleave() {} })
  await fireEvent.click(screen.getByRole('button', { name: 'Review…' }), { detail: 1 })
  expect([approvals.shown?.id, decide.mock.calls]).toEqual(['1', []])
})

test('identical requests do exactly the same; a command that matches the same pattern is not identical', async () => {
  const pattern = { suggestions: [{ label: '', patterns: ['ls *'] }] } as Partial<Request>
  const one = { ...request([part('ls a')]), ...pattern } as Request
  const { approvals } = card(one)
  approvals.load({ approvals: [one, { ...request([part('ls b')]), ...pattern, id: '2' } as Request] })
  const { rerender } = render(FullCard, { approvals, request: one })
  expect(screen.queryByRole('button', { name: /alike/ })).toBeNull()
  approvals.load({ approvals: [one, { ...one, id: '3', agent: 'B', path: 'b.mtm' }] })
  await rerender({ approvals, request: one })
  expect(screen.getByRole('button', { name: 'Approve all 2 alike' })).toBeTruthy()
})

const small = (over: Partial<Request> = {}): Request =>
  ({ ...request([part('git')]), arguments: '{}', suggestions: [{ label: '', patterns: ['git *'] }], ...over }) as Request
const inInbox = { cursor: true, head: true, onopen() {}, onstep() {}, ondecided() {}, onleave() {} }

test.each([
  ['deletes', { warnings: [{ kind: 'deletes', text: 'rm deletes' }] }],
  ['is not understood', { command: { text: 'a', understood: false, parts: [] } }],
  ['writes what another agent wrote', { conflicts: [{ file: 'a', path: 'o', agent: 'O', notebook: 'o', atMs: 1, running: false }] }],
  ['is another one now', { renewed: { file: 'a', by: 'B', atMs: 1 } }],
])('at the side, what %s is looked at before it is approved', async (_name, over) => {
  const asked = small(over as unknown as Partial<Request>)
  const { approvals, decide, later } = card(asked)
  render(InboxCard, { approvals, request: asked, ...inInbox })
  const whole = screen.getByRole('article')
  expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull()
  whole.focus()
  later()
  await fireEvent.keyDown(whole, { key: 'Enter' })
  expect([approvals.shown?.id, decide.mock.calls]).toEqual(['1', []])
})

test('the button shows the chosen scope, in the sidebar and in the whole card', async () => {
  const asked = small()
  const { approvals } = card(asked)
  render(InboxCard, { approvals, request: asked, ...inInbox })
  approvals.draft(asked).scope = 'always'
  expect(await screen.findByRole('button', { name: 'Approve always' })).toBeTruthy()
  render(FullCard, { approvals, request: asked })
  approvals.draft(asked).scope = 'notebook'
  await eventually(() => expect(screen.getAllByRole('button', { name: 'Approve, and keep it' })).toHaveLength(2))
})

test('a card shows the current name of the agent and the whole command', async () => {
  const text = `git commit -m ${'x'.repeat(380)}`
  const asked = small({ why: 'I keep it.', command: { text, understood: true, parts: [] } as unknown as approval.Command })
  const approvals = new ApprovalsState(new Backend(), { failed() {}, nameOf: (path) => (path === 'a.mtm' ? 'Mend the garden' : '') })
  approvals.load({ approvals: [asked] })
  const { rerender } = render(InboxCard, { approvals, request: asked, ...inInbox })
  expect(screen.getByRole('article').textContent).toMatch(/^Mend the garden ?I keep it\./)
  expect(screen.getByRole('article').textContent).toContain(text)
  // The second card of an agent does not repeat the name.
  await rerender({ head: false })
  expect(screen.getByRole('article').textContent).not.toContain('Mend the garden')
})

test('arguments are shown as names and values; keys are labelled, even while a reason is asked for', async () => {
  const asked = {
    ...request([]),
    tool: 'mkdir',
    command: undefined,
    changes: [],
    arguments: '{"uri":"a/\\"b\\"","deep":{"n":1}}',
  } as unknown as Request
  const { approvals } = card(asked)
  render(FullCard, { approvals, request: asked })
  expect(screen.getByText('a/"b"')).toBeTruthy()
  expect(wholeCard().textContent).not.toContain('{"uri"')
  const hints = () => document.querySelector('footer .keys')!.textContent!.replace(/\s+/g, ' ')
  expect(hints()).toMatch(/Enter approve ?R reject ?E edit ?1–4 scope/)
  approvals.draft(asked).rejecting = true
  await eventually(() => expect(hints()).toMatch(/Enter reject ?Esc back/))
})

test('a new difference says so, and who caused it', () => {
  const asked = { ...write(3), renewed: { file: 'a.txt', by: 'Notes B', atMs: 1 } } as Request
  const { approvals } = card(asked)
  render(FullCard, { approvals, request: asked })
  expect(screen.getByText('“Notes B” changed a.txt since: this is the new difference.')).toBeTruthy()
})

describe('the arguments are edited by fields', () => {
  const edit = (args = '{"uri":"a.txt","edits":[{"old":"two","new":"2"}]}', tool = 'edit_file') =>
    ({ ...write(1), tool, arguments: args }) as Request

  test('E starts at the replaced text; Ctrl+Enter approves the typed text, except during a composition, and Esc discards it', async () => {
    const asked = edit()
    const { approvals, decide, later } = card(asked)
    answerWith(write(1), write(1))
    render(FullCard, { approvals, request: asked })
    const whole = wholeCard()
    whole.focus()
    later()
    await fireEvent.keyDown(whole, { key: 'e' })
    const group = screen.getByRole('group', { name: 'Replacement' })
    const [was, now] = ['Old text', 'New text'].map((name) => screen.getByRole<HTMLTextAreaElement>('textbox', { name }))
    await eventually(() => expect(document.activeElement).toBe(was))
    expect([group.contains(was!), was!.value, now!.value, screen.getAllByRole('textbox').length]).toEqual([true, 'two', '2', 2])
    expect(wholeCard().textContent).not.toContain('JSON')
    await fireEvent.input(now!, { target: { value: 'zwei' } })
    await fireEvent.keyDown(now!, { key: 'r' }) // types a letter
    expect(approvals.draft(asked).args).toBe('{"uri":"a.txt","edits":[{"old":"two","new":"zwei"}]}')
    await fireEvent.keyDown(now!, { key: 'Escape', isComposing: true })
    expect(approvals.draft(asked).editing).toBe(true)
    await fireEvent.keyDown(now!, { key: 'Escape' })
    expect([approvals.draft(asked).editing, approvals.draft(asked).changed, document.activeElement]).toEqual([false, false, whole])
    await fireEvent.keyDown(whole, { key: 'e' })
    await fireEvent.input(screen.getByRole('textbox', { name: 'New text' }), { target: { value: 'deux' } })
    await eventually(() => expect(approvals.draft(asked).edited.checking).toBe(false))
    later()
    const typing = screen.getByRole('textbox', { name: 'New text' })
    await fireEvent.keyDown(typing, { key: 'Enter' })
    await fireEvent.keyDown(typing, { key: 'Enter', ctrlKey: true, isComposing: true })
    expect(decide).not.toHaveBeenCalled()
    await fireEvent.keyDown(typing, { key: 'Enter', ctrlKey: true })
    expect([decide.mock.calls.length, approvals.draft(asked).decision(true).arguments]).toEqual([
      1,
      '{"uri":"a.txt","edits":[{"old":"two","new":"deux"}]}',
    ])
  })

  test('numbers, switches, lines and nested values have their own fields; an invalid value is reported at its field and blocks approval', async () => {
    const asked = {
      ...edit('{"depth":3,"deep_copy":true,"names":["a","b"],"options":{"x":[1]}}', 'mcp__copy'),
      changes: [],
      described: { depth: 'how far down' },
    } as Request
    const { approvals, decide, later } = card(asked)
    render(FullCard, { approvals, request: asked })
    await fireEvent.click(screen.getByRole('button', { name: 'Edit' }))
    const depth = screen.getByRole<HTMLInputElement>('textbox', { name: 'Depth' })
    const tick = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Deep copy' })
    const names = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Names' })
    const options = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Options, as JSON' })
    const about = (el: HTMLElement) => document.getElementById(el.getAttribute('aria-describedby') ?? '')?.textContent
    expect([depth.value, tick.checked, names.value, options.value]).toEqual(['3', true, 'a\nb', '{\n  "x": [\n    1\n  ]\n}'])
    expect([about(depth), about(names), depth.getAttribute('aria-invalid')]).toEqual(['how far down', 'One per line.', null])
    await fireEvent.input(options, { target: { value: '{"x":' } })
    expect([about(options), options.getAttribute('aria-invalid')]).toEqual([
      expect.stringMatching(/^Options, as JSON: this is not JSON\./),
      'true',
    ])
    later()
    expect(screen.getByRole('button', { name: 'Approve as edited' }).getAttribute('aria-disabled')).toBe('true')
    decide.mockRestore()
    expect(await approvals.decide(asked, true)).toBe(false)
    await fireEvent.input(options, { target: { value: '{"x":[]}' } })
    await fireEvent.input(depth, { target: { value: '4' } })
    await fireEvent.click(tick)
    await fireEvent.input(names, { target: { value: 'c\n' } })
    expect(approvals.draft(asked).args).toBe('{"depth":4,"deep_copy":false,"names":["c"],"options":{"x":[]}}')
  })
})

test('a call that another agent makes itself is approved or rejected as it is: nothing of it can be edited or left out', async () => {
  const hunks = [1, 9].flatMap((n) => [
    { op: '@', text: `@@ -${n},1 +${n},1 @@` },
    { op: '-', text: 'a' },
    { op: '+', text: 'b' },
  ])
  const asked = {
    ...request([]),
    tool: 'edit_file',
    command: undefined,
    changes: [{ path: 'a.go', lines: hunks, hunks: ['x', 'y'], added: 2, removed: 2, more: 0, new: false }],
  } as unknown as Request
  for (const fixed of [false, true]) {
    const approvals = new ApprovalsState(new Backend(), { failed() {}, fixed: () => fixed })
    approvals.load({ approvals: [asked] })
    const { unmount } = render(FullCard, { approvals, request: asked })
    expect([screen.queryAllByRole('button', { name: 'Edit' }).length, screen.queryAllByRole('checkbox').length]).toEqual(
      fixed ? [0, 0] : [1, 2],
    )
    await fireEvent.keyDown(screen.getByRole('region'), { key: 'e' })
    expect(approvals.draft(asked).editing).toBe(!fixed)
    unmount()
  }
})

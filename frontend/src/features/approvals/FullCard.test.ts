// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, test, vi } from 'vitest'
import { Backend, type approval } from '$lib/backend/backend'
import { domOfComponents, enterOfComposition } from '$lib/ui/testing'
import { ApprovalsState, guardMs } from './approvals.svelte'
import FullCard from './FullCard.svelte'
import InboxCard from './InboxCard.svelte'
import type { Request } from './words'

domOfComponents()
afterEach(() => vi.unstubAllGlobals())

const part = (text: string, understood = true): approval.Part => ({ kind: 'program', text, program: text, args: [], depth: 0, understood }) as unknown as approval.Part
function request(parts: approval.Part[]): Request {
  const text = parts.map((p) => p.text).join('\n')
  return { id: '1', tool: 'shell', path: 'a.mtm', cell: 'c', callId: 'k', agent: 'Evil \u202Etxt.mtm', arguments: JSON.stringify({ command: text }), command: { text, understood: true, parts }, suggestions: [] } as unknown as Request
}

/** A card whose guard time is over. */
function card(asked: Request) {
  vi.useFakeTimers()
  let clock = 0
  const approvals = new ApprovalsState(new Backend(), { failed() {}, now: () => clock })
  approvals.load([asked])
  vi.advanceTimersByTime(guardMs + 1)
  vi.useRealTimers()
  const decide = vi.spyOn(approvals, 'decide').mockResolvedValue(true)
  return { approvals, decide, later: () => (clock += guardMs + 1) }
}

test('a command of many parts is approved once all of them are on view; what is not understood comes first', async () => {
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

test('at the side, a command of several lines leads to the whole, and a name hides nothing', async () => {
  const asked = request([part('ls'), part('./evil.sh')])
  const { approvals, decide } = card(asked)
  render(InboxCard, { approvals, request: asked, cursor: true, onopen() {}, onstep() {}, ondecided() {}, onleave() {} })
  expect(screen.getByRole('article').textContent).toContain('Evil ⟨U+202E⟩txt.mtm')
  await fireEvent.click(screen.getByRole('button', { name: 'Review…' }), { detail: 1 })
  expect([approvals.shown?.id, decide.mock.calls]).toEqual(['1', []])
})

const wholeCard = () => document.querySelector<HTMLElement>('section[data-approval]')!

/** A write of so many parts, each of one line, of which the last so many lines are not there. */
function write(parts: number, more = 0): Request {
  const hunks = Array.from({ length: parts }, (_, i) => `h${i}`)
  const lines = hunks.slice(0, parts - more).flatMap((h, i) => [{ op: '@', text: `@@ -${i * 10 + 1},0 +${i * 10 + 1},1 @@` }, { op: '+', text: `new ${h}` }])
  return { id: '1', tool: 'write_file', path: 'a.mtm', cell: 'c', callId: 'k', agent: 'A', arguments: '{"uri":"a.txt","content":"x"}', changes: [{ path: 'a.txt', new: false, plain: '', added: parts, removed: 0, hunks, lines, more }], suggestions: [] } as unknown as Request
}
/** What the program answers when all lines of a request are asked for. */
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

test('a change that came in part is approved once all of its lines are here', async () => {
  const asked = write(3, 2)
  const { approvals, decide, later } = card(asked)
  answerWith(undefined, write(3))
  render(FullCard, { approvals, request: asked })
  const whole = wholeCard()
  const approve = screen.getByRole('button', { name: 'Approve' })
  await tryAll(whole, later)
  expect([approve.getAttribute('aria-disabled'), decide.mock.calls]).toEqual(['true', []])
  expect(document.getElementById(approve.getAttribute('aria-describedby')!)!.textContent).toMatch(/show all of them/)
  // What does not arrive is not taken for shown.
  const show = screen.getByRole('button', { name: 'Show all: 2 more lines' })
  await fireEvent.click(show)
  expect((await screen.findByRole('alert')).textContent).toContain('the file cannot be read')
  await tryAll(whole, later)
  expect(decide).not.toHaveBeenCalled()
  await fireEvent.click(screen.getByRole('button', { name: 'Show all: 2 more lines' }))
  await screen.findByRole('checkbox', { name: 'Take line 21 of a.txt' })
  expect(screen.queryByRole('alert')).toBeNull()
  await fireEvent.click(approve, { detail: 1 })
  expect(decide).toHaveBeenCalledOnce()
})

test('a change of which not all lines can be shown says so where it is approved', async () => {
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

test.each(['Show the rest as one', 'Show 5 more of 25 parts'])('a change of many parts is approved once all of them are on view: %s', async (way) => {
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
})

test('a write to a file of other agents is not shared before all of it was shown', async () => {
  const asked = { ...write(25), hands: [{ file: 'a.txt', path: 'b.mtm', agent: 'B', notebook: 'b', atMs: 1, running: false }] } as Request
  const { approvals, decide } = card(asked)
  const share = vi.spyOn(approvals, 'share').mockResolvedValue(true)
  render(FullCard, { approvals, request: asked })
  for (const name of ['Allow', 'Let them share']) await fireEvent.click(screen.getByRole('button', { name }), { detail: 1 })
  expect([decide.mock.calls, share.mock.calls]).toEqual([[], []])
  await fireEvent.click(screen.getByRole('button', { name: 'Show the rest as one' }))
  await fireEvent.click(screen.getByRole('button', { name: 'Let them share' }), { detail: 1 })
  expect(share).toHaveBeenCalledOnce()
})

test.each([['cut', write(3, 1)], ['of many parts', write(21)]])('at the side, a change that is %s leads to the whole', async (_name, asked) => {
  const { approvals, decide } = card(asked)
  render(InboxCard, { approvals, request: asked, cursor: true, onopen() {}, onstep() {}, ondecided() {}, onleave() {} })
  await fireEvent.click(screen.getByRole('button', { name: 'Review…' }), { detail: 1 })
  expect([approvals.shown?.id, decide.mock.calls]).toEqual(['1', []])
})

test('all alike are those that do the same; a command under the same pattern is none', async () => {
  const pattern = { suggestions: [{ label: '', patterns: ['ls *'] }] } as Partial<Request>
  const one = { ...request([part('ls a')]), ...pattern } as Request
  const { approvals } = card(one)
  approvals.load([one, { ...request([part('ls b')]), ...pattern, id: '2' } as Request])
  const { rerender } = render(FullCard, { approvals, request: one })
  expect(screen.queryByRole('button', { name: /alike/ })).toBeNull()
  approvals.load([one, { ...one, id: '3', agent: 'B', path: 'b.mtm' }])
  await rerender({ approvals, request: one })
  expect(screen.getByRole('button', { name: 'Approve all 2 alike' })).toBeTruthy()
})

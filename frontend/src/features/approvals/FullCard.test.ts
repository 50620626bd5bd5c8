// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { Backend, type approval } from '$lib/backend/backend'
import { domOfComponents, enterOfComposition } from '$lib/ui/testing'
import { ApprovalsState, guardMs } from './approvals.svelte'
import FullCard from './FullCard.svelte'
import InboxCard from './InboxCard.svelte'
import type { Request } from './words'

domOfComponents()

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

// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import type { Clock } from '$lib/clock/clock.svelte'
import { domOfComponents, enterOfComposition } from '$lib/ui/testing'
import AgentRow from './AgentRow.svelte'
import AgentsPane from './AgentsPane.svelte'
import { AgentsState } from './agents.svelte'
import type { InterruptedState } from './interrupted.svelte'
import type { StopState } from './stop.svelte'
import type { Node } from './tree'

domOfComponents()

const total = { tokens: 0, cost: 0, estimated: false }
const node: Node = { uuid: 'u', name: '模型', file: 'a.mtm', status: 'standby', marks: [], createdAt: '', modifiedMs: 0, timeMs: 0, own: total, subtree: total }
const clock = { now: 0, minute: 0 } as Clock

function row(renaming: boolean) {
  const said = { onopen: vi.fn(), onrename: vi.fn() }
  render(AgentRow, {
    row: { node, depth: 0, children: 0, expanded: false, place: 1, siblings: 1, pinned: false, lead: false },
    id: 'r', clock, selected: false, cursor: false, unread: false, renaming, described: undefined,
    onfold() {}, onmenu() {}, onpoint() {}, ondrag() {}, ...said,
  })
  return said
}

test.each(enterOfComposition)('a rename does not end with a composition: %o', async (key) => {
  const { onrename } = row(true)
  const field = screen.getByRole('textbox', { name: 'Name of the agent' })
  await fireEvent.keyDown(field, key)
  await fireEvent.keyDown(field, { ...key, key: 'Escape' })
  expect(onrename).not.toHaveBeenCalled()
  await fireEvent.keyDown(field, { key: 'Enter' })
  expect(onrename).toHaveBeenCalledExactlyOnceWith('模型')
})

test('a row opens by a click alone', async () => {
  const { onopen } = row(false)
  await fireEvent.click(screen.getByRole('treeitem'))
  expect(onopen).toHaveBeenCalledOnce()
})

test.each(enterOfComposition)('the search opens nothing while a word is composed: %o', async (key) => {
  const open = vi.fn()
  const agents = new AgentsState({} as never, { open, gone() {}, refer() {}, failed() {}, changed() {} })
  agents.load([node])
  render(AgentsPane, { agents, stopping: {} as StopState, interrupted: {} as InterruptedState, paused: { on: false, set() {} } as never, active: '', clock, desktop: false, prompt: false, ondeck() {} })
  const field = screen.getByRole('textbox', { name: 'Search agents' })
  await fireEvent.keyDown(field, key)
  expect(open).not.toHaveBeenCalled()
  await fireEvent.keyDown(field, { key: 'Enter' })
  expect(open).toHaveBeenCalledExactlyOnceWith('a.mtm')
})

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
import type { Node } from './node'

domOfComponents()

const total = { tokens: 0, cost: 0, estimated: false }
const node: Node = {
  uuid: 'u',
  name: '模型',
  file: 'a.mtm',
  status: 'standby',
  marks: [],
  createdAt: '',
  modifiedMs: 0,
  timeMs: 0,
  own: total,
  subtree: total,
}
const clock = { now: 0, minute: 0 } as Clock

function row(renaming: boolean) {
  const said = { onpress: vi.fn(), onedit: vi.fn(), onrename: vi.fn() }
  render(AgentRow, {
    row: { node, depth: 0, children: 0, expanded: false, place: 1, siblings: 1, pinned: false, lead: false },
    id: 'r',
    clock,
    selected: false,
    cursor: false,
    unread: false,
    renaming,
    described: undefined,
    apart: '',
    onfold() {},
    onmenu() {},
    onpoint() {},
    ondrag() {},
    ...said,
  })
  return said
}

test.each(enterOfComposition)('a rename does not end with a composition: %o', async (key) => {
  const { onrename } = row(true)
  const field = screen.getByRole('textbox', { name: 'Name of the agent' })
  await fireEvent.keyDown(field, key)
  await fireEvent.keyDown(field, { ...key, key: 'Escape' })
  expect(onrename).not.toHaveBeenCalled()
  await fireEvent.input(field, { target: { value: '模型二' } })
  await fireEvent.keyDown(field, { key: 'Enter' })
  expect(onrename).toHaveBeenCalledExactlyOnceWith('模型二', false)
})

test('a row distinguishes clicks by assistive technology and by the pointer, and a double click renames', async () => {
  const { onpress, onedit } = row(false)
  const item = screen.getByRole('treeitem')
  await fireEvent.click(item)
  await fireEvent.click(item, { detail: 1 })
  expect(onpress.mock.calls).toEqual([[0], [1]])
  await fireEvent.dblClick(item)
  expect(onedit).toHaveBeenCalledOnce()
})

/** The pane of the only agent. */
function pane() {
  const open = vi.fn()
  const agents = new AgentsState({} as never, {
    show() {},
    open,
    openBeside() {},
    gone() {},
    refer() {},
    failed() {},
    done() {},
    changed() {},
  })
  agents.load({ nodes: [node], ui: { collapsed: [], pinned: [], archived: [] } }, true)
  render(AgentsPane, {
    agents,
    stopping: {} as StopState,
    interrupted: {} as InterruptedState,
    paused: { on: false, set() {} } as never,
    active: 'a.mtm',
    clock,
    desktop: false,
    prompt: false,
    ondeck() {},
    onleave() {},
  })
  return { agents, open, tree: screen.getByRole('tree') }
}
const nameField = () => screen.queryByRole('textbox', { name: 'Name of the agent' })

test.each(enterOfComposition)('a key of a composition does nothing to the agent under the cursor: %o', async (composed) => {
  const { open, tree } = pane()
  tree.focus()
  for (const key of ['Enter', 'F2', 'Delete']) await fireEvent.keyDown(tree, { ...composed, key })
  expect([open.mock.calls, nameField()]).toEqual([[], null])
  await fireEvent.keyDown(tree, { key: 'F2' })
  expect(nameField()).not.toBeNull()
})

test('a key that is held down opens an agent once', async () => {
  const { open, tree } = pane()
  tree.focus()
  await fireEvent.keyDown(tree, { key: 'Enter' })
  await fireEvent.keyDown(tree, { key: 'Enter', repeat: true })
  expect(open).toHaveBeenCalledExactlyOnceWith('a.mtm')
})

test.each(enterOfComposition)('the search opens nothing while a word is composed: %o', async (key) => {
  const open = vi.fn()
  const agents = new AgentsState({} as never, {
    show() {},
    open,
    openBeside() {},
    gone() {},
    refer() {},
    failed() {},
    done() {},
    changed() {},
  })
  agents.load({ nodes: [node], ui: { collapsed: [], pinned: [], archived: [] } }, true)
  agents.filter = node.name
  render(AgentsPane, {
    agents,
    stopping: {} as StopState,
    interrupted: {} as InterruptedState,
    paused: { on: false, set() {} } as never,
    active: '',
    clock,
    desktop: false,
    prompt: false,
    ondeck() {},
    onleave() {},
  })
  const field = screen.getByRole('textbox', { name: 'Search agents' })
  await fireEvent.keyDown(field, key)
  expect(open).not.toHaveBeenCalled()
  await fireEvent.keyDown(field, { key: 'Enter' })
  expect(open).toHaveBeenCalledExactlyOnceWith('a.mtm')
  // The found agent is open: the whole list is shown again.
  expect(agents.filter).toBe('')
})

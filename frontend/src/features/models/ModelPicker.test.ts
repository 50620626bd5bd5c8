// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import type { acp, settings } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import ModelPicker from './ModelPicker.svelte'
import type { Choice } from './choice'

domOfComponents()

const agent = (id: string, state: string, more: Partial<acp.View> = {}): acp.View => ({
  id,
  name: id,
  from: 'found',
  line: id,
  version: '',
  state,
  problem: '',
  home: '',
  signIns: [],
  ...more,
})
const agents = [agent('Claude', 'ready', { version: '2.1' }), agent('Codex', 'signIn'), agent('Goose', 'missing'), agent('Qwen', 'broken')]
const view = {
  providers: [{ id: 'p', name: 'Provider', source: 'file', key: { store: 'none' }, models: [{ id: 'm', name: 'Model m' }] }],
  default: { provider: 'p', model: 'm' },
} as unknown as settings.View

function picker(choice: Choice | null, all: acp.View[] = agents) {
  const said = { onchoose: vi.fn(), onsettings: vi.fn(), onsignin: vi.fn() }
  render(ModelPicker, { view, choice, agents: all, ...said })
  return said
}
const open = (name: RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const items = () => screen.getAllByRole('menuitemradio').map((item) => item.textContent.replace(/\s+/g, ' ').trim())

test('agents on this computer follow the models; missing and broken ones are only in the settings', async () => {
  const { onchoose, onsignin } = picker(null)
  await open(/^Model: Model m/)
  expect(screen.getByText('An agent on this computer')).toBeTruthy()
  expect(items()).toEqual(['Default Model m', 'Model m', 'Claude 2.1', 'Codex Sign in…'])
  await fireEvent.click(screen.getByRole('menuitemradio', { name: /^Claude/ }))
  expect(onchoose).toHaveBeenCalledExactlyOnceWith({ provider: 'acp', model: 'Claude' })
  await open(/^Model/)
  await fireEvent.click(screen.getByRole('menuitemradio', { name: /^Codex/ }))
  expect([onsignin.mock.calls.length, onchoose.mock.calls.length]).toEqual([1, 1])
})

test('without agents there is no heading for them', async () => {
  picker(null, [])
  await open(/^Model: Model m/)
  expect(screen.queryByText('An agent on this computer')).toBeNull()
})

test.each([
  ['Claude', 'Claude answers, over ACP'],
  ['Codex', 'Codex needs you to sign in: see Agents in the settings.'],
  ['Goose', 'Goose is not on this computer.'],
  ['gone\u202e', 'gone⟨U+202E⟩ is not on this computer.'],
  ['Qwen', 'Qwen did not start.'],
])('the button shows the agent %j that answers, and what is wrong with it', async (id, tip) => {
  picker({ provider: 'acp', model: id })
  const button = screen.getByRole('button', { name: /^Who answers: / })
  expect(button.dataset.tip).toBe(tip)
  await fireEvent.click(button)
  expect(screen.queryAllByRole('menuitemradio', { checked: true }).length).toBe(id === 'Claude' || id === 'Codex' ? 1 : 0)
})

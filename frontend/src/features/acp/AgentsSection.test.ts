// @vitest-environment jsdom
import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import type { acp, Backend } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import { AcpState } from './acp.svelte'
import AgentPane from './AgentPane.svelte'
import AgentsSection from './AgentsSection.svelte'
import OptionPickers from './OptionPickers.svelte'
import { agent, option, session } from './testing'
import { eventually } from '$lib/testing/waits'

domOfComponents()

async function section(agents: acp.View[], more: Record<string, unknown> = {}) {
  const call = {
    ACPAgents: () => Promise.resolve(agents),
    SignInACPAgent: vi.fn(() => Promise.resolve()),
    AddACPAgent: vi.fn((_: acp.Input) => Promise.resolve()),
    RemoveACPAgent: vi.fn(() => Promise.resolve()),
  }
  const openLink = vi.fn(() => Promise.resolve())
  const state = new AcpState({ call, openLink, ...more } as unknown as Backend, { failed: vi.fn(), done: vi.fn() })
  state.load()
  render(AgentsSection, { agents: state })
  await eventually(() => expect(state.agents.length).toBe(agents.length))
  return { call, openLink, state }
}

test('agents on this computer are apart from known ones that are not, whose pages open outside', async () => {
  const { openLink } = await section([
    agent('claude', { version: '2.1' }),
    agent('mine', { from: 'settings', state: 'missing', problem: 'its program is gone' }),
    agent('goose', { state: 'missing', home: 'https://example.org/goose' }),
  ])
  const here = within(screen.getByRole('list', { name: 'Agents on this computer' })).getAllByRole('listitem')
  expect(here.map((li) => li.textContent.replace(/\s+/g, ' ').trim())).toEqual([
    'Name of claudefound ready · 2.1 claude --acp',
    expect.stringContaining('its program is gone'),
  ])
  await fireEvent.click(screen.getByRole('button', { name: 'How to install Name of goose' }))
  expect(openLink).toHaveBeenCalledExactlyOnceWith('https://example.org/goose')
})

test('a sign-in begins at once if there is one way, and otherwise the person chooses one', async () => {
  const ways = [
    { id: 'a', name: 'Account', description: '' },
    { id: 'k', name: 'Key\u202e', description: 'Asks for it' },
  ]
  const { call } = await section([
    agent('one', { state: 'signIn', signIns: ways.slice(0, 1) }),
    agent('two', { state: 'signIn', signIns: ways }),
  ])
  await fireEvent.click(screen.getByRole('button', { name: 'Sign in to Name of one' }))
  expect(call.SignInACPAgent).toHaveBeenLastCalledWith('one', 'a')
  await fireEvent.click(screen.getByRole('button', { name: 'Sign in to Name of two…' }))
  await fireEvent.click(screen.getByRole('menuitem', { name: /^Key⟨U\+202E⟩/ }))
  expect(call.SignInACPAgent).toHaveBeenLastCalledWith('two', 'k')
})

test('an agent is added with its command line and variables, and not before they are right', async () => {
  const { call } = await section([])
  await fireEvent.click(screen.getByRole('button', { name: 'Add agent…' }))
  const add = screen.getByRole<HTMLButtonElement>('button', { name: 'Add' })
  const write = (name: string, value: string) => fireEvent.input(screen.getByRole('textbox', { name }), { target: { value } })
  await write('Name', 'Mine')
  await write('Command line', 'my-agent "--acp')
  expect([add.disabled, screen.getByText('A quotation mark has no end.') !== null]).toEqual([true, true])
  await write('Command line', 'my-agent "--mode=a b"')
  await write('Variables', 'TOKEN')
  expect(add.disabled).toBe(true)
  await write('Variables', 'TOKEN=x')
  await fireEvent.click(add)
  expect(call.AddACPAgent).toHaveBeenCalledExactlyOnceWith({
    id: '',
    name: 'Mine',
    command: 'my-agent',
    args: ['--mode=a b'],
    env: { TOKEN: 'x' },
  })
  await eventually(() => expect(screen.queryByRole('form')).toBeNull())
})

test('the pane says what holds with the agent, and offers its choices and commands', async () => {
  const onchoose = vi.fn()
  const oncommand = vi.fn()
  render(AgentPane, {
    name: 'Claude Code',
    agent: agent('claude'),
    session: session({
      used: 64_000,
      size: 200_000,
      cost: 0.42,
      currency: 'USD',
      commands: [{ name: 'review', description: 'Reviews', hint: '[branch]' }],
    }),
    options: [option('model', ['s', 'o'])],
    onchoose,
    oncommand,
    onsettings: vi.fn(),
  })
  const lines = screen.getAllByRole('listitem').map((li) => li.textContent.trim())
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'Not at all',
    'Not at all',
    'In part',
    'In part',
    'In part',
    'In part',
    'In part',
    'As with a model',
    expect.stringContaining('/review [branch]'),
  ])
  expect(lines[6]).toContain('$0.42 in this session. It counts in the budget.')
  expect(screen.getByText('64k of 200k')).toBeTruthy()
  await fireEvent.change(screen.getByRole('combobox', { name: 'model' }), { target: { value: 'o' } })
  expect(onchoose).toHaveBeenCalledExactlyOnceWith('model', 'o')
  await fireEvent.click(screen.getByRole('button', { name: /^\/review/ }))
  expect(oncommand).toHaveBeenCalledExactlyOnceWith('review')
})

test('the pane says whether what the agent costs counts in the budget', () => {
  for (const [more, said] of [
    [{ cost: 0.42, currency: 'USD' }, '$0.42 in this session. It counts in the budget.'],
    [{ cost: 0.42, currency: 'EUR' }, 'A budget is in dollars, so it does not count.'],
    [{}, 'so a budget cannot include it.'],
  ] as const) {
    const given = { name: 'Claude Code', agent: agent('claude'), options: [], onchoose: vi.fn(), oncommand: vi.fn(), onsettings: vi.fn() }
    const { unmount } = render(AgentPane, { ...given, session: session(more) })
    expect(screen.getAllByRole('listitem')[6]!.textContent).toContain(said)
    unmount()
  }
})

test('the choices of an agent are pickers, each with its name, its value and what it means', async () => {
  const onchoose = vi.fn()
  render(OptionPickers, { options: [option('model', ['s', 'o']), option('mode', ['ask', 'auto'])], onchoose })
  const pickers = screen.getAllByRole('button')
  expect(pickers.map((b) => b.textContent.trim())).toEqual(['Name of s', 'Name of ask'])
  await fireEvent.click(pickers[1]!)
  await fireEvent.click(screen.getByRole('menuitemradio', { name: 'Name of auto' }))
  expect(onchoose).toHaveBeenCalledExactlyOnceWith('mode', 'auto')
})

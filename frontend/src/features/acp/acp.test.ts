import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Fault, type acp, type Backend } from '$lib/backend/backend'
import { AcpState, answererOf } from './acp.svelte'
import { inCurrency } from '$lib/format/money'
import { variablesOf, wordsOf } from './commandLine'
import { choiceName, shownOptions } from './options'
import { agent, option, session } from './testing'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const settle = () => vi.advanceTimersByTimeAsync(1000)

function state(calls: Record<string, unknown> = {}) {
  const host = { failed: vi.fn(), done: vi.fn() }
  const call = {
    ACPAgents: vi.fn(() => Promise.resolve([agent('claude'), agent('codex', { state: 'signIn' }), agent('goose', { state: 'missing' })])),
    ACPSession: vi.fn((path: string) => Promise.resolve(session({ session: `of ${path}` }))),
    SetACPOption: vi.fn(() => Promise.resolve()),
    ...calls,
  }
  return { acp: new AcpState({ call } as unknown as Backend, host), host, call }
}

test('agents are listed at the start and when one changes; those that can answer are offered until the person declines', async () => {
  const { acp, call } = state()
  acp.load()
  await settle()
  expect(acp.here.map((a) => a.id)).toEqual(['claude', 'codex'])
  expect(acp.offered.map((a) => a.id)).toEqual(['claude'])
  expect([acp.nameOf('claude'), acp.nameOf('unknown'), acp.nameOf('')]).toEqual(['Name of claude', 'unknown', ''])
  acp.decline()
  expect(acp.offered).toEqual([])
  call.ACPAgents.mockResolvedValue([])
  for (let i = 0; i < 9; i++) acp.apply({ seq: i, type: 'acpAgentsChanged', data: { agent: 'claude' } })
  await settle()
  expect([acp.agents, call.ACPAgents.mock.calls.length]).toEqual([[], 2])
})

test('the session is that of the notebook on view, and is asked for again when it changes', async () => {
  const { acp, call } = state()
  acp.follow('a.mtm', 'claude')
  await settle()
  expect(acp.session?.session).toBe('of a.mtm')
  acp.apply({ seq: 1, type: 'acpSessionChanged', data: { path: 'b.mtm' } })
  await settle()
  expect(call.ACPSession).toHaveBeenCalledTimes(1)
  acp.apply({ seq: 2, type: 'acpSessionChanged', data: { path: 'a.mtm' } })
  await settle()
  expect(call.ACPSession).toHaveBeenCalledTimes(2)

  acp.follow('b.mtm', 'codex')
  expect(acp.session, 'nothing of another notebook is shown').toBeUndefined()
  await settle()
  expect(acp.session?.session).toBe('of b.mtm')
  acp.follow('', '')
  acp.apply({ seq: 3, type: 'acpSessionChanged', data: { path: 'b.mtm' } })
  await settle()
  expect([acp.session, call.ACPSession.mock.calls.length]).toEqual([undefined, 3])
})

test('a choice shows at once, and is taken back if the agent refuses it', async () => {
  let refuse: (fault: Fault) => void = () => undefined
  const { acp, host } = state({
    ACPSession: () => Promise.resolve(session({ options: [option('mode', ['ask', 'free'])] })),
    SetACPOption: () => new Promise<void>((_, fail) => (refuse = fail)),
  })
  acp.follow('a.mtm', 'claude')
  await settle()
  const chosen = acp.choose('mode', 'free')
  expect(acp.options[0]!.value).toBe('free')
  refuse(new Fault('invalid', 'no'))
  await chosen
  expect([acp.options[0]!.value, host.failed.mock.calls.length]).toEqual(['ask', 1])
})

test('a notebook names the agent that answers it', () => {
  expect([
    answererOf({ provider: 'acp', model: 'claude' }),
    answererOf({ provider: 'openai', model: 'claude' }),
    answererOf({}),
    answererOf(undefined),
  ]).toEqual(['claude', '', '', ''])
})

test('choices with one value are left out, and the model comes first', () => {
  const options: acp.Option[] = [
    option('effort', ['x', 'y']),
    option('mode', ['ask', 'free']),
    option('model', ['s', 'o']),
    option('one', ['x']),
  ]
  expect(shownOptions(options).map((o) => o.id)).toEqual(['model', 'mode', 'effort'])
  expect([choiceName(options[1]!), choiceName({ ...options[1]!, value: 'gone\u202e' })]).toEqual(['Name of ask', 'gone⟨U+202E⟩'])
  expect([inCurrency(0.42, 'USD'), inCurrency(0.0031, '$'), inCurrency(3, 'EUR')]).toEqual(['$0.42', '$0.0031', '3.00 EUR'])
})

test.each([
  ['my-agent --acp', ['my-agent', '--acp']],
  ['"C:\\Program Files\\a.exe"  \'x y\' ""', ['C:\\Program Files\\a.exe', 'x y', '']],
  ['/opt/my\\ agent --name="a \\"b\\""', ['/opt/my agent', '--name=a "b"']],
  ['C:\\bin\\agent.exe', ['C:\\bin\\agent.exe']],
  ['  ', []],
  ['agent "open', undefined],
])('the words of %j', (line, words) => expect(wordsOf(line)).toEqual(words))

test('variables are lines with a name and a value', () => {
  expect(variablesOf('A=1\n\nB_2=x=y \n')).toEqual({ A: '1', B_2: 'x=y ' })
  expect([variablesOf('A'), variablesOf('a b=1'), variablesOf('=1')]).toEqual([undefined, undefined, undefined])
})

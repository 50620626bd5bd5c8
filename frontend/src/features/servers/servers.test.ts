import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Backend, mcp } from '$lib/backend/backend'
import { ServersState } from './servers.svelte'

const host = () => ({ failed: vi.fn(), ask: vi.fn(), done: vi.fn(), look: vi.fn() })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the servers are read again when one changes, but only while they are shown', async () => {
  let state = 'configured'
  const asked = vi.fn(() => Promise.resolve({ servers: [{ name: 'a', state }] as mcp.View[], problem: '' }))
  const servers = new ServersState({ call: { Servers: asked } } as unknown as Backend, host())
  const changed = () => servers.apply({ seq: 1, type: 'serversChanged', data: { server: 'a' } })

  changed()
  await vi.runAllTimersAsync()
  expect(asked).not.toHaveBeenCalled()

  const leave = servers.follow()
  await vi.runAllTimersAsync()
  expect(servers.listing?.servers[0]?.state).toBe('configured')
  state = 'ready'
  for (let i = 0; i < 20; i++) changed()
  await vi.runAllTimersAsync()
  expect(servers.listing?.servers[0]?.state).toBe('ready')
  expect(asked).toHaveBeenCalledTimes(2)

  leave()
  changed()
  await vi.runAllTimersAsync()
  expect(asked).toHaveBeenCalledTimes(2)
})

test('a message about changed tools appears once, leads to the settings, and disappears once they are accepted', async () => {
  const accept = vi.fn(() => Promise.resolve())
  const says = host()
  const servers = new ServersState({ call: { AcceptTool: accept } } as unknown as Backend, says)
  servers.apply({ seq: 1, type: 'toolsHeld', data: { server: 'a', tools: ['rain\u202e', 'wind'] } })
  expect(says.ask).toHaveBeenCalledTimes(1)
  const [title, detail, action] = says.ask.mock.calls[0] as [string, string, { run: () => void }]
  expect(title).toBe('Tools of a changed since you allowed them')
  expect(detail).toContain('rain⟨U+202E⟩, wind')
  action.run()
  expect(says.look).toHaveBeenCalledTimes(1)
  says.done.mockClear()
  await servers.accept({ server: 'a', tool: 'rain', hash: 'h', before: '', after: '' } as mcp.ToolChange)
  expect(says.done).toHaveBeenCalledWith(title)
  expect(accept).toHaveBeenCalledTimes(1)
})

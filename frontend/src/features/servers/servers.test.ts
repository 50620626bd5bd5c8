import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Backend, mcp } from '$lib/backend/backend'
import { ServersState } from './servers.svelte'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the servers are read again when one changes, but only while they are shown', async () => {
  let state = 'configured'
  const asked = vi.fn(() => Promise.resolve({ servers: [{ name: 'a', state }] as mcp.View[], problem: '' }))
  const servers = new ServersState({ call: { Servers: asked } } as unknown as Backend, () => undefined)
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

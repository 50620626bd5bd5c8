import { afterEach, expect, test, vi } from 'vitest'
import { Backend } from './backend'
import { askFirst } from './firstSnapshot'

afterEach(() => vi.unstubAllGlobals())

function inWindow(Snapshot: () => Promise<unknown>) {
  vi.stubGlobal('window', { go: { main: { App: { Snapshot } } }, runtime: {} })
  askFirst()
  return new Backend()
}

test('the first state is asked for before there is a backend, and later ones anew', async () => {
  let seq = 0
  const Snapshot = vi.fn(async () => ({ seq: ++seq }))
  const backend = inWindow(Snapshot)
  expect(Snapshot).toHaveBeenCalledOnce()
  expect(await backend.snapshot()).toEqual({ seq: 1 })
  expect(Snapshot).toHaveBeenCalledOnce()
  expect(await backend.snapshot()).toEqual({ seq: 2 })
})

test('a first state that could not be had is asked for again', async () => {
  const Snapshot = vi.fn<() => Promise<unknown>>().mockRejectedValueOnce('{"kind":"internal","message":"Could not read the folder"}')
  const backend = inWindow(Snapshot.mockResolvedValue({ seq: 1 }))
  await expect(backend.snapshot()).rejects.toMatchObject({ kind: 'internal', message: 'Could not read the folder' })
  expect(await backend.snapshot()).toEqual({ seq: 1 })
})

test('in a browser the page signs in first', async () => {
  const fetch = vi.fn(async () => Response.json({ seq: 1 }))
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', fetch)
  askFirst()
  expect(fetch).not.toHaveBeenCalled()
  expect(await new Backend().snapshot()).toEqual({ seq: 1 })
})

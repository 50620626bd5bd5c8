import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Backend } from './backend'
import { codeDisconnected } from './fault'
import { request } from './request'
import { until } from '$lib/testing/waits'

/** The time limit of each wait, in milliseconds: only a failure takes that long. */
/* The test double is at the network edge: a real HTTP server that answers as
   backend/web does. Node's fetch needs absolute addresses; nothing else differs. */
let server: Server
let base = ''
const seen: { url: string; body: string }[] = []
let hold: (() => void) | undefined

beforeAll(async () => {
  server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk: Buffer) => (body += chunk.toString()))
    req.on('end', () => {
      const url = req.url ?? ''
      seen.push({ url, body })
      if (url === '/api/call/Rename') res.writeHead(409).end('{"kind":"conflict","message":"It changed."}')
      else if (url === '/api/call/Edit' && body.includes('slow')) hold = () => res.end('{"seq":1,"rev":1}')
      else if (url === '/api/call/Edit') res.end('{"seq":2,"rev":2}')
      else if (url === '/api/call/Stop') res.end('')
      else if (url.startsWith('/api/notebook')) res.end('<html>')
      else res.writeHead(403).end('forbidden')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const real = globalThis.fetch
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(base + path, init))
})
afterAll(() => {
  vi.unstubAllGlobals()
  server.close()
})

test.each([new Blob(['x']), new FormData(), new ArrayBuffer(2), { a: 1 }])('%s is never sent', async (body) => {
  // @ts-expect-error refused by the types as well
  await expect(request('/api/call/Stop', { body })).rejects.toThrow(TypeError)
})

test('a request sent while the page closes outlives it, as far as browsers allow', async () => {
  const heard: Record<string, () => void> = {}
  const sent: RequestInit[] = []
  const real = globalThis.fetch
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => {
    heard[type] = listener
  })
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    sent.push(init)
    return real(path, init)
  })
  vi.resetModules()
  const { request: send } = await import('./request')
  const kept = async (body: string, event?: string) => {
    if (event) heard[event]?.()
    await send('/api/call/Stop', { body })
    return sent.at(-1)?.keepalive ?? false
  }
  expect(await kept('[]')).toBe(false)
  expect(await kept('[]', 'pagehide')).toBe(true)
  expect(await kept('x'.repeat(20_000), 'pagehide')).toBe(false)
  expect(await kept('[]')).toBe(true)
  heard.pageshow?.()
  expect(await kept('[]')).toBe(false)
  expect(await kept('[]', 'beforeunload')).toBe(true)
  vi.stubGlobal('fetch', real)
})

test('a call posts its arguments, and returns nothing for an empty answer', async () => {
  await expect(new Backend().call.Stop('a.mtm')).resolves.toBeUndefined()
  expect(seen.at(-1)).toEqual({ url: '/api/call/Stop', body: '["a.mtm"]' })
})

test('an error keeps its kind', async () => {
  // @ts-expect-error there is no such call: the types know every one
  await expect(new Backend().call.Rename('a')).rejects.toMatchObject({ name: 'Fault', kind: 'conflict', message: 'It changed.' })
})

test('an answer that is not JSON is a fault, not a crash', async () => {
  const backend = new Backend()
  await expect(backend.notebook('ä b.mtm')).rejects.toMatchObject({ name: 'Fault', kind: 'internal' })
  expect(seen.at(-1)?.url).toBe(`/api/notebook?path=%C3%A4+b.mtm&window=${backend.window}`)
})

test('without the token the message says what to do', async () => {
  await expect(request('/api/elsewhere')).rejects.toThrow(/mutsumi serve/)
})

test('edits of one notebook are sent in order, other calls do not wait', async () => {
  const backend = new Backend()
  const done: string[] = []
  const first = backend.call.Edit('a.mtm', [], 'slow').then(() => done.push('first'))
  const second = backend.call.Edit('a.mtm', [], 'quick').then(() => done.push('second'))
  await backend.call.Edit('b.mtm', [], 'other')
  await backend.call.Stop('a.mtm')
  expect(seen.filter((s) => s.body.includes('quick'))).toHaveLength(0)
  await until(() => hold)
  hold?.()
  await Promise.all([first, second])
  expect(done).toEqual(['first', 'second'])
})

test('a program that is gone has its own code', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
  await expect(request('/api/events')).rejects.toMatchObject({ code: codeDisconnected })
})

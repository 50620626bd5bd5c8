// `mutsumi serve` from outside: who is admitted, and what the page may do.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import http from 'node:http'
import { serve } from './lib/serve.mjs'
import { notebookText, World } from './lib/world.mjs'

describe('mutsumi serve', () => {
  let world, server, session

  before(async () => {
    world = new World({ '.mutsumi/one.mtm': notebookText('One', [['hello', 'hi']]) })
    server = await serve(world)
    session = await server.headers()
  })

  after(async () => {
    assert.equal(await server.stop(), 0, 'Ctrl+C is an ordinary end')
    world.remove()
  })

  /** A request with every header in the test's hand. */
  function ask(method, path, headers = {}, body) {
    return new Promise((done, fail) => {
      const request = http.request(server.origin + path, { method, headers, timeout: 10_000 }, (response) => {
        let text = ''
        response
          .setEncoding('utf8')
          .on('data', (c) => (text += c))
          .on('end', () => done({ status: response.statusCode, headers: response.headers, text }))
      })
      request.on('error', fail).end(body)
    })
  }

  test('admits sessions of the printed address', async () => {
    const page = await ask('GET', '/')
    assert.equal(page.headers['set-cookie'], undefined)
    assert.equal(page.status, 200)
    assert.match(page.headers['content-type'], /text\/html/)
    const call = await ask('POST', '/api/call/Snapshot', { ...session, 'content-type': 'application/json' }, '[]')
    assert.equal(call.status, 200)
    const snapshot = JSON.parse(call.text)
    assert.equal(snapshot.folder, world.folder)
    assert.deepEqual(
      snapshot.nodes.map((n) => n.name),
      ['One'],
    )
  })

  test('refuses everybody else', async () => {
    for (const [what, path, headers] of [
      ['nothing', '/api/notebook?path=.mutsumi/one.mtm', {}],
      ['what the address carried, as a cookie', '/api/notebook?path=.mutsumi/one.mtm', { cookie: `mutsumi=${session.authorization}` }],
      ['a wrong session', '/api/events', { authorization: 'Bearer ' + '0'.repeat(48) }],
      ['a foreign name that points here', '/', { ...session, host: 'evil.example' }],
      ['the right host with another port', '/', { ...session, host: '127.0.0.1:1' }],
      ['a page of another site', '/api/notebook?path=.mutsumi/one.mtm', { ...session, origin: 'http://evil.example' }],
      ['a sandboxed frame', '/api/notebook?path=.mutsumi/one.mtm', { ...session, origin: 'null' }],
      ['a cross-site fetch', '/api/notebook?path=.mutsumi/one.mtm', { ...session, 'sec-fetch-site': 'cross-site' }],
    ]) {
      const { status, text } = await ask('GET', path, headers)
      assert.ok(status === 401 || status === 403, `${what}: ${status}`)
      assert.ok(!text.includes('hello'), what)
    }
    const call = await ask(
      'POST',
      '/api/call/Snapshot',
      { ...session, origin: 'http://evil.example', 'content-type': 'application/json' },
      '[]',
    )
    assert.equal(call.status, 403)
  })

  test('serves no file outside the folder', async () => {
    for (const path of ['../config/settings.yaml', '/etc/passwd', '.mutsumi/../../home', '%2e%2e/home']) {
      for (const url of [
        `/api/notebook?path=${path}`,
        `/api/text?path=${path}`,
        `/api/image?path=.mutsumi/one.mtm&src=${path}`,
        `/${path}`,
      ]) {
        const { status, text } = await ask('GET', url, session)
        // A path that is not clean may be sent to the clean one, which is not there either.
        assert.ok(status >= 400 || (status >= 300 && url.startsWith('//')), `${url}: ${status}`)
        assert.ok(!text.includes('root:'), url)
      }
    }
  })

  test('the page may load nothing from elsewhere and run no inline script', async () => {
    const { headers } = await ask('GET', '/')
    const policy = Object.fromEntries(
      headers['content-security-policy']
        .split(';')
        .map((p) => p.trim())
        .map((p) => [p.split(' ')[0], p.split(' ').slice(1)]),
    )
    assert.deepEqual(policy['default-src'], ["'none'"])
    assert.deepEqual(policy['script-src'], ["'self'"])
    // blob: is for the page's own data: a pasted picture is read from one.
    assert.deepEqual(
      policy['connect-src'].filter((source) => source !== 'blob:'),
      ["'self'"],
    )
    assert.deepEqual(policy['frame-ancestors'], ["'none'"])
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })

  test('refuses a call that does not exist, in words', async () => {
    const { status, text } = await ask('POST', '/api/call/NoSuchCall', { ...session, 'content-type': 'application/json' }, '[]')
    assert.ok(status >= 400 && status < 500, String(status))
    const fault = JSON.parse(text)
    assert.ok(fault.kind && fault.message, text)
  })

  test('listens on loopback only', () => {
    assert.match(server.origin, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.match(new URL(server.address).hash, /^#token=[0-9a-f]{32,}$/)
  })
})

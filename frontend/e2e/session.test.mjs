// How a browser is admitted to `mutsumi serve`: by an address that is valid once, for a session
// that no other server of this machine can see.
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'

const ready = (page) => page.getByRole('button', { name: 'New agent' }).first().waitFor()

describe('a session', { timeout: 600_000 }, () => {
  after(closeBrowser)

  test('another server on this machine, opened in the same browser, sees nothing of it', async (t) => {
    const app = await App.start(t)
    const secret = (await app.page.evaluate(() => sessionStorage.getItem('mutsumi.session'))).match(/[0-9a-f]{48}/g)
    assert.equal(secret.length, 2)
    const seen = []
    const other = http.createServer((request, response) => {
      seen.push(JSON.stringify([request.url, request.rawHeaders]))
      response.setHeader('content-type', 'text/html').end('<title>other</title>')
    })
    await new Promise((done) => other.listen(0, '127.0.0.1', done))
    t.after(() => other.close())
    app.expectProblem(/^(request|popup|console): /)
    const address = `http://127.0.0.1:${other.address().port}/`
    const page = await app.context.newPage()
    await page.goto(address)
    assert.equal(await page.evaluate(() => sessionStorage.length + localStorage.length + document.cookie.length), 0)
    // The other page asks the program; and the program's page leads to the other one.
    const got = await page.evaluate(
      (url) =>
        fetch(url, { method: 'POST', body: '[]', credentials: 'include' }).then(
          (r) => r.status,
          () => 'refused',
        ),
      `${app.server.origin}/api/call/Snapshot`,
    )
    assert.equal(got, 'refused')
    await app.page.evaluate((url) => {
      location.href = url
    }, address)
    await app.page.waitForURL(address)
    await app.page.goBack()
    await ready(app.page)
    assert.ok(seen.length >= 2)
    for (const s of seen) assert.ok(!secret.some((x) => s.includes(x)) && !/token|cookie|authorization/i.test(s), s)
    assert.deepEqual(await app.context.cookies(), [])
  })

  test('a reload stays signed in; the address is no longer visible', async (t) => {
    const app = await App.start(t)
    assert.equal(new URL(app.page.url()).hash, '')
    await app.reload()
    await app.newAgent()
  })

  test('the address is valid once, and a page without one says how to sign in', async (t) => {
    const app = await App.start(t)
    app.expectProblem(/401/)
    const used = await app.server.enter()
    const first = await app.context.newPage()
    await first.goto(used)
    await ready(first)
    for (const address of [used, app.server.origin]) {
      const page = await app.context.newPage()
      await page.goto(address)
      await page.getByRole('heading', { name: 'This page is not signed in' }).waitFor()
      await page.getByText('Open the new address that mutsumi serve prints now').waitFor()
      await page.close()
    }
    // The next printed address admits the same tab, although only the part after the # changes.
    const page = await app.context.newPage()
    await page.goto(app.server.origin)
    await page.getByRole('heading', { name: 'This page is not signed in' }).waitFor()
    await page.goto(app.server.address)
    await ready(page)
  })

  test('the menu opens another window of the same folder', async (t) => {
    const app = await App.start(t)
    app.expectProblem(/^(popup|request): http:\/\/127\.0\.0\.1:/)
    await app.page.getByRole('button', { name: /^Folder / }).click()
    const [page] = await Promise.all([
      app.context.waitForEvent('page'),
      app.page.getByRole('menuitem', { name: 'Another window of this folder' }).click(),
    ])
    await ready(page)
    assert.equal(new URL(page.url()).origin, app.server.origin)
    await app.newAgent()
    await page.getByRole('treeitem').first().waitFor()
  })

  test('a session ends with the program', async (t) => {
    const app = await App.start(t)
    const { authorization } = await app.server.headers()
    await app.restart()
    const answer = await fetch(`${app.server.origin}/api/call/Snapshot`, { method: 'POST', headers: { authorization }, body: '[]' })
    assert.equal(answer.status, 401)
  })
})

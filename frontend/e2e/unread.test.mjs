// Agents that finish or fail while the person looks at something else are
// unread until they are looked at, also after a restart.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'

describe('unread agents', { timeout: 600_000 }, () => {
  after(closeBrowser)

  test('an agent that finishes in the background is unread until it is opened, over a restart', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    await app.typePrompt('Count the beds')
    await app.run()
    const exchange = await provider.next()
    await app.newAgent()
    exchange.text('Six.')
    exchange.end()
    const row = app.agent('Count the beds')
    await app.until(async () => /unread/.test(await row.getAttribute('aria-label')), 'the row to be unread')
    assert.equal(await app.page.getByRole('tab', { name: /Count the beds.*unread/ }).count(), 1)
    await app.page.getByRole('button', { name: '1 unread' }).waitFor()

    await app.restart()
    await app.until(async () => /unread/.test((await app.agent('Count the beds').getAttribute('aria-label')) ?? ''), 'the row to be unread after a restart')
    await app.openAgent('Count the beds')
    await app.until(async () => !/unread/.test(await app.agent('Count the beds').getAttribute('aria-label')), 'the row to be read')
    await app.restart()
    assert.doesNotMatch(await app.agent('Count the beds').getAttribute('aria-label'), /unread/)
  })

  test('an agent that is on view when it finishes is never unread', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    await app.typePrompt('Count the beds')
    await app.run()
    const exchange = await provider.next()
    exchange.text('Six.')
    exchange.end()
    await app.waitIdle()
    await app.newAgent()
    assert.doesNotMatch(await app.agent('Count the beds').getAttribute('aria-label'), /unread/)
  })
})

// Agents that finish or fail while the person looks at something else are unread until they are
// looked at, even after a restart.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'

/** A program with an agent that works on 'Count the beds': its answer is the exchange's. */
async function working(t) {
  const provider = await Paced.start()
  t.after(() => provider.stop())
  const app = await App.start(t, { env: provider.env })
  await app.newAgent()
  await app.typePrompt('Count the beds')
  await app.run()
  const exchange = await provider.next()
  return { app, exchange }
}

/** Waits until the program keeps so many tabs: with fewer, another agent would be on view after a restart. */
const keptTabs = (app, n) => app.until(async () => (await app.call('Snapshot')).ui.tabs.length === n, `${n} tabs to be kept`)

describe('unread agents', { timeout: 600_000 }, () => {
  after(closeBrowser)

  test('an agent that finishes in the background is unread until it is opened, across a restart', async (t) => {
    const { app, exchange } = await working(t)
    await app.newAgent()
    exchange.text('Six.')
    exchange.end()
    const row = app.agent('Count the beds')
    await app.until(async () => /unread/.test(await row.getAttribute('aria-label')), 'the row to be unread')
    assert.equal(await app.page.getByRole('tab', { name: /Count the beds.*unread/ }).count(), 1)
    await app.page.getByRole('button', { name: '1 unread' }).waitFor()

    await keptTabs(app, 2)
    await app.restart()
    await app.until(
      async () => /unread/.test((await app.agent('Count the beds').getAttribute('aria-label')) ?? ''),
      'the row to be unread after a restart',
    )
    await app.openAgent('Count the beds')
    await app.until(async () => !/unread/.test(await app.agent('Count the beds').getAttribute('aria-label')), 'the row to be read')
    await app.until(async () => {
      const [{ endedMs }, { ui }] = await app.call('Snapshot').then((s) => [s.nodes.find((n) => n.name === 'Count the beds'), s])
      return ui.readAll >= endedMs
    }, 'what was read to be kept')
    await app.restart()
    assert.doesNotMatch(await app.agent('Count the beds').getAttribute('aria-label'), /unread/)
  })

  test('an agent that fails in the background is marked failed and unread, across a restart and a kill, until it is opened', async (t) => {
    const { app, exchange } = await working(t)
    await app.newAgent()
    exchange.fail(400, 'this model counts no beds')
    const row = () => app.agent('Count the beds')
    const label = async (pattern, what) => app.until(async () => pattern.test((await row().getAttribute('aria-label')) ?? ''), what)
    await label(/, Failed, unread/, 'the row to be failed and unread')
    await keptTabs(app, 2)
    for (const signal of ['SIGINT', 'SIGKILL']) {
      await app.restart(signal)
      await label(/, Failed, unread/, `the row to be failed and unread after ${signal}`)
      await app.page.getByRole('button', { name: '1 unread' }).waitFor()
    }
    await app.openAgent('Count the beds')
    await app.page.getByText('this model counts no beds').first().waitFor()
    await label(/, Failed$/, 'the row to be read, and still failed')
  })

  test('an agent that is visible when it finishes is never unread', async (t) => {
    const { app, exchange } = await working(t)
    exchange.text('Six.')
    exchange.end()
    await app.waitIdle()
    await app.newAgent()
    assert.doesNotMatch(await app.agent('Count the beds').getAttribute('aria-label'), /unread/)
  })
})

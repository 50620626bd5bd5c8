// Prompts that wait while an answer runs: edited, put in another order, taken
// out, or given to the agent at its next step, in every window.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'

describe('the queue', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  /** The first line of the prompt that a request ends with. */
  const last = (exchange) => {
    const said = exchange.body.messages.findLast((m) => m.role === 'user').content
    return (typeof said === 'string' ? said : said.map((p) => p.text ?? '').join('')).split('\n')[0]
  }
  const prompts = async (app) => {
    const texts = []
    for (let i = 1; i <= 4; i++) if (await app.cell(i).count()) texts.push(await app.promptText(i))
    return texts.filter((text) => text !== '')
  }

  test('the first prompt waits for the models of a new provider, and is stopped', async (t) => {
    const asked = []
    const slow = http.createServer((request) => asked.push(`${request.method} ${request.url}`)).listen(0, '127.0.0.1')
    t.after(() => {
      slow.closeAllConnections()
      slow.close()
    })
    await once(slow, 'listening')
    const app = await App.start(t, {
      env: { OPENAI_BASE_URL: `http://127.0.0.1:${slow.address().port}/v1`, OPENAI_API_KEY: 'k' },
    })
    await app.newAgent()
    await app.typePrompt('Hello')
    await app.run()
    await app.cell(1).getByText('Queued: waits for its turn').waitFor()
    await app.page.keyboard.press('Control+.')
    await app.until(async () => (await app.cell(1).getByText('Queued:').count()) === 0, 'the prompt to be out of the queue')
    // After a while its models are asked for again.
    assert.deepEqual([...new Set(asked)], ['GET /v1/models'], 'only its models were asked for')
  })

  test('two that wait are edited, reordered, removed and sent now; a second window sees it', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env, files: { 'a.txt': 'a\n' } })
    await app.newAgent()
    await app.typePrompt('Begin')
    await app.run()
    const first = await provider.next()
    for (const text of ['Alpha', 'Beta', 'Gamma']) {
      await app.typePrompt(text)
      await app.run()
    }
    for (const n of [2, 3, 4]) await app.cell(n).getByText('Queued:').waitFor()

    // Edited while it waits: the text at its turn is sent.
    await app.typePrompt('Alpha, changed', 2)
    // Later: it changes places with the one below; with the keyboard back and forth.
    await app.cell(2).getByRole('button', { name: 'Later' }).click()
    await app.until(async () => (await prompts(app)).join() === 'Begin,Beta,Alpha, changed,Gamma', 'the new order')
    assert.equal(await app.cell(2).getByRole('button', { name: 'Sooner' }).isDisabled(), true, 'nothing goes before the one that runs')
    assert.deepEqual(await findings(app.page), [])
    await app.editPrompt(4)
    await app.page.keyboard.press('Escape')
    await app.cell(4).and(app.page.locator(':focus')).waitFor()
    await app.page.keyboard.press('ControlOrMeta+Shift+ArrowUp')
    await app.until(async () => (await prompts(app)).join() === 'Begin,Beta,Gamma,Alpha, changed', 'the order by keys')

    // Taken out: the prompt stays.
    await app.cell(2).getByRole('button', { name: 'Remove', exact: true }).click()
    await app.until(async () => (await app.cell(2).getByText('Queued:').count()) === 0, 'Beta to be out of the queue')

    // Sent now, seen by an existing window and by a later one.
    const other = await app.openTab()
    const name = await app.tab().innerText()
    await app.openAgent(name.split('\n')[0].trim(), other)
    await app.cell(4, other).getByText('Queued:').waitFor()
    await app.page.bringToFront()
    await app.cell(4).getByRole('button', { name: 'Send now' }).click()
    for (const page of [app.page, other]) await app.cell(4, page).getByText('Goes to the agent at its next step').waitFor()
    const third = await app.openTab()
    await app.openAgent(name.split('\n')[0].trim(), third)
    await app.cell(4, third).getByText('Goes to the agent at its next step').waitFor()
    await third.close()

    await app.page.bringToFront()
    first.text('Let me look.')
    first.call('ls', {})
    first.end()
    const second = await provider.next()
    assert.equal(last(second), 'Alpha, changed', 'the prompt that was sent now comes at the next step')
    second.text('Alpha is answered.')
    second.end()
    const next = await provider.next()
    assert.equal(last(next), 'Gamma')
    next.text('Gamma is answered.')
    next.end()
    await app.waitIdle()
    const said = app.world
      .notebook()
      .context.filter((m) => m.role === 'user')
      .map((m) => m.content)
    assert.deepEqual(said, ['Begin', 'Alpha, changed', 'Beta', 'Gamma'])
    await assert.rejects(provider.next(500), /no request/, 'what was taken out is not sent')
  })
})

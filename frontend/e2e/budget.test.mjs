// What answers cost: prices that the person edits and confirms, the sum in the
// status bar, and a budget that pauses the agent and asks.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings, findingsInBoth, inBoth } from './lib/axe.mjs'
import { Paced, secretKey } from './lib/provider.mjs'
import { outFolder } from './lib/world.mjs'

describe('cost', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  const inbox = (app) => app.page.getByRole('region', { name: 'Waiting for you' })
  const cost = (app) => app.page.getByRole('contentinfo').locator('.cost')
  const pane = (app) => app.page.getByRole('region', { name: 'Cost' })
  const budget = (app) => pane(app).getByRole('textbox', { name: 'Budget' })

  /** The program with a provider in the settings whose model has these prices, in dollars per million tokens. */
  async function start(t, prices = {}, options = {}) {
    const provider = await Paced.start({ model: 'gpt-4o' })
    t.after(() => provider.stop())
    const app = await App.start(t, { env: { MY_KEY: secretKey }, ...options })
    const model = {
      id: 'gpt-4o',
      contextTokens: 128000,
      images: true,
      tools: true,
      reasoning: false,
      inputPrice: 2.5,
      cachedPrice: 1.25,
      outputPrice: 10,
      guessed: true,
      ...prices,
    }
    const id = await app.call('SaveProvider', { id: '', name: 'Paced', baseUrl: provider.url, keyEnv: 'MY_KEY', models: [model] })
    const view = await app.call('Settings')
    await app.call('ChangePreferences', view.preferences, { ...view.preferences, defaultProvider: id, defaultModel: 'gpt-4o' })
    await app.newAgent()
    return { app, provider }
  }
  /** Runs a prompt that is answered with a token count. */
  async function ask(app, provider, usage) {
    await app.typePrompt('Tell me')
    await app.run()
    const exchange = await provider.next()
    exchange.text('So it is.')
    exchange.end(usage)
    await app.waitIdle()
  }

  test('the placements are compared in tokens and price, and the notebook sets how much its model thinks', async (t) => {
    const { app, provider } = await start(
      t,
      { reasoning: true, guessed: false },
      { files: { 'notes.md': 'A line of the notes.\n'.repeat(200) } },
    )
    await app.typePrompt('See @[notes.md]')
    await app.page.keyboard.press('Escape')
    await app.run()
    const exchange = await provider.next()
    exchange.text('So it is.')
    exchange.end({ input: 5000, output: 10 })
    await app.waitIdle()
    const inspector = app.page.getByRole('complementary', { name: 'Context' })
    const compare = inspector.getByRole('button', { name: 'Compare what they cost' })
    const table = inspector.getByRole('table', { name: 'What each placement costs' })
    // The answer changes the request: the earlier comparison is removed.
    await app.until(async () => {
      if (await compare.isEnabled({ timeout: 1000 }).catch(() => false)) await compare.click({ timeout: 1000 }).catch(() => {})
      return table.isVisible()
    }, 'the comparison')
    const row = (name) => table.getByRole('row', { name }).innerText()
    for (const name of ['At the end', 'Before it', 'In each prompt']) assert.match(await row(name), /\$0\.0[\s\S]*cached/)
    await table.scrollIntoViewIfNeeded()
    await inBoth(app.page, (scheme) => app.page.screenshot({ path: `${outFolder}/placements-${scheme}.png` }))
    assert.deepEqual(await findingsInBoth(app.page), [])

    await inspector.getByRole('combobox', { name: 'How much the model thinks' }).selectOption('high')
    await app.until(() => app.world.notebook().metadata.mutsumi_effort === 'high', 'the effort in the file')
    await app.typePrompt('Tell me')
    await app.run()
    const second = await provider.next()
    assert.equal(second.body.reasoning_effort, 'high')
    second.text('Well.')
    second.end({ input: 10, output: 10 })
    await app.waitIdle()
  })

  test('unconfirmed prices make an estimate; edited ones are used', async (t) => {
    const { app, provider } = await start(t)
    await ask(app, provider, { input: 1000, cached: 500, output: 100 })
    // 500 at 2.50, 500 at 1.25, 100 at 10, for a million each.
    await app.until(async () => /^~\$0\.0029 this notebook$/.test((await cost(app).innerText()).trim()), 'the estimate')
    assert.match(await app.cell(1).innerText(), /~\$0\.0029/)

    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    const dialog = app.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Edit Paced' }).click()
    await dialog.getByRole('button', { name: 'Prices of gpt-4o: ~$2.5 · $10' }).click()
    const prices = dialog.getByRole('group', { name: 'Prices of gpt-4o' })
    await prices.getByText('Not confirmed').waitFor()
    await prices.getByRole('textbox', { name: 'Input', exact: true }).fill('a lot')
    await prices.getByText('A price is a number of dollars').waitFor()
    await prices.getByRole('textbox', { name: 'Input', exact: true }).fill('1000')
    await prices.getByRole('textbox', { name: 'Cached input' }).fill('100')
    await prices.getByRole('textbox', { name: 'Output' }).fill('2000')
    assert.deepEqual(await findings(app.page), [])
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText(/Answered in .* with \d+ model/).waitFor()
    await app.page.keyboard.press('Escape')
    const file = fs.readFileSync(app.world.path('config', 'settings.yaml'), 'utf8')
    assert.match(file, /inputPrice: 1000\s+cachedPrice: 100\s+outputPrice: 2000/)

    await ask(app, provider, { input: 1000, cached: 500, output: 100 })
    // 0.50 + 0.05 + 0.20 for each of the two.
    await app.until(async () => (await cost(app).innerText()).trim() === '$1.50 this notebook', 'the sum of both answers')
    assert.match(await app.cell(2).innerText(), /\$0\.75/)
    assert.doesNotMatch(await app.cell(2).innerText(), /~\$/)
  })

  test('a price is confirmed unchanged, and no answer is an estimate any longer', async (t) => {
    const { app, provider } = await start(t)
    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    const dialog = app.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Edit Paced' }).click()
    await dialog.getByRole('button', { name: 'Prices of gpt-4o: ~$2.5 · $10' }).click()
    await dialog.getByRole('button', { name: 'These are right' }).click()
    await dialog.getByRole('button', { name: 'Prices of gpt-4o: $2.5 · $10' }).waitFor()
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText(/Answered in .* with \d+ model/).waitFor()
    await app.page.keyboard.press('Escape')
    await ask(app, provider, { input: 1000, output: 100 })
    await app.until(async () => (await cost(app).innerText()).trim() === '$0.0035 this notebook', 'the exact cost')
  })

  test('the prices of a provider that the environment names are edited too', async (t) => {
    const provider = await Paced.start({ model: 'my-model' })
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    await ask(app, provider, { input: 1000, output: 1000 })
    await app.until(async () => (await cost(app).innerText()).trim() === 'price unknown', 'no price')
    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    const dialog = app.page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Edit .*environment/ }).click()
    await dialog.getByRole('button', { name: 'Prices of my-model: no price' }).click()
    const prices = dialog.getByRole('group', { name: 'Prices of my-model' })
    await prices.getByRole('textbox', { name: 'Input', exact: true }).fill('100')
    await prices.getByRole('textbox', { name: 'Output' }).fill('200')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText(/Answered in .* with \d+ model/).waitFor()
    await app.page.keyboard.press('Escape')
    await ask(app, provider, { input: 1000, output: 1000 })
    await app.until(async () => (await cost(app).innerText()).trim() === '$0.60 this notebook', 'the cost of both')
    assert.ok(!app.world.everyFile().join('').includes(secretKey), 'the key is in no file')
  })

  test('a budget pauses the agent and asks: one answer continues, the other stops', async (t) => {
    const { app, provider } = await start(t, { inputPrice: 1000, outputPrice: 1000, guessed: false })
    const usage = { input: 500, output: 250 } // 75 cents
    await ask(app, provider, usage)
    await cost(app).click()
    await app.until(() => budget(app).evaluate((el) => el === document.activeElement), 'the focus in the field')
    await app.page.keyboard.type('one dollar')
    await pane(app).getByText('An amount in dollars').waitFor()
    await budget(app).fill('1')
    await app.page.keyboard.press('Enter')
    await app.until(async () => (await cost(app).innerText()).trim() === '$0.75 of $1 · 75%', 'the budget in the status bar')
    await pane(app).getByText('75 % is spent').waitFor()
    await app.until(() => app.world.notebook().metadata.mutsumi_budget === 1, 'the budget in the file')
    assert.deepEqual(await findingsInBoth(app.page), [])

    await ask(app, provider, usage)
    await pane(app).getByText('All of it is spent').waitFor()

    await app.typePrompt('And now?')
    await app.run()
    const card = inbox(app).getByRole('article')
    await card.getByRole('heading', { name: 'The budget is spent' }).waitFor()
    await card.getByText('$1.50 of $1.00').waitFor()
    await inBoth(app.page, (scheme) => app.page.screenshot({ path: `${outFolder}/budget-${scheme}.png` }))
    await card.getByRole('button', { name: 'Show all of it' }).click()
    const dialog = app.page.getByRole('dialog', { name: 'Waiting for you' })
    await dialog.getByText('This notebook has cost $1.50 of its budget of $1.00.').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [])
    await inBoth(app.page, (scheme) => app.page.screenshot({ path: `${outFolder}/budget-card-${scheme}.png` }))
    await dialog.getByRole('button', { name: 'Continue for another $1.00' }).click()
    const third = await provider.next()
    third.text('It goes on.')
    third.end(usage)
    await app.waitIdle()
    assert.match(await app.answerText(), /It goes on\./)

    await app.typePrompt('Once more')
    await app.run()
    await card.waitFor()
    // The same request is shown in the answer that waits for it.
    const inCell = app.cell(4).getByRole('region', { name: /^The budget is spent/ })
    await inCell.getByText('This notebook has cost $2.25 of its budget of $1.00.').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [])
    await inBoth(app.page, (scheme) => app.page.screenshot({ path: `${outFolder}/budget-cell-${scheme}.png` }))
    await inCell.getByRole('button', { name: 'Stop', exact: true }).click()
    await app.waitIdle()
    await app.cell(4).getByText('Stopped', { exact: true }).waitFor()
    assert.equal(await inbox(app).count(), 0)
    await assert.rejects(provider.next(500), /no request/, 'nothing was sent')

    // A higher budget answers the request.
    await app.typePrompt('Go on')
    await app.run()
    await card.waitFor()
    await budget(app).fill('5')
    await app.page.keyboard.press('Enter')
    const fourth = await provider.next()
    await card.waitFor({ state: 'detached' })
    fourth.text('As you wish.')
    fourth.end(usage)
    await app.waitIdle()

    await pane(app).getByRole('button', { name: 'Remove the budget' }).click()
    await app.until(async () => (await cost(app).innerText()).trim() === '$3.00 this notebook', 'the budget to be gone')
    await app.waitIdle()
    assert.equal(app.world.notebook().metadata.mutsumi_budget, undefined)
  })
})

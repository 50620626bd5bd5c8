// Models and appearance: a server is added by hand and used, changes of the settings file take
// effect, and the window is restored as it was left.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { misfits, smallControls } from './lib/axe.mjs'
import { mock, secretKey } from './lib/provider.mjs'
import { binary, notebookText, outFolder } from './lib/world.mjs'

describe('settings', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('“About” shows the version and the commit, as the command does', async (t) => {
    const app = await App.start(t)
    const said = execFileSync(binary, ['version'], { encoding: 'utf8', env: app.world.env() })
    await app.page.keyboard.press('Control+,')
    const about = app.page.getByRole('dialog').locator('.about')
    await about.getByRole('heading', { name: 'About' }).waitFor()
    const shown = (await about.locator('p').innerText()).trim()
    assert.match(shown, /^Mutsumi \d+\.\d+\.\d+ \(commit [0-9a-f]{12} of \d{4}-\d\d-\d\d/)
    assert.equal(said.includes(shown.replace(/^Mutsumi /, '')), true, `${shown} in ${said}`)
  })

  test('a server is added with its key in a variable, tested, chosen and used', async (t) => {
    const provider = await mock({ hello: 'Hello from the added server.' })
    t.after(() => provider.stop())
    const app = await App.start(t, { env: { MY_KEY: secretKey } })
    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    const dialog = app.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('My server')
    await dialog.getByRole('textbox', { name: 'Address' }).fill(provider.env.OPENAI_BASE_URL)
    await dialog.getByText('Environment variable').click()
    await dialog.getByRole('textbox', { name: 'Variable' }).fill('MY_KEY')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText(/Answered in .* with \d+ models/).waitFor()
    await app.page.keyboard.press('Escape')

    const view = await app.call('Settings')
    const mine = view.providers.find((p) => p.name === 'My server')
    assert.equal(mine.key.env, 'MY_KEY')
    assert.equal(mine.key.set, true)
    await app.call('ChangePreferences', view.preferences, { ...view.preferences, defaultProvider: mine.id, defaultModel: 'gpt-4o' })
    await app.newAgent()
    await app.ask('hello', { saved: true })
    await app.until(async () => (await app.answerText()) === 'Hello from the added server.', 'the answer')
    assert.equal(provider.requests().at(-1).body.model, 'gpt-4o')
    const file = fs.readFileSync(app.world.path('config', 'settings.yaml'), 'utf8')
    assert.match(file, /keyEnv: MY_KEY/)
    assert.ok(!app.world.everyFile().join('').includes(secretKey))
  })

  test('without a keyring a key is kept for the session, an address is completed, and requests use a model’s settings', async (t) => {
    const provider = await mock({ hello: 'Hello again.' })
    t.after(() => provider.stop())
    const app = await App.start(t)
    app.expectProblem(/SetKey/) // the page's console names the call that was refused
    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    const dialog = app.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('My server')
    await dialog.getByRole('textbox', { name: 'Address' }).fill(provider.env.OPENAI_BASE_URL.replace('http://', ''))
    await dialog.getByRole('textbox', { name: 'Key', exact: true }).fill(secretKey)
    await dialog.getByRole('textbox', { name: 'Search models, or name one to add' }).fill('house-model')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('button', { name: 'Limits and parameters of house-model' }).click()
    await dialog.getByRole('textbox', { name: 'Context, tokens' }).fill('16k')
    await dialog.getByRole('textbox', { name: 'Temperature, 0 to 2' }).fill('0')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText('Could not save the key').waitFor()
    await dialog.getByRole('button', { name: 'Keep it for this session only' }).click()
    await dialog.getByText('key for this session only').waitFor()
    await dialog.getByText(/Answered in .* with \d+ models/).waitFor()
    await app.page.keyboard.press('Escape')
    const view = await app.call('Settings')
    const mine = view.providers.find((p) => p.name === 'My server')
    assert.equal(mine.baseUrl, provider.env.OPENAI_BASE_URL)
    await app.call('ChangePreferences', view.preferences, { ...view.preferences, defaultProvider: mine.id, defaultModel: 'house-model' })
    await app.newAgent()
    await app.page.getByText('of 16k tokens').waitFor()
    await app.ask('hello', { saved: true })
    const { body } = provider.requests().at(-1)
    assert.deepEqual([body.model, body.temperature, 'max_tokens' in body, 'reasoning_effort' in body], ['house-model', 0, false, false])
    assert.ok(!app.world.everyFile().join('').includes(secretKey), 'the key is in no file')
    await app.restart()
    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    await app.page.getByRole('dialog').getByText('enter the key again').waitFor()
  })

  test('a server named by OPENAI_BASE_URL alone is asked for its models and used', async (t) => {
    const provider = await mock({ hello: 'Found by itself.' })
    t.after(() => provider.stop())
    const { OPENAI_BASE_URL, OPENAI_API_KEY } = provider.env
    const app = await App.start(t, { env: { OPENAI_BASE_URL, OPENAI_API_KEY } })
    await app.newAgent()
    await app.ask('hello')
    await app.until(async () => (await app.answerText()) === 'Found by itself.', 'the answer')
  })

  test('the settings file is followed while it is edited by hand, and its comments stay', async (t) => {
    const app = await App.start(t, { colorScheme: 'light' })
    const file = app.world.path('config', 'settings.yaml')
    fs.writeFileSync(file, '# mine\npreferences:\n  theme: dark # at night\n')
    const theme = () => app.page.evaluate(() => document.documentElement.dataset.theme)
    await app.until(async () => (await theme()) === 'dark', 'the dark theme')
    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    await app.page.getByRole('tab', { name: 'Appearance' }).click()
    await app.page.getByRole('radiogroup', { name: 'Theme' }).getByText('Light').click()
    await app.until(async () => (await theme()) === 'light', 'the light theme')
    await app.until(() => fs.readFileSync(file, 'utf8').includes('theme: light'), 'the choice in the file')
    const text = fs.readFileSync(file, 'utf8')
    assert.match(text, /^# mine\n/)
    assert.match(text, /# at night/)
  })

  test('a setting is found by topic, takes effect in every window immediately, and is undone', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['q', '```js\nlet a = 1\n```']]) } })
    const other = await app.openTab()
    await app.openAgent('One')
    await app.openAgent('One', other)
    await app.page.bringToFront()
    const { page } = app
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    const search = dialog.getByRole('searchbox', { name: 'Search settings' })
    await search.fill('size')
    await page.screenshot({ path: path.join(outFolder, 'settings-search.png') })
    assert.deepEqual(await dialog.getByRole('listitem').allInnerTexts(), ['Size of prose Appearance', 'Size of code Appearance'])
    await search.fill('monospace')
    await page.keyboard.press('Enter')
    await dialog.getByRole('tab', { name: 'Appearance', selected: true }).waitFor()
    const size = dialog.getByRole('combobox', { name: 'Size of code' })
    await app.until(() => size.evaluate((e) => e === document.activeElement), 'the keyboard in the setting')
    await size.selectOption('16')
    const drawn = (at) =>
      at
        .locator('pre')
        .first()
        .evaluate((e) => getComputedStyle(e.querySelector('code') ?? e).fontSize)
    for (const at of [page, other]) await app.until(async () => (await drawn(at)) === '16px', 'code of 16 px')
    await page.screenshot({ path: path.join(outFolder, 'settings-undo.png') })
    await dialog.getByText('Dark', { exact: true }).click()
    await page.locator('html[data-theme="dark"]').waitFor()
    await page.screenshot({ path: path.join(outFolder, 'settings-undo-dark.png') })
    await dialog.getByRole('button', { name: 'Undo Theme' }).click()
    await page.locator('html[data-theme="light"]').waitFor()
    await page.keyboard.press('Control+z')
    for (const at of [page, other]) await app.until(async () => (await drawn(at)) !== '16px', 'code of the usual size')
    // The first Escape ends the search, the second one closes the dialog.
    await search.fill('nothing of the kind')
    await dialog.getByText('No setting is called that.').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await search.inputValue(), '')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await app.typeInField('density')
    await page.getByRole('option', { name: /Density/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('radio', { name: 'Compact' }).waitFor()
    const line = (at) =>
      at
        .getByRole('treeitem')
        .first()
        .evaluate((e) => e.getBoundingClientRect().height)
    assert.equal(await line(page), 28)
    await dialog.getByText('Compact', { exact: true }).click()
    for (const at of [page, other]) await app.until(async () => (await line(at)) === 24, 'lines of 24 px')
    assert.deepEqual([await misfits(page), await smallControls(page)], [[], []])
    await page.screenshot({ path: path.join(outFolder, 'settings-compact.png') })
    const font = dialog.getByRole('textbox', { name: 'Font', exact: true })
    const family = (at) => at.evaluate(() => getComputedStyle(document.body).fontFamily)
    await font.fill('No such font')
    await dialog.getByText('Not found on this system.').waitFor()
    await font.fill('x"; }')
    await dialog.getByText('Letters, digits, spaces, hyphens and dots.').waitFor()
    await font.fill('DejaVu Sans')
    await font.press('Enter')
    for (const at of [page, other]) await app.until(async () => /^"DejaVu Sans", .*Inter/.test(await family(at)), 'the font')
    await dialog.getByRole('button', { name: 'Undo Font' }).click()
    await app.until(async () => !/DejaVu/.test(await family(page)), 'the font of before')
    await dialog.getByRole('button', { name: 'Undo Density' }).click()
    await dialog.getByRole('tab', { name: 'Keys' }).click()
    await dialog.getByRole('button', { name: /^Find anything: / }).waitFor()
    await page.screenshot({ path: path.join(outFolder, 'settings-keys.png') })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await app.typeInField('name agents with')
    await page.getByRole('option', { name: /Name agents with/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await app.until(
      () => page.getByRole('combobox', { name: 'Name agents with' }).evaluate((e) => e === document.activeElement),
      'the setting',
    )
  })

  test('a setting that is found gets the keyboard, and the keys of the zoom work beside it', async (t) => {
    const app = await App.start(t)
    const { page } = app
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    const search = dialog.getByRole('searchbox')
    const focused = async (what) => app.until(() => what.evaluate((e) => e === document.activeElement), 'the keyboard in the setting')
    await search.fill('api key')
    await page.keyboard.press('Enter')
    await focused(dialog.getByRole('button', { name: 'Add provider' }))
    await search.fill('mcp')
    await page.keyboard.press('Enter')
    await focused(dialog.getByRole('button', { name: /Add server/ }))
    await search.fill('what was sent') // nothing can be forgotten yet
    await page.keyboard.press('Enter')
    await focused(dialog.getByRole('heading', { name: 'What was sent' }))
    const zoom = () => page.evaluate(() => document.documentElement.style.getPropertyValue('--zoom'))
    await page.keyboard.press('Control++')
    await page.keyboard.press('Control++')
    await app.until(async () => (await zoom()) === '1.25', 'two steps')
    await dialog.getByRole('button', { name: 'Undo Zoom' }).waitFor()
    await page.keyboard.press('Control+0')
    await app.until(async () => (await zoom()) === '1', 'the usual size')
  })

  test('of two tests of a server the later one counts', async (t) => {
    const held = []
    const answer = (reply) =>
      new Promise((done) => {
        const server = http.createServer((_, response) => reply(response))
        t.after(() => (server.closeAllConnections(), server.close()))
        server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}/v1`))
      })
    const slow = await answer((response) => held.push(response))
    const quick = await answer((response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end('{"object":"list","data":[{"id":"quick-model"}]}')
    })
    const app = await App.start(t)
    const { page } = app
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Mine')
    // What was typed stays when the kind is chosen after it.
    await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('Ollama')
    assert.equal(await dialog.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), 'Mine')
    await dialog.getByRole('textbox', { name: 'Address' }).fill(slow)
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await app.until(() => held.length === 1, 'the question to the slow server')
    await dialog.getByRole('button', { name: 'Edit Mine' }).click()
    await dialog.getByRole('textbox', { name: 'Address' }).fill(quick)
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText(/Answered in .* with 1 model\./).waitFor()
    await app.until(() => held[0].destroyed, 'the earlier question to be given up')
    await dialog.getByText(/Answered in .* with 1 model\./).waitFor()
  })

  test('a server that lists no models does not count as connected', async (t) => {
    const server = http.createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end('{"object":"list","data":[]}')
    })
    t.after(() => server.close())
    await new Promise((done) => server.listen(0, '127.0.0.1', done))
    const app = await App.start(t)
    const { page } = app
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('Ollama')
    await dialog.getByRole('textbox', { name: 'Address' }).fill(`http://127.0.0.1:${server.address().port}/v1`)
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText('It answered, but lists no model that can chat. Edit the provider and name its models.').waitFor()
    assert.equal(await dialog.getByText(/Answered in/).count(), 0)
  })

  test('two windows change settings at the same moment: both changes stay', async (t) => {
    const app = await App.start(t)
    const { page } = app
    const other = await app.openTab()
    let save
    const asked = new Promise((done) => {
      void other.route('**/api/call/*Preferences', async (route) => {
        await new Promise((go) => {
          save = go
          done()
        })
        await route.continue()
      })
    })
    for (const at of [page, other]) {
      await at.bringToFront()
      await at.keyboard.press('Control+,')
      await at.getByRole('dialog', { name: 'Settings' }).getByRole('tab', { name: 'Appearance' }).click()
    }
    await other.getByText('Compact', { exact: true }).click()
    await asked
    await page.bringToFront()
    await page.getByText('Dark', { exact: true }).click()
    for (const at of [page, other]) await at.locator('html[data-theme="dark"]').waitFor({ state: 'attached' })
    await other.locator('html[data-density="compact"]').waitFor({ state: 'attached' })
    save()
    await page.locator('html[data-density="compact"]').waitFor({ state: 'attached' })
    const { theme, density } = (await app.call('Settings')).preferences
    assert.deepEqual({ theme, density }, { theme: 'dark', density: 'compact' })
    for (const at of [page, other]) assert.equal(await at.evaluate(() => document.documentElement.dataset.theme), 'dark')
  })

  for (const [how, gone] of [
    ['is loaded again', (app) => app.page.reload()],
    ['closes', (app) => app.page.close({ runBeforeUnload: true })],
  ])
    test(`what was chosen and typed right before the page ${how} is kept`, async (t) => {
      const app = await App.start(t)
      const other = await app.openTab()
      const { page } = app
      await page.bringToFront()
      await page.keyboard.press('Control+,')
      const dialog = page.getByRole('dialog', { name: 'Settings' })
      await dialog.getByRole('tab', { name: 'Running' }).click()
      await dialog.getByRole('textbox', { name: 'Step limit' }).selectText()
      await page.keyboard.type('70')
      // In one go: on a busy machine the presses would be too far apart for a series.
      await app.pressInOneGo(Array.from({ length: 3 }, () => ({ key: '+', code: 'Equal', ctrlKey: true })))
      await gone(app)
      await other.bringToFront()
      await app.until(() => other.evaluate(() => document.documentElement.style.getPropertyValue('--zoom') === '1.5'), 'the zoom')
      await other.keyboard.press('Control+,')
      await other.getByRole('tab', { name: 'Running' }).click()
      const limit = other.getByRole('textbox', { name: 'Step limit' })
      await app.until(async () => (await limit.inputValue()) === '70', 'the limit')
    })

  test('sent requests are forgotten in all folders, after one question', async (t) => {
    const model = await mock({ '.': 'Yes.' })
    t.after(() => model.stop())
    const app = await App.start(t, { env: model.env, files: { '.mutsumi/one.mtm': notebookText('One', []) } })
    const { page } = app
    await app.openAgent('One')
    await app.typePrompt('Is it kept?')
    await app.run()
    await page.getByText('Yes.').waitFor()
    await app.waitIdle()
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByRole('tab', { name: 'Privacy' }).click()
    await dialog.getByText(/Of 1 notebook, \d+ [KM]?B\./).waitFor()
    await dialog.getByRole('button', { name: 'Forget it…' }).click()
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    await dialog.getByRole('button', { name: 'Forget it…' }).click()
    await page.screenshot({ path: path.join(outFolder, 'settings-privacy.png') })
    await dialog.getByRole('button', { name: 'Forget it', exact: true }).click()
    await dialog.getByText('Nothing is kept.').waitFor()
    assert.deepEqual(await app.call('Remembered'), { notebooks: 0, bytes: 0 })
    await page.keyboard.press('Escape')
    // The notebook works as before, and its requests are stored again.
    await app.typePrompt('And now?')
    await app.run()
    await app.until(async () => (await app.call('Remembered')).notebooks === 1, 'the new request to be kept')
    await app.waitIdle()
    assert.equal(app.world.notebook('.mutsumi/one.mtm').context.length, 4)
  })

  test('a variable that looks like a secret is let through to commands by its name alone', async (t) => {
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0', MY_TOKEN: 'let-me-through', OTHER_TOKEN: 'kept-back' } })
    await app.newAgent()
    const tool = async (n) => {
      await app.writePrompt('/demo tool shell {"command":"echo one=$MY_TOKEN two=$OTHER_TOKEN"}')
      await app.run()
      await app.cell(n).locator('section[data-approval]').getByRole('button', { name: 'Approve' }).click()
      await app.waitIdle()
      return app.world.notebook().context.findLast((m) => m.role === 'tool').content
    }
    assert.match(await tool(1), /one= two=$/m)
    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    await app.page.getByRole('tab', { name: 'Running' }).click()
    const field = app.page.getByRole('textbox', { name: 'Variables for commands' })
    await field.fill('MY_TOKEN=secret')
    await app.page.getByText('Names of variables, such as SSH_AUTH_SOCK').waitFor()
    await field.fill('MY_TOKEN')
    await app.until(
      () =>
        fs.existsSync(app.world.path('config', 'settings.yaml')) &&
        /commandEnv:\s+- MY_TOKEN/.test(fs.readFileSync(app.world.path('config', 'settings.yaml'), 'utf8')),
      'the name in the file',
    )
    await app.page.keyboard.press('Escape')
    assert.match(await tool(2), /one=let-me-through two=$/m)
  })

  test('open tabs are restored, in a small window too', async (t) => {
    const app = await App.start(t, {
      viewport: { width: 900, height: 600 },
      files: { '.mutsumi/one.mtm': notebookText('One', [['q', 'a']]), '.mutsumi/two.mtm': notebookText('Two', [['q', 'a']]) },
    })
    await app.openAgent('One')
    await app.openAgent('Two')
    await app.reload()
    await app.page.getByRole('tab', { name: /^Two,/, selected: true }).waitFor()
    assert.equal(await app.page.getByRole('tab', { name: /^(One|Two),/ }).count(), 2)
    const wide = await app.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.ok(wide <= 0, `the page is ${wide} pixels wider than the window`)
    await app.typePrompt('room to write')
    assert.equal(await app.promptText(), 'room to write')
  })
})

// Prompts of MCP servers: the palette asks for their arguments, and the server's answer is sent as the preview shows it.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth, misfits } from './lib/axe.mjs'
import { encode } from './lib/png.mjs'
import { mock } from './lib/provider.mjs'
import { notebookText, outFolder, World } from './lib/world.mjs'

const script = fileURLToPath(new URL('lib/mcpServer.mjs', import.meta.url))
const picture = encode(40, 30, (x, y) => [x * 6, y * 8, 120]).toString('base64')

describe('prompts of MCP servers', { timeout: 300_000 }, () => {
  after(closeBrowser)

  async function start(t, options = {}) {
    const provider = await mock({ weather: 'It rains.' })
    t.after(() => provider.stop())
    const world = new World({ '.mutsumi/one.mtm': notebookText('One', []), 'README.md': 'not for the server' }, { trusted: true })
    const weather = { command: process.execPath, args: [script], env: { MCP_PROMPTS: picture } }
    world.write('../config/settings.yaml', JSON.stringify({ mcpServers: { weather } }))
    const app = await App.start(t, { world, env: provider.env, ...options })
    await app.openAgent('One')
    await app.call('RestartServer', 'weather')
    const listed = (s) => s.name === 'weather' && s.state === 'ready' && s.tools > 0
    await app.until(async () => (await app.call('Servers')).servers.some(listed), 'the server')
    return { app, provider, page: app.page }
  }

  for (const [name, options] of [
    ['light', {}],
    ['dark, narrow', { colorScheme: 'dark', viewport: { width: 900, height: 600 } }],
  ]) {
    test(`the palette asks for the arguments one by one, ${name}`, async (t) => {
      const { app, page } = await start(t, options)
      const palette = page.getByRole('dialog', { name: 'Find anything' })
      const field = palette.getByRole('combobox')
      const chosen = palette.getByRole('option', { selected: true })
      await app.typePrompt('')
      await page.keyboard.press('Control+k')
      await field.fill('>run command')
      await palette.getByRole('option', { name: /^Run command/ }).waitFor()
      await page.keyboard.press('Tab')
      await palette.getByText('weather:report').first().waitFor()
      await field.fill('report')
      await page.keyboard.press('Enter')
      await palette.getByText('Argument 1 of 2 of /weather:report: Where').waitFor()
      assert.match(await chosen.innerText(), /Type a value/)
      await page.keyboard.press('Enter') // it is required
      await palette.getByText('Argument 1 of 2').waitFor()
      await field.fill('new')
      await palette.getByRole('option', { name: /New York/ }).waitFor()
      assert.equal(await palette.getByText('secret').count(), 0)
      assert.deepEqual(await findingsInBoth(page), [])
      assert.deepEqual(await misfits(page), [])
      await page.screenshot({ path: path.join(outFolder, `prompt-arguments-${name.replace(/\W+/g, '-')}.png`), animations: 'disabled' })
      await palette.getByRole('option', { name: /New York/ }).click()
      await palette.getByText('Argument 2 of 2 of /weather:report: How it sounds').waitFor()
      // One step back shows the typed text and the choice.
      await page.keyboard.press('Escape')
      await palette.getByText('Argument 1 of 2').waitFor()
      assert.equal(await field.inputValue(), 'new')
      assert.match(await chosen.innerText(), /New York/)
      await page.keyboard.press('Enter')
      await palette.getByText('Argument 2 of 2').waitFor()
      await page.keyboard.press('Enter') // it may stay empty
      await palette.waitFor({ state: 'detached' })
      assert.equal(await app.promptText(-1), '/weather:report "New York"')
    })
  }

  /** Waits until a place shows one picture, which came with the view: nothing is fetched for it. */
  async function drawn(place) {
    const img = place.locator('img')
    await img.first().waitFor()
    await img.first().scrollIntoViewIfNeeded()
    const size = await img.first().evaluate(async (it) => (await it.decode(), [it.naturalWidth, it.naturalHeight, it.src.slice(0, 15)]))
    assert.deepEqual([...size, await img.count()], [40, 30, 'data:image/png;', 1])
  }

  for (const [name, options] of [
    ['light', {}],
    ['dark, narrow', { colorScheme: 'dark', viewport: { width: 900, height: 600 } }],
  ]) {
    test(`a picture that is a resource is shown before and after it is sent, ${name}`, async (t) => {
      const { app, page, provider } = await start(t, options)
      const preview = page.getByRole('region', { name: 'What will be sent' })
      const look = async (file) => {
        await page.keyboard.press('Control+Shift+P')
        await drawn(preview)
        assert.deepEqual(await findingsInBoth(page), [])
        assert.deepEqual(await misfits(page), [])
        await page.screenshot({ path: path.join(outFolder, `resource-${file}-${name.replace(/\W+/g, '-')}.png`), animations: 'disabled' })
        await page.keyboard.press('Escape')
        await preview.waitFor({ state: 'detached' })
        if (options.viewport && file === 'draft') return // the list would cover the prompt
        if (options.viewport) await page.getByRole('button', { name: 'Show the context' }).click()
        await drawn(page.getByRole('complementary').last())
        await page.screenshot({
          path: path.join(outFolder, `resource-${file}-list-${name.replace(/\W+/g, '-')}.png`),
          animations: 'disabled',
        })
      }
      await app.typePrompt('What does @[weather:weather:///map] show?')
      await look('draft')
      await app.editPrompt(-1)
      await app.run()
      await app.waitIdle()
      assert.ok(JSON.stringify(provider.requests().at(-1).body).includes(picture))
      await look('sent')
    })
  }

  test('the server’s answer is in the preview and is sent, with its picture', async (t) => {
    const { app, page, provider } = await start(t)
    await app.typePrompt('/weather:report "New York" calmly')
    await page.keyboard.press('Control+Shift+P')
    const preview = page.getByRole('region', { name: 'What will be sent' })
    await preview.getByText('The weather of <New York>, calmly.', { exact: false }).first().waitFor()
    await drawn(preview)
    await page.screenshot({ path: path.join(outFolder, 'prompt-preview.png'), animations: 'disabled' })
    await page.keyboard.press('Escape')
    await drawn(page.getByRole('complementary').last())
    await app.run()
    await app.waitIdle()
    assert.equal(await app.answerText(-1), 'It rains.')
    const sent = JSON.stringify(provider.requests().at(-1).body)
    assert.ok(sent.includes(picture) && sent.includes('The weather of <New York>, calmly. @[README.md]'), sent.slice(0, 3000))
    assert.ok(!sent.includes('not for the server'))
  })
})

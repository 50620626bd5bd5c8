// Running calls of MCP tools: the server's progress reports, Stop reaching it, and its questions.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth, inBoth, misfits } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'
import { outFolder, World } from './lib/world.mjs'

const script = fileURLToPath(new URL('lib/mcpServer.mjs', import.meta.url))

describe('a call of a tool of an MCP server', { timeout: 300_000 }, () => {
  after(closeBrowser)

  /** An agent whose model called "forecast", which works until the file `go` exists, or another tool. */
  async function called(t, options = {}, tool = 'forecast') {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const world = new World({}, { trusted: true })
    const heard = world.path('heard')
    const weather = { command: process.execPath, args: [script], env: { MCP_HEARD: heard, MCP_ASKS: tool === 'station' ? '1' : '' } }
    world.write('../config/settings.yaml', JSON.stringify({ mcpServers: { weather } }))
    const app = await App.start(t, { world, env: provider.env, ...options })
    await app.call('AddApprovalRule', '', {
      tool: `weather__${tool}`,
      pattern: '*',
      deny: false,
      scope: 'always',
      notebook: '',
      id: '',
      atMs: 0,
    })
    await app.newAgent()
    await app.typePrompt('Will it rain?')
    await app.run()
    const request = await provider.next()
    request.call(`weather__${tool}`, {})
    request.end()
    const messages = () => (fs.existsSync(heard) ? fs.readFileSync(heard, 'utf8').trim().split('\n') : []).map((line) => JSON.parse(line))
    await app.until(() => messages().some((m) => m.method === 'tools/call'), 'the call at the server')
    return { app, page: app.page, provider, messages, go: () => fs.writeFileSync(heard + '.go', '') }
  }

  for (const [name, options] of [
    ['light', {}],
    ['narrow, in Chinese', { locale: 'zh-CN', viewport: { width: 900, height: 600 } }],
  ]) {
    test(`waits for approval by server and tool, with readable arguments, ${name}`, async (t) => {
      const provider = await Paced.start()
      t.after(() => provider.stop())
      const world = new World({}, { trusted: true })
      world.write('../config/settings.yaml', JSON.stringify({ mcpServers: { weather: { command: process.execPath, args: [script] } } }))
      const app = await App.start(t, { world, env: provider.env, ...options })
      const { page } = app
      await app.newAgent()
      await app.typePrompt('Will it rain?')
      await app.run()
      const request = await provider.next()
      request.call('weather__rain', { city: 'New\u202eYork <b>x</b>', days: 3, where: { units: 'mm' } })
      request.end()
      const card = page.locator('article.cell:visible').first().locator('section[data-approval]')
      await card.getByText(options.locale ? '使用 weather 的 rain' : 'Use rain of weather').waitFor()
      const says = await card.innerText()
      for (const part of ['city', 'U+202E', '<b>x</b>', 'days', '"units": "mm"']) assert.ok(says.includes(part), `no ${part} in ${says}`)
      assert.ok(!says.includes('\u202e'))
      assert.deepEqual(await findingsInBoth(page), [])
      assert.deepEqual(await misfits(page), [])
      await inBoth(page, (scheme) => page.screenshot({ path: path.join(outFolder, `approval-${name.replace(/\W+/g, '-')}-${scheme}.png`) }))
      await card.getByRole('button', { name: 'Approve', exact: true }).click()
      const next = await provider.next()
      assert.match(JSON.stringify(next.body.messages), /no rain/)
      next.text('No.')
      next.end()
      await app.waitIdle()
    })
  }

  for (const [name, options] of [
    ['light', {}],
    ['narrow, in Chinese', { locale: 'zh-CN', viewport: { width: 900, height: 600 } }],
  ]) {
    test(`shows its progress while it works, ${name}`, async (t) => {
      const { app, page, provider, go } = await called(t, options)
      const cell = page.locator('article.cell:visible').first()
      const bar = cell.getByRole('progressbar')
      await bar.waitFor()
      assert.equal(await bar.getAttribute('aria-valuenow'), '25')
      const [whole, part] = await bar.evaluate((e) => [e.getBoundingClientRect().width, e.firstElementChild.getBoundingClientRect().width])
      assert.ok(Math.abs(part / whole - 0.25) < 0.02, `${part} of ${whole} px are filled`)
      const says = await cell.innerText()
      assert.ok(
        /Reading <b>station<\/b> 1/.test(says) && !says.includes('\u202e'),
        'the words are the server’s text, and nothing in them is hidden',
      )
      assert.deepEqual(await findingsInBoth(page), [])
      assert.deepEqual(await misfits(page), [])
      await inBoth(page, (scheme) => page.screenshot({ path: path.join(outFolder, `progress-${name.replace(/\W+/g, '-')}-${scheme}.png`) }))
      go()
      const request = await provider.next()
      assert.match(JSON.stringify(request.body.messages), /Rain at four\./)
      await bar.waitFor({ state: 'detached' })
      assert.ok(!(await cell.innerText()).includes('station'), 'nothing of it stays')
      request.text('Yes.')
      request.end()
      await app.waitIdle()
      assert.ok(!JSON.stringify(app.world.notebook()).includes('station'), 'and nothing of it is kept')
    })
  }

  test('ends at its server with Stop', async (t) => {
    const { app, messages, go } = await called(t)
    await app.cell(1).getByRole('progressbar').waitFor()
    const { id } = messages().find((m) => m.method === 'tools/call')
    await app.cell(1).getByRole('button', { name: 'Stop' }).first().click()
    await app.until(() => messages().some((m) => m.method === 'notifications/cancelled'), 'the word to the server')
    assert.equal(messages().find((m) => m.method === 'notifications/cancelled').params.requestId, id)
    await app.waitIdle()
    await app.cell(1).getByText('Stopped', { exact: true }).first().waitFor()
    await app.cell(1).getByRole('progressbar').waitFor({ state: 'detached' })
    // Its answer comes too late, and the server is available for the next call.
    go()
    const server = (await app.call('Servers')).servers.find((s) => s.name === 'weather')
    assert.equal(server.state, 'ready')
    assert.ok(!JSON.stringify(app.world.notebook()).includes('Rain at four'))
  })

  for (const [name, options, words] of [
    ['light', {}, { asks: 'The MCP server weather asks:', few: 'Enter at least 2 characters.' }],
    [
      'narrow, in Chinese',
      { locale: 'zh-CN', viewport: { width: 900, height: 600 } },
      { asks: 'MCP 服务器 weather 询问：', few: '请至少输入 2 个字符。' },
    ],
  ]) {
    test(`with a question of the server: the card survives a reload and accepts valid answers, ${name}`, async (t) => {
      const { app, page, provider } = await called(t, options, 'station')
      const card = () => page.locator('article.cell:visible').first().locator('section[data-approval]')
      await card().getByText(words.asks).waitFor()
      await app.reload()
      await card().getByText(words.asks).waitFor()
      const says = await card().innerText()
      assert.ok(/Which station\?/.test(says) && !says.includes('\u202e') && !says.includes('The MCP server') === Boolean(options.locale))
      assert.equal(await card().locator('blockquote').getByText('Now.').locator('b').count(), 0, 'its words are no HTML of ours')
      assert.deepEqual(await findingsInBoth(page), [])
      assert.deepEqual(await misfits(page), [])
      await inBoth(page, (scheme) => page.screenshot({ path: path.join(outFolder, `asks-${name.replace(/\W+/g, '-')}-${scheme}.png`) }))
      const answer = async (text) => {
        await card().getByRole('textbox', { name: 'Your answer' }).fill(text)
        await card().getByRole('button', { name: 'Answer', exact: true }).click()
      }
      await answer('N')
      await card().getByText(words.few).waitFor()
      await answer('North')
      const request = await provider.next()
      assert.match(JSON.stringify(request.body.messages), /accept: North/)
      request.text('Fine.')
      request.end()
      await app.waitIdle()
    })
  }

  test('with a question of the server: Stop removes the card', async (t) => {
    const { app, messages } = await called(t, {}, 'station')
    const card = app.cell(1).locator('section[data-approval]')
    await card.getByText('The MCP server weather asks:').waitFor()
    await app.call('Stop', (await app.call('Snapshot')).nodes[0].file)
    await card.waitFor({ state: 'detached' })
    await app.waitIdle()
    assert.ok(!messages().some((m) => m.result?.action === 'accept'), 'nothing was agreed to')
  })
})

// The tools of the next request in the inspector: by server and tool, with their cost, switches and states.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth, inBoth, misfits, smallControls } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'
import { outFolder, World } from './lib/world.mjs'

const script = fileURLToPath(new URL('lib/mcpServer.mjs', import.meta.url))
const server = (tools) => ({ command: process.execPath, args: [script], env: tools ? { MCP_TOOLS: String(tools) } : {} })

describe('the tools of the next request', { timeout: 300_000 }, () => {
  after(closeBrowser)

  /** An agent that ran once with these servers, and the tools of its next request. */
  async function start(t, servers, options = {}) {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const world = new World({}, { trusted: true })
    world.write(
      '../config/settings.yaml',
      JSON.stringify({ mcpServers: servers, ...(options.preferences && { preferences: options.preferences }) }),
    )
    const app = await App.start(t, { world, env: provider.env, ...options })
    await app.newAgent()
    await app.typePrompt('Look at the weather')
    await app.run()
    const request = await provider.next()
    request.text('Fine.')
    request.end({ input: 10, output: 10 })
    await app.waitIdle()
    await app.page.keyboard.press('Escape')
    const inspector = app.page.getByRole('complementary').last()
    if (options.narrow) await app.page.getByRole('button', { name: 'Show the context' }).click()
    await inspector.getByRole('button', { name: options.locale === 'zh-CN' ? '工具' : 'Tools', exact: true }).click()
    return { app, page: app.page, inspector, provider, request }
  }
  const row = (inspector, name) => inspector.getByRole('listitem').filter({ hasText: name })

  test('are shown by server and tool, switched off and on, and searched when they are too many', async (t) => {
    const { app, page, inspector } = await start(t, {
      weather: server(),
      stations: server(120),
      gone: { command: 'no-such-program-anywhere' },
    })
    await inspector.getByText('MCP, always sent').waitFor()
    await inspector.getByText('MCP, found by search').waitFor()
    await inspector.getByText('Held back').waitFor()
    await row(inspector, 'stations')
      .getByText(/deferred$/)
      .waitFor()
    await row(inspector, 'gone').getByText('Failed').waitFor()
    // The pane's sum equals the meter's number for definitions.
    const view = await app.call('Context', (await app.call('Snapshot')).nodes[0].file, '', '')
    const sum =
      view.offered.search +
      [...view.offered.groups, ...view.offered.servers.map((s) => ({ tokens: s.sent }))].reduce((n, g) => n + g.tokens, 0)
    assert.equal(sum, view.kinds.find((k) => k.kind === 'tools').tokens)
    assert.equal(
      sum,
      view.tools.reduce((n, d) => n + d.tokens, 0),
    )

    await inspector.getByRole('button', { name: 'Tools of weather' }).click()
    await row(inspector, 'rain').waitFor()
    const before = await inspector.getByRole('region', { name: 'Tools of the next request' }).locator('h3 span').innerText()
    await inspector.getByRole('switch', { name: 'Tool rain' }).click()
    await row(inspector, 'rain')
      .getByText(/^off, \d+$/)
      .waitFor()
    await page.waitForFunction((was) => document.querySelector('.pane h3 span')?.textContent !== was, before)
    await inspector.getByRole('switch', { name: 'Server weather' }).click()
    await row(inspector, 'weather')
      .getByText(/^off here/)
      .waitFor()
    // A fixed switch says why, to a pointer and to the keyboard, and does nothing.
    const fixed = inspector.getByRole('switch', { name: 'Tool rain' })
    assert.ok(await fixed.isDisabled())
    await fixed.hover()
    const tip = page.locator('#tip.shown').getByText('Its server is off in this notebook')
    await tip.waitFor()
    await page.mouse.move(0, 0)
    await tip.waitFor({ state: 'hidden' })
    await page.keyboard.press('Tab')
    await fixed.focus()
    await tip.waitFor()
    await page.keyboard.press('Space')
    await row(inspector, 'weather')
      .getByText(/^off here/)
      .waitFor()
    await inspector.getByRole('switch', { name: 'Server weather' }).click()
    await inspector.getByRole('switch', { name: 'Tool rain' }).click()
    await page.waitForFunction((was) => document.querySelector('.pane h3 span')?.textContent === was, before)

    // A server's state, with the available actions.
    await inspector.getByRole('button', { name: 'Stop' }).click()
    await row(inspector, 'weather')
      .getByText(/^Stopped by you/)
      .waitFor()
    await inspector.getByRole('button', { name: 'Start', exact: true }).click()
    await inspector.getByText(/^Ready · 2 tools/).waitFor()
    await inspector.getByRole('button', { name: 'Log' }).click()
    await inspector.getByText('weather: ready for questions').first().waitFor()
    await inspector.getByRole('button', { name: 'Tools of gone' }).click()
    await inspector
      .getByText(/no-such-program-anywhere/)
      .first()
      .waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    assert.deepEqual([await misfits(page), (await smallControls(page)).filter((c) => !c.startsWith('price unknown'))], [[], []])
    await inBoth(page, (scheme) => page.screenshot({ path: path.join(outFolder, `tools-${scheme}.png`) }))
  })

  test('twenty servers with five hundred tools are drawn as fast as one', async (t) => {
    const servers = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`server${String(i).padStart(2, '0')}`, server(25)]))
    const { page, inspector } = await start(t, servers, { viewport: { width: 900, height: 700 }, narrow: true })
    await row(inspector, 'server19').waitFor()
    const begins = await inspector.getByRole('list', { name: 'Tools', exact: true }).evaluate((list) => {
      for (let e = list; e; e = e.parentElement) if (e.scrollHeight > e.clientHeight + 20) return e.scrollTop
      return 'nothing scrolls'
    })
    assert.equal(begins, 0, 'the list begins at its first row')
    const spent = await page.evaluate(async () => {
      const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const measured = async (what) => {
        const from = performance.now()
        what()
        await Promise.resolve()
        document.body.getBoundingClientRect()
        return performance.now() - from
      }
      const unfolds = []
      const added = []
      for (let i = 0; i < 20; i++) {
        const folded = [...document.querySelectorAll('.pane .fold[aria-expanded="false"]')]
        if (folded.length === 0) break
        const before = new Set(document.querySelectorAll('.pane *'))
        unfolds.push(await measured(() => folded.at(-1).click()))
        added.push([...document.querySelectorAll('.pane *')].filter((e) => !before.has(e)).length)
        await frame()
      }
      const list = [...document.querySelectorAll('.pane *')].find((e) => e.scrollHeight > e.clientHeight + 200)
      const drew = []
      const scrolls = []
      for (let y = 0; y < 60; y++) {
        const before = new Set(document.querySelectorAll('.pane *'))
        scrolls.push(await measured(() => ((list.scrollTop += 220), list.dispatchEvent(new Event('scroll')))))
        await frame()
        drew.push([...document.querySelectorAll('.pane *')].filter((e) => !before.has(e)).length)
      }
      return {
        unfolds,
        added,
        scrolls,
        drew,
        drawn: document.querySelectorAll('.pane [role="listitem"]').length,
        height: list.scrollHeight,
      }
    })
    const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
    const ms = (list) => list.map((n) => n.toFixed(0)).join(' ')
    t.diagnostic(`${spent.drawn} rows drawn of ${spent.height} px; unfolding ${ms(spent.unfolds)} ms; scrolling ${ms(spent.scrolls)} ms`)
    // The cost of unfolding is what it adds to the page: five elements for each of 25 tools, and the facts of the server.
    assert.ok(median(spent.added) <= 25 * 5 + 20, `unfolding adds ${spent.added.join(' ')} elements`)
    assert.ok(spent.drawn < 150 && spent.height > 5000, 'only rows near the view are drawn')
    assert.ok(median(spent.drew) <= 12 * 7, `scrolling by eight rows adds ${spent.drew.join(' ')} elements`)
    assert.deepEqual([await misfits(page), (await smallControls(page)).filter((c) => !c.startsWith('price unknown'))], [[], []])
    await page.screenshot({ path: path.join(outFolder, 'tools-many.png') })
  })

  test('are in Chinese in a Chinese window', async (t) => {
    const servers = { weather: server(), stations: server(120), gone: { command: 'no-such-program-anywhere' } }
    const { page, inspector } = await start(t, servers, { locale: 'zh-CN' })
    await inspector.getByText('MCP，始终发送').waitFor()
    // Why a server failed is in the language of the window to the end.
    await inspector.getByRole('button', { name: 'gone 的工具' }).click()
    await inspector.getByText('无法使用 MCP 服务器 gone：PATH 中没有程序 "no-such-program-anywhere"：请安装它，或写出完整路径').waitFor()
    assert.deepEqual(await misfits(page), [])
    await page.screenshot({ path: path.join(outFolder, 'tools-chinese.png') })
  })
})

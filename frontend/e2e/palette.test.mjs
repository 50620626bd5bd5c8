// One field for everything (SPEC 16.1): commands, agents, cells, files and settings, with where each
// leads; keys that the person changes; tabs selected by number and reopened.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth, inBoth } from './lib/axe.mjs'
import { chinese } from './lib/chinese.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText, outFolder } from './lib/world.mjs'

const long = 'A very long name of an agent that nobody can read to its end, however wide the window may be made for it, and more'
const files = {
  '.mutsumi/one.mtm': notebookText('Checkout latency regression', [
    ['which model of the cache holds the prices?', 'The model in pricing/model.go does. It keeps them for a minute.'],
    ['second question', 'A second answer.'],
  ]),
  '.mutsumi/two.mtm': notebookText('Rewrite modal dialogs', [['缓存 mode 改成 write-through 之后会怎样？', '写入会变慢。']]),
  '.mutsumi/three.mtm': notebookText('Rename the module path', [['rename it', 'Done.']]),
  '.mutsumi/four.mtm': notebookText(long, [['model '.repeat(60), 'yes']]),
  'pricing/model.go': 'package pricing\n\n// Model is a price.\ntype Model struct{}\n',
  'internal/retry/mode_test.go': 'package retry\n',
  'go.mod': 'module example\n',
}

describe('the palette', { timeout: 600_000 }, () => {
  after(closeBrowser)

  const palette = (page) => page.getByRole('dialog', { name: 'Find anything' })
  const field = (page) => palette(page).getByRole('combobox')
  const options = (page) => palette(page).getByRole('option')
  const chosen = (page) => palette(page).getByRole('option', { selected: true })
  async function open(app, text = '', page = app.page) {
    await page.keyboard.press('ControlOrMeta+k')
    await field(page).waitFor()
    if (text) await field(page).fill(text)
    return palette(page)
  }
  const gone = (app, page = app.page) => palette(page).waitFor({ state: 'detached' })
  async function start(t, options = {}) {
    const app = await App.start(t, { files, viewport: { width: 1440, height: 900 }, ...options })
    if (options.trusted === false) await app.page.getByRole('button', { name: "Don't trust" }).click()
    await app.openAgent('Checkout latency regression')
    await app.cell(1).waitFor()
    return app
  }
  const shot = (page, name) => page.screenshot({ path: `${outFolder}/palette-${name}.png`, animations: 'disabled' })

  test('finds commands, agents, cells, files and settings, and shows what each leads to', async (t) => {
    const app = await start(t)
    const { page } = app
    await open(app)
    await shot(page, 'empty')
    await field(page).fill('mod')
    for (const group of ['Commands', 'Agents', 'Cells', 'Files', 'Settings'])
      await palette(page).getByRole('group', { name: group }).waitFor()
    // The cells that were read by then are shown first, and the others follow.
    await options(page).filter({ hasText: '缓存 mode 改成' }).waitFor()
    const names = (await options(page).allInnerTexts()).join('\n')
    for (const name of ['Model…', 'Rewrite modal dialogs', 'pricing/model.go', 'Providers', '缓存 mode 改成'])
      assert.ok(names.includes(name), `${name} in\n${names}`)
    await palette(page).getByText('Holds from the next request on', { exact: false }).waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    await inBoth(page, (scheme) => shot(page, `mod-${scheme}`))
    await page.setViewportSize({ width: 900, height: 620 })
    await shot(page, '900')
    await page.setViewportSize({ width: 1440, height: 900 })

    // An agent, a cell, a file.
    await field(page).fill('@modal')
    await palette(page).getByText('写入会变慢').waitFor()
    await shot(page, 'agent')
    await field(page).fill('/model')
    await palette(page).getByText('Model is a price').waitFor()
    await shot(page, 'file')
    await field(page).fill('#改成')
    await palette(page).getByText('写入会变慢').waitFor()
    await shot(page, 'cell')
    await page.keyboard.press('Enter')
    await gone(app)
    await page.getByRole('tab', { name: /Rewrite modal dialogs/, selected: true }).waitFor()

    // The last choice comes first the next time, and after a restart.
    await open(app)
    await palette(page).getByRole('group', { name: 'Recent' }).getByText('改成').waitFor()
    await page.keyboard.press('Escape')
    await gone(app)
    await app.waitIdle()
    await app.layoutSaved(/"recent":\s*\[\s*"cell /)
    await page.reload()
    await page.getByRole('tab', { name: /Rewrite modal dialogs/ }).waitFor()
    await open(app)
    await palette(page).getByRole('group', { name: 'Recent' }).getByText('改成').waitFor()
    await page.keyboard.press('Escape')

    // Nothing fits; a long name.
    await open(app, 'zzqqxx')
    await palette(page).getByText('Nothing matches “zzqqxx”.').waitFor()
    await shot(page, 'nothing')
    await app.until(async () => /Nothing found/.test(await palette(page).getByRole('status').innerText()), 'it to be said')
    await field(page).fill('very long name')
    await options(page).first().waitFor()
    const aside = palette(page).locator('.next h3 span')
    const lines = await aside.evaluate((e) => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).fontSize))
    assert.ok(lines < 2, `the time beside a long name takes ${lines} lines`)
    await shot(page, 'long')
    assert.deepEqual(await findingsInBoth(page), [])
  })

  test('knows agents that come and go while it is open, and the recent ones in another language', async (t) => {
    const app = await start(t)
    const { page } = app
    await open(app, '@Rewrite modal')
    await page.keyboard.press('Enter')
    await gone(app)
    await page.getByRole('tab', { name: /Rewrite modal dialogs/, selected: true }).waitFor()

    await open(app, '@module pa')
    await chosen(page).getByText('Rename the module path').waitFor()
    app.expectProblem(/404 .*\/api\/call\/Glimpse/) // it may be on its way when the notebook is deleted
    fs.rmSync(app.world.path('workspace', '.mutsumi', 'three.mtm'))
    await palette(page).getByText('Nothing matches').waitFor()
    app.world.write('.mutsumi/five.mtm', notebookText('A module and a package', [['q', 'a']]))
    await chosen(page).getByText('A module and a package').waitFor()
    await page.keyboard.press('Escape')
    await gone(app)

    await app.layoutSaved(/"recent":\s*\[\s*"agent /)
    const { preferences } = await app.call('Settings')
    await app.call('ChangePreferences', preferences, { ...preferences, language: 'zh-CN' }).catch((error) => {
      assert.match(error.message, /Execution context was destroyed/) // the page loads again
    })
    await page
      .getByRole('button', { name: chinese('New agent') })
      .first()
      .waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    const found = page.getByRole('dialog', { name: chinese('Find anything') })
    await found
      .getByRole('group', { name: chinese('Recent') })
      .getByText('Rewrite modal dialogs')
      .waitFor()
    await found.getByRole('combobox').fill(chinese('Theme'))
    await found
      .getByRole('option', { name: new RegExp(chinese('Theme…')) })
      .getByText(chinese('System'))
      .waitFor()
  })

  test('leads to a second step and back, by keys and by clicks', async (t) => {
    const app = await start(t)
    const { page } = app
    await open(app, 'theme')
    await chosen(page).getByText('Theme…').waitFor()
    await page.keyboard.press('Tab')
    await palette(page).getByRole('listbox', { name: 'Theme' }).waitFor()
    assert.equal(await options(page).count(), 3)
    await inBoth(page, (scheme) => shot(page, `step-${scheme}`))
    assert.deepEqual(await findingsInBoth(page), [])
    await page.keyboard.press('Backspace')
    assert.equal(await field(page).inputValue(), 'theme')
    await page.keyboard.press('Enter')
    await field(page).fill('dar')
    await page.keyboard.press('Enter')
    await gone(app)
    await page.locator('html[data-theme="dark"]').waitFor()

    await open(app, 'model')
    await options(page).filter({ hasText: 'Model…' }).click()
    await palette(page).getByRole('listbox', { name: 'Model' }).waitFor()
    await shot(page, 'step-model')
    await palette(page).getByRole('button', { name: 'Esc back' }).click()
    assert.equal(await field(page).inputValue(), 'model')
    await page.keyboard.press('Escape')
    await gone(app)

    // The visible agent is moved below another one, which is not its descendant.
    const [moved, above] = (await app.call('Snapshot')).nodes.map((node) => node.name)
    await app.openAgent(moved)
    await app.cell(1).waitFor()
    await open(app, 'move agent')
    await chosen(page).getByText('Move agent to…').waitFor()
    await page.keyboard.press('Tab')
    await palette(page).getByRole('listbox', { name: 'Move' }).waitFor()
    await field(page).fill(above)
    await chosen(page).getByText(above).waitFor()
    await page.keyboard.press('Enter')
    await gone(app)
    await app.until(async () => {
      const { nodes } = await app.call('Snapshot')
      return nodes.find((n) => n.name === moved).parentId === nodes.find((n) => n.name === above).uuid
    }, `${moved} below ${above}`)
    await app.agent(moved).and(page.locator('[aria-level="2"]')).waitFor()
    await app.openAgent(above)
    await open(app, '>close others')
    await options(page).filter({ hasText: 'this tab' }).first().click()
    await gone(app)
    await app.until(async () => (await page.getByRole('tab').count()) === 1, 'the other tabs to be closed')
    await open(app, '>close others')
    await options(page).filter({ hasText: 'there is no other tab' }).waitFor()
    await page.keyboard.press('Escape')
    await gone(app)
    await open(app, 'move agent')
    await chosen(page).getByText('Move agent to…').waitFor()
    await page.keyboard.press('Tab')
    await options(page).filter({ hasText: 'it stands below this one' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await gone(app)

    // A plain click does everything; an unavailable command says why and does nothing.
    await open(app, '>stop the agent')
    await options(page).filter({ hasText: 'nothing runs in the notebook on view' }).first().click({ force: true })
    await palette(page).waitFor()
    await palette(page).getByRole('button', { name: 'agents' }).click()
    assert.equal(await field(page).inputValue(), '@stop the agent')
    await field(page).fill('notifications')
    await options(page).filter({ hasText: 'Notifications' }).first().click()
    await page.getByRole('dialog', { name: 'Settings' }).getByRole('heading', { name: 'Notifications' }).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    await app.until(async () => (await focused()) === 'Notifications', 'the setting to have the focus')
    await page.keyboard.press('ControlOrMeta+k') // a dialog is open
    assert.equal(await palette(page).count(), 0)
    await page.keyboard.press('Escape')
  })

  test('opened before the notebook on view has loaded, it offers what can be done with it once it has', async (t) => {
    const app = await start(t)
    const { page } = app
    let load
    const asked = new Promise((done) => {
      void page.route(/api\/notebook\?path=.*two\.mtm/, async (route) => {
        await new Promise((go) => {
          load = go
          done()
        })
        await route.continue()
      })
    })
    await app.agent('Rewrite modal dialogs').click()
    await asked
    await open(app, 'kind of agent')
    await chosen(page).getByText('no notebook is on view').waitFor()
    load()
    await chosen(page).getByText('no notebook is on view').waitFor({ state: 'detached' })
    await page.keyboard.press('Tab')
    await palette(page).getByRole('listbox', { name: 'Kind' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await gone(app)
  })

  test('while it is loading it takes the keys, and goes on with what was typed', async (t) => {
    const app = await start(t)
    const { page } = app
    let load
    await page.route(/assets\/Palette-.*\.js/, async (route) => {
      await new Promise((go) => (load = go))
      await route.continue()
    })
    await page.reload()
    await app.cell(1).waitFor()
    await app.prompt(1).click()
    const before = await app.promptText(1)
    await page.keyboard.press('ControlOrMeta+k')
    await palette(page).getByRole('textbox').waitFor()
    await shot(page, 'loading')
    await page.keyboard.type('dark light')
    await app.until(() => load, 'the palette to be loading')
    load()
    await field(page).waitFor()
    await chosen(page).getByText('Theme').waitFor()
    await page.keyboard.type(' x')
    assert.equal(await field(page).inputValue(), 'dark light x')
    await page.keyboard.press('Escape')
    await gone(app)
    assert.equal(await app.promptText(1), before)
    await page.keyboard.type('!')
    await app.until(async () => (await app.promptText(1)) !== before, 'the prompt to have the focus again')
  })

  test('a composition, a key held down and a second press of its key', async (t) => {
    const app = await start(t)
    const { page } = app
    await app.editPrompt()
    await open(app, 'rename')
    const composed = (key) =>
      field(page).evaluate((input, key) => {
        for (const init of [{ isComposing: true }, { keyCode: 229 }])
          input.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }))
      }, key)
    for (const key of ['Enter', 'Escape', 'Tab', 'Backspace', 'ArrowDown']) await composed(key)
    assert.equal(await field(page).inputValue(), 'rename')
    await field(page).evaluate((input) => {
      for (const [key, ctrlKey] of [
        ['Enter', false],
        ['k', true],
        ['Escape', false],
      ])
        input.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, repeat: true, bubbles: true, cancelable: true }))
    })
    await field(page).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await gone(app)
    assert.ok(await page.evaluate(() => document.activeElement?.closest('.cm-editor')), 'the keyboard is where it was')
  })

  test('keys are changed in the sheet, in every window at once, and reset', async (t) => {
    const app = await start(t)
    const { page } = app
    const other = await app.openTab()
    await page.bringToFront()
    const sheet = page.getByRole('dialog', { name: 'Keys' })
    const openSheet = () => page.getByRole('button', { name: 'All keys', exact: true }).click()
    await openSheet()
    await sheet.getByRole('button', { name: /^Find anything: Ctrl ?\+ ?K/ }).click()
    await page.keyboard.press('ControlOrMeta+r')
    await sheet.getByText('cannot be used. It loads the window again.').waitFor()
    await sheet.getByRole('button', { name: 'Other keys' }).click()
    await page.keyboard.press('ControlOrMeta+n')
    await sheet.getByText('is taken by “New agent”.').waitFor()
    await shot(page, 'keys-taken')
    assert.deepEqual(await findingsInBoth(page), [])
    await sheet.getByRole('button', { name: 'Swap' }).click()
    await sheet.getByRole('button', { name: /^Find anything: Ctrl ?\+ ?N/ }).waitFor()
    await sheet.getByRole('button', { name: /^New agent: Ctrl ?\+ ?K/ }).waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+n')
    await field(page).waitFor()
    await field(page).fill('new agent')
    await options(page).filter({ hasText: 'New agent' }).locator('kbd', { hasText: 'K' }).first().waitFor()
    await page.keyboard.press('ControlOrMeta+n')
    await gone(app)

    // The other window follows.
    await other.bringToFront()
    await app.until(async () => {
      await other.keyboard.press('ControlOrMeta+n')
      await other.waitForTimeout(300)
      return (await palette(other).count()) > 0
    }, 'the other window to have the new keys')
    await other.keyboard.press('Escape')

    await page.bringToFront()
    await openSheet()
    await sheet.getByRole('button', { name: 'Reset all (2)' }).click()
    await sheet.getByRole('button', { name: /^Find anything: Ctrl ?\+ ?K/ }).waitFor()
  })

  test('tabs are selected by number, and reopened where they were closed', async (t) => {
    const app = await start(t)
    const { page } = app
    await app.openAgent('Rewrite modal dialogs')
    await app.openAgent('Rename the module path')
    const current = async (name) => {
      await page.getByRole('tab', { name, selected: true }).waitFor()
    }
    await page.locator('footer').click({ position: { x: 500, y: 12 } })
    await page.keyboard.press('ControlOrMeta+1')
    await current(/Checkout/)
    await page.keyboard.press('ControlOrMeta+9')
    await current(/Rename the module/)
    await page.keyboard.press('ControlOrMeta+2')
    await current(/Rewrite modal/)
    await page.keyboard.press('ControlOrMeta+w')
    await current(/Rename the module/)
    await app.call('RenameNotebook', '.mutsumi/two.mtm', 'Renamed while closed')
    await page.getByRole('treeitem', { name: /Renamed while closed/ }).waitFor()
    await page.keyboard.press('ControlOrMeta+Shift+T')
    await current(/Renamed while closed/)
    await app.loaded()
    await page.keyboard.press('ControlOrMeta+w')
    await current(/Rename the module/)
    app.expectReadsOfDeleted()
    await app.call('DeleteNotebook', (await app.call('Snapshot')).nodes.find((n) => n.name === 'Renamed while closed').file)
    await page.getByRole('treeitem', { name: /Renamed while closed/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+Shift+T')
    await page.getByText('Skipped what is gone').waitFor()
  })

  test('stops a running agent, and in an untrusted folder says what may not be chosen', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const kind = '---\nname: tester\ndescription: Runs the tests.\ntools: [read]\n---\nYou run the tests.\n'
    const app = await start(t, { env: provider.env, trusted: false, files: { ...files, '.mutsumi/agents/tester.md': kind } })
    const { page } = app
    await app.typePrompt('count')
    await app.run()
    ;(await provider.next()).text('one, ')
    await page.getByText('one,').waitFor()
    await open(app, '>stop the agent')
    await page.keyboard.press('Enter')
    await gone(app)
    await app.waitIdle()
    await open(app, 'kind of agent')
    await page.keyboard.press('Tab')
    const tester = options(page).filter({ hasText: 'tester' })
    await tester.getByText('the folder is not trusted').waitFor()
    await tester.click({ force: true })
    await palette(page).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await gone(app)

    // The choice is kept across a restart of the program.
    await app.layoutSaved(/"recent":\s*\[\s*"[^"]*kind/i)
    await app.restart('SIGTERM')
    await app.agent('Checkout latency regression').waitFor()
    await open(app)
    await palette(app.page).getByRole('group', { name: 'Recent' }).getByText('Kind of agent…').waitFor()
  })
})

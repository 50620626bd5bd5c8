// The keyboard: the focus always has a place, the list of agents keeps it while one looks from
// agent to agent, a key stops what runs, names are changed in place, and the sheet of keys is
// correct.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText, World } from './lib/world.mjs'

const long = Array.from({ length: 120 }, (_, i) => `Bed ${i + 1} grows beans.`).join('\n\n')
const files = {
  '.mutsumi/one.mtm': notebookText('One', [
    ['first', 'yes'],
    ['second', long],
  ]),
  '.mutsumi/two.mtm': notebookText('Two', [['other', 'no']]),
  '.mutsumi/three.mtm': notebookText('Three', [['third', 'well']]),
}

describe('the keyboard', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  async function start(t, options = {}) {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { files, env: provider.env, ...options })
    await app.agent('One').waitFor()
    return { app, provider }
  }
  /** The focused element: a role or tag, and where it is. */
  const focused = (page) =>
    page.evaluate(() => {
      const at = document.activeElement
      if (!at || at === document.body) return 'body'
      const what = at.closest('.cm-editor') ? 'editor' : (at.getAttribute('role') ?? at.tagName.toLowerCase())
      const name = at.getAttribute('aria-label') ?? at.innerText ?? ''
      return `${what} ${name.split('\n')[0].slice(0, 40)}`.trim()
    })
  /** Waits until the keyboard is somewhere that matches. */
  async function until(app, pattern, what, page = app.page) {
    let last
    await app
      .until(async () => pattern.test((last = await focused(page))), `${what}; the keyboard is at ${JSON.stringify(last)}`)
      .catch((err) => {
        throw new Error(`${err.message.replace(/; the.*/, '')}: the keyboard is at ${last}`)
      })
  }
  /** The keyboard has a place once what happened is drawn. */
  async function kept(app, what) {
    await app.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    await app.until(async () => (await focused(app.page)) !== 'body', `the keyboard to have a place ${what}`)
  }
  const open = async (app, name) => {
    await app.openAgent(name)
    await app.page.keyboard.press('Enter')
    await until(app, /^(editor|article)/, `the notebook of ${name} to have the keyboard`)
  }
  const field = (app) => app.page.getByRole('textbox', { name: 'Name of the agent' })

  test('is never lost, whatever element leaves the page', async (t) => {
    const { app, provider } = await start(t, { viewport: { width: 1400, height: 860 } })
    const { page } = app
    const { keyboard } = page
    await open(app, 'One')

    // Stop: the button disappears with the stopped run.
    await app.typePrompt('count')
    await app.run()
    ;(await provider.next()).text('one, ')
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click()
    await app.waitIdle()
    await kept(app, 'after Stop')

    // Jump to latest.
    await app.scrollTo(0)
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' })
    await kept(app, 'after Jump to latest')

    // A macro is added, its value left by Enter, and it is removed.
    await page.getByRole('button', { name: 'Add a macro' }).click()
    await page.getByRole('textbox', { name: 'Name of the macro' }).fill('PLANT')
    await page.getByRole('textbox', { name: 'Value of the macro' }).fill('bean')
    await keyboard.press('Enter')
    const value = page.getByRole('textbox', { name: 'Value of PLANT' })
    await value.waitFor()
    await kept(app, 'after a macro was added')
    await value.fill('pea')
    await keyboard.press('Enter')
    await kept(app, 'after a macro was changed')
    await page.getByRole('button', { name: 'Remove PLANT' }).click()
    await value.waitFor({ state: 'detached' })
    await kept(app, 'after a macro was removed')

    // Dialogs and menus, closed by key, by their button and by a press outside.
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await kept(app, 'after the settings')
    await page.getByRole('button', { name: 'All keys', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await kept(app, 'after the sheet of keys')
    await page.getByRole('button', { name: 'All agents', exact: true }).click()
    await page.getByRole('menu').waitFor()
    await page.mouse.click(700, 500)
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await kept(app, 'after a menu')

    // A cell is deleted.
    await app.scrollTo(0)
    await app.editPrompt(1)
    await keyboard.press('Escape')
    await until(app, /^article Cell 1/, 'the first cell')
    const cells = (await app.notebook('.mutsumi/one.mtm')).cells.length
    await app.pressTwice('d', 'KeyD')
    await app.until(async () => (await app.notebook('.mutsumi/one.mtm')).cells.length === cells - 1, 'the cell to go')
    await kept(app, 'after a cell was deleted')
    await until(app, /^article/, 'the cell that came into its place')

    // A tab is closed by its sign and by a key, down to the last one.
    await open(app, 'Two')
    await open(app, 'Three')
    await page
      .getByRole('tab', { name: /^Three/ })
      .locator('.close')
      .click()
    await page.getByRole('tab', { name: /^Three/ }).waitFor({ state: 'detached' })
    await kept(app, 'after a tab was closed by its sign')
    await keyboard.press('ControlOrMeta+w')
    await app.until(async () => (await page.getByRole('tab').count()) === 1, 'the second tab to close')
    await kept(app, 'after a tab was closed by a key')
    await keyboard.press('ControlOrMeta+w')
    await app.until(async () => (await page.getByRole('tab').count()) === 0, 'the last tab to close')
    await kept(app, 'after the last tab was closed')

    // An agent is archived, another one deleted, in the list.
    await app.agent('Three').click()
    await until(app, /^tree/, 'the list')
    await keyboard.press('Alt+a')
    await app.agent('Three').waitFor({ state: 'detached' })
    await until(app, /^tree/, 'the list, after one was archived')
    await app.openAgent('Two')
    await until(app, /^tree/, 'the list')
    app.expectReadsOfDeleted()
    await keyboard.press('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
    await app.agent('Two').waitFor({ state: 'detached' })
    await kept(app, 'after an agent was deleted')

    // The search returns the focus.
    await keyboard.press('ControlOrMeta+Shift+L')
    await until(app, /^input Search/, 'the search')
    await keyboard.press('Escape')
    await until(app, /^(editor|article|button|main)/, 'what is on view, after the search')

    // A press outside everything.
    await open(app, 'One')
    await page.locator('footer').click({ position: { x: 500, y: 12 } })
    await kept(app, 'after a press on the status bar')
  })

  test('is kept when the last card is decided, which calls its agent by its name', async (t) => {
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' } })
    await app.newAgent()
    await app.writePrompt('/demo tool write_file {"uri":"new.txt","content":"x"}')
    await app.run()
    const inbox = app.page.getByRole('region', { name: 'Waiting for you' })
    await inbox.getByRole('article').waitFor()
    // The card uses the agent's present name.
    await app.call('RenameNotebook', await app.activePath(), 'Baker')
    await inbox.getByRole('article', { name: /Baker/ }).waitFor()
    await app.page.keyboard.press('ControlOrMeta+j')
    await until(app, /^article/, 'the card')
    await inbox.getByRole('button', { name: 'Approve' }).click()
    await inbox.waitFor({ state: 'detached' })
    await app.waitIdle()
    await kept(app, 'after the last card')
  })

  test('stays in the list while one looks from agent to agent; Enter or a second press moves it', async (t) => {
    const { app } = await start(t)
    const { page } = app
    for (const name of ['One', 'Two', 'Three', 'One', 'Two']) {
      await app.openAgent(name)
      await app.cells().first().waitFor()
      await kept(app, `after a press on ${name}`)
      await until(app, /^tree/, `the list, after a press on ${name}`)
    }
    // The key shown in the row's menu works.
    await page.keyboard.press('F2')
    await field(app).fill('Second')
    await page.keyboard.press('Enter')
    await app.agent('Second').waitFor()
    await until(app, /^tree/, 'the list, after a rename')
    await page.keyboard.press('Delete')
    await page.getByRole('dialog', { name: 'Move to trash' }).getByRole('button', { name: 'Cancel' }).click()
    await until(app, /^tree/, 'the list, after the question')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await until(app, /^(editor|article)/, 'the notebook, after Enter')

    // After the double-click interval, so that it is a second press.
    await app.openAgent('Second')
    await until(app, /^tree/, 'the list')
    await app
      .agent('Second')
      .evaluate(
        (row) =>
          row.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })) &&
          row.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })),
      )
    await until(app, /^(editor|article)/, 'the notebook, after a second press')

    // A key that is held down opens the agent and does nothing in its prompt.
    await app.openAgent('One')
    const before = JSON.stringify((await app.notebook('.mutsumi/one.mtm')).cells)
    await page.keyboard.down('Enter')
    await until(app, /^editor/, 'the notebook, while Enter is held')
    for (let i = 0; i < 6; i++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await app.waitIdle()
    assert.ok(JSON.stringify((await app.notebook('.mutsumi/one.mtm')).cells) === before, 'nothing is typed into the prompt')
  })

  test('two Esc, or Ctrl+., stop the agent; Esc has its other meanings first', async (t) => {
    const { app, provider } = await start(t)
    const { page } = app
    const { keyboard } = page
    await open(app, 'Two')
    const run = async (text) => {
      await app.typePrompt(text)
      await app.run()
      const exchange = await provider.next()
      exchange.text('one, ')
      await page.locator('.status').getByText('to stop').waitFor()
      return exchange
    }
    const running = async () => (await app.notebook('.mutsumi/two.mtm')).running.length > 0

    let exchange = await run('count')
    assert.match(await page.getByRole('button', { name: 'Stop', exact: true }).first().getAttribute('data-keys'), /Ctrl\+\. or Esc Esc/)
    await keyboard.press('Escape') // leaves the text
    await until(app, /^article/, 'the cell')
    await keyboard.press('Escape')
    // A menu takes the next key, and earlier ones no longer count.
    await page.getByRole('button', { name: 'Cell menu' }).last().click()
    await page.getByRole('menu').waitFor()
    await keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    assert.ok(await running(), 'an Esc that closes a menu stops nothing')
    await page.locator('article.cell.active').focus()
    await keyboard.press('j')
    await keyboard.press('Escape')
    await keyboard.press('k')
    await keyboard.press('Escape')
    assert.ok(await running(), 'Esc with another key between stops nothing')
    await keyboard.press('j')
    await app.pressTwice('Escape')
    await exchange.closed
    await app.waitIdle()
    await kept(app, 'after Esc Esc')

    // While text is written, Ctrl+. stops; a composition keeps it.
    exchange = await run('count more')
    await app.editPrompt()
    await page.evaluate(() =>
      document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: '.', code: 'Period', ctrlKey: true, isComposing: true, bubbles: true, cancelable: true }),
      ),
    )
    for (const key of ['Escape', 'Escape', 'Escape']) {
      await page.evaluate(
        (k) =>
          document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', { key: k, isComposing: false, keyCode: 229, bubbles: true, cancelable: true }),
          ),
        key,
      )
    }
    assert.ok(await running(), 'keys of a composition stop nothing')
    await until(app, /^editor/, 'the prompt, after a composition')
    await keyboard.press('ControlOrMeta+.')
    await exchange.closed
    await app.waitIdle()
    await until(app, /^editor/, 'the prompt, after Ctrl+.')
  })

  test('a name is changed in the list, in the tab, in the menu of the tab and at the head of the notebook', async (t) => {
    const { app, provider } = await start(t, { trusted: false })
    const { page } = app
    const trust = page.getByRole('dialog', { name: 'Trust this folder?' })
    await trust.waitFor()
    await page.keyboard.press('Escape')
    await trust.waitFor({ state: 'detached' })
    await open(app, 'Two')
    const name = () => app.world.notebook('.mutsumi/two.mtm').metadata.name
    const rename = async (text, key = 'Enter') => {
      await field(app).fill(text)
      await page.keyboard.press(key)
      await field(app).waitFor({ state: 'detached' })
      if (key === 'Enter') await app.until(() => name() === text, `the file to say ${text}`)
    }
    const tab = () => app.tab()
    const title = () => page.getByRole('heading', { level: 1 }).getByRole('button')

    await app.editPrompt()
    await page.keyboard.press('F2')
    await rename('By key')
    await until(app, /^editor/, 'the prompt, after F2')
    await page.keyboard.press('F2')
    await rename('Nothing', 'Escape')
    assert.equal(name(), 'By key')
    await tab().dblclick()
    await rename('名前を変える')
    await app.agent('名前を変える').dblclick()
    await rename('Row')
    await tab().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await rename('Menu')
    await title().click()
    await rename('Head')
    await app.until(async () => (await title().innerText()) === 'Head', 'the heading')
    const atTitle = (when) => app.until(() => title().evaluate((e) => e === document.activeElement), `the keyboard on the title ${when}`)
    await atTitle('after a rename')
    // Escape takes back what was typed, and the title is edited again by its key.
    await page.keyboard.press('Enter')
    await rename('Nothing', 'Escape')
    await atTitle('after Escape')
    assert.equal(await title().innerText(), 'Head')
    assert.equal(name(), 'Head')
    // A click ends it too, and what was clicked gets the keyboard.
    await app.agent('Head').dblclick()
    await field(app).fill('Left')
    await app.cell().locator('.prompt').click()
    await until(app, /^editor/, 'the prompt that was clicked')
    await app.until(() => name() === 'Left', 'the file to have the name')
    await title().click()
    await field(app).fill('Head')
    await page
      .getByRole('searchbox')
      .or(page.getByRole('textbox', { name: 'Search agents' }))
      .first()
      .click()
    await until(app, /Search agents/, 'the search that was clicked')
    await page.keyboard.press('Escape')

    // While it runs, and in a second window, which is in the middle of it too.
    await app.typePrompt('count')
    await app.run()
    const exchange = await provider.next()
    exchange.text('one, ')
    const other = await app.openTab()
    await app.openAgent('Head', other)
    await other.getByRole('heading', { level: 1 }).getByRole('button').click()
    await other.getByRole('textbox', { name: 'Name of the agent' }).waitFor()
    await title().click()
    await rename('While it runs')
    await other.bringToFront()
    await other.keyboard.press('Enter') // unchanged here: it takes nothing back
    await other.getByRole('heading', { level: 1, name: 'While it runs' }).waitFor()
    exchange.text('two')
    exchange.end()
    await app.waitIdle()
    assert.equal(name(), 'While it runs')
    assert.match(await app.answerText(-1), /one, two/)
    await app.restart()
    await app.agent('While it runs').waitFor()
  })

  test('a model chosen in the settings names an agent; a person’s name stays', async (t) => {
    const { app, provider } = await start(t)
    const { page } = app
    await page.keyboard.press('ControlOrMeta+,')
    const choice = page.getByRole('combobox', { name: 'Name agents with' })
    await choice.selectOption({ label: 'paced-model' })
    await page.getByText('One short request after the first answer.').waitFor()
    await page.keyboard.press('Escape')
    const ask = async (text) => {
      await app.newAgent()
      await app.typePrompt(text)
      await app.run()
      const answer = await provider.next()
      answer.text('Beans.')
      answer.end({ input: 10, output: 1 })
      return provider.next()
    }
    let naming = await ask('please plan the beds')
    await app.agent('Plan the beds').waitFor()
    naming.text('**“Beans by the river”**\nand more')
    naming.end({ input: 20, output: 5 })
    await page.getByRole('heading', { level: 1, name: 'Beans by the river', exact: true }).waitFor()
    await app.agent('Beans by the river').waitFor()
    await app.waitIdle()

    naming = await ask('please paint the fence')
    await app.tab().dblclick()
    await field(app).fill('Fence')
    await page.keyboard.press('Enter')
    await app.agent('Fence').waitFor()
    naming.text('A fence of many colours')
    naming.end({ input: 20, output: 5 })
    const file = await app.activePath()
    await app.until(async () => (await app.notebook(file)).state.spent.requests === 2, 'the request for the name to be counted')
    await app.waitIdle()
    await app.restart()
    await app.agent('Fence').waitFor()
    assert.deepEqual((await app.agents()).toSorted(), ['Beans by the river', 'Fence', 'One', 'Three', 'Two'])
  })

  test('agents of the same name are distinguished, tabs use the available space', async (t) => {
    const parent = notebookText('Garden', [])
    const world = new World({
      ...files,
      '.mutsumi/agent-1f3a9c20.mtm': notebookText('Plan the beds of the garden by the river', []),
      '.mutsumi/agent-77aa01bc.mtm': notebookText('Plan the beds of the garden by the river', []),
      '.mutsumi/garden.mtm': parent,
    })
    const { app } = await start(t, { world, viewport: { width: 1400, height: 800 } })
    const { page } = app
    await page.getByRole('treeitem', { name: /river, 1f3a9c20,/ }).click()
    await page.getByRole('tab', { name: /river, 1f3a9c20,/ }).waitFor()
    await page.getByRole('treeitem', { name: /river, 77aa01bc,/ }).click()
    await app.openAgent('Garden')
    const widths = () => page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => Math.round(tab.getBoundingClientRect().width)))
    await app.until(async () => {
      const [narrow, , third] = await widths()
      return third && narrow > 190 && narrow <= 240
    }, 'a long name to get 190 to 240 px where three tabs share the room')
    const [narrow, , short] = await widths()
    await page.setViewportSize({ width: 2200, height: 800 })
    await app.until(async () => (await widths())[0] > narrow, 'the tab to take the room')
    const [wide] = await widths()
    assert.ok(wide <= 420, `a long name gets ${wide} px`)
    const cut = await page
      .getByRole('tab')
      .first()
      .locator('.name')
      .evaluate((name) => name.scrollWidth - name.clientWidth)
    assert.ok(cut <= 1, `there is room for all of a long name, ${cut} px are cut off`)
    assert.equal(short, 140)
    for (const name of ['One', 'Two', 'Three']) await app.openAgent(name)
    await page.setViewportSize({ width: 900, height: 600 })
    await app.until(async () => (await widths()).every((w) => w === 140), 'all tabs to be as small as they get')
    const seen = () =>
      app.tab().evaluate((tab) => {
        const strip = tab.parentElement.getBoundingClientRect()
        const own = tab.getBoundingClientRect()
        return own.left >= strip.left - 1 && own.right <= strip.right + 1
      })
    await app.until(seen, 'the tab on view to be in view')
  })

  test('the sheet names the keys of every place, and hints stay in command mode', async (t) => {
    const { app } = await start(t)
    await open(app, 'Two')
    await app.page.keyboard.press('?') // typed, in a prompt
    await app.editPrompt()
    const at = () =>
      app.page
        .locator('article.cell.active')
        .evaluate((cell) => ({ top: cell.getBoundingClientRect().top, height: cell.getBoundingClientRect().height }))
    const writing = await at()
    assert.match(await app.page.locator('.hint:visible').innerText(), /commands/)
    await app.page.keyboard.press('Escape')
    await app.page.locator('.hint:visible', { hasText: 'insert above' }).waitFor()
    assert.deepEqual(await at(), writing, 'nothing moves')
    await app.page.keyboard.press('?')
    const sheet = app.page.getByRole('dialog', { name: 'Keys' })
    for (const name of [
      'Stop the agent',
      'Insert above',
      'Insert below',
      'Delete',
      'Move up',
      'Run and add a prompt below',
      'First cell',
      'Undo',
      'Rename the agent on view',
      'Move to trash',
      'Approve',
    ]) {
      await sheet.getByText(name, { exact: true }).first().waitFor()
    }
  })
})

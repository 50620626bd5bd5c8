// The robot user: a test's actions in the program, in a person's words. `App.start` runs the
// finished program on a folder of its own and opens the interface in a browser; the page is used
// through roles and names, as a screen reader sees it. Every test also checks the invariants: no
// error in the console, no dialog of the browser, no request that leaves the program's own address.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { launch } from './browser.mjs'
import { inChinese } from './chinese.mjs'
import { arriveLate } from './late.mjs'
import { serve } from './serve.mjs'
import { whyStuck } from './stuck.mjs'
import { outFolder, World } from './world.mjs'

/** How long anything may take before a test gives up, in milliseconds. Only a failure ever waits that long. */
const patience = 45_000

let browser
const open = () => (browser ??= launch())

/** Ends the browser that all tests of a file share; call it in after(). */
export async function closeBrowser() {
  if (browser) await (await browser).close()
  browser = undefined
}

export class App {
  #problems = []
  #expected = []
  #typed = new Map() // page -> the last prompt typed there
  #env
  #options

  /**
   * Starts the program for test t. files: the folder's content; env: goes over
   * the world's (a provider's env); trusted: see World; colorScheme, viewport, locale: the browser's.
   */
  static async start(
    t,
    { files = {}, env = {}, world, trusted = true, colorScheme = 'light', viewport = { width: 1280, height: 860 }, locale = 'en-US' } = {},
  ) {
    const app = new App()
    app.#env = env
    app.#options = { colorScheme, viewport, locale, reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] }
    app.world = world ?? new World(files, { trusted })
    await app.#begin(t)
    return app
  }

  /** Starts the program and, at the same time, an empty tab; both are cleaned up after test t, if given. */
  async #begin(t) {
    const tab = this.#newTab()
    tab.catch(() => {}) // if the program does not start, that is reported
    this.server = await serve(this.world, { env: this.#env })
    if (t) this.#watch(t)
    this.page = await this.#enter(await tab)
  }

  async #newTab() {
    this.context = await (await open()).newContext(this.#options)
    this.context.setDefaultTimeout(patience)
    return this.context.newPage()
  }

  #watch(t) {
    this.name = t.fullName ?? t.name
    t.after(async () => {
      const failed = t.passed === false || t.passed === undefined
      if (failed && this.page && !this.page.isClosed()) {
        const file = path.join(outFolder, `${this.name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 80)}.png`)
        await this.page.screenshot({ path: file, timeout: 5000 }).catch(() => {})
        console.error(`"${this.name}" failed: ${await whyStuck(this.page)}`)
      }
      await this.context?.close()
      await this.server.stop()
      this.world.remove()
      const wrong = this.#problems.filter((p) => !this.#expected.some((e) => e.test(p)))
      assert.ok(wrong.length === 0, `this went wrong in the page meanwhile:\n${wrong.join('\n')}`)
    })
  }

  /** Declares that a matching problem of the page is expected. */
  expectProblem(pattern) {
    this.#expected.push(pattern)
  }

  /** Declares that what the page reads of a notebook may be on its way when the notebook is deleted. */
  expectReadsOfDeleted() {
    this.expectProblem(/404 .*\/api\/call\/(Changes|Compaction|Context|FileUse)\b/)
  }

  /** Opens the interface in one more tab of the same browser and waits until it shows something. */
  async openTab() {
    return this.#enter(await this.context.newPage())
  }

  async #enter(page) {
    // Report the same error only once, and shortened.
    const note = (text) => this.#problems.includes(text.slice(0, 400)) || this.#problems.push(text.slice(0, 400))
    page.on(
      'console',
      (m) => m.type() === 'error' && note(`console: ${m.text().replace(/data:\S{80,}/g, 'data:...')} (${m.location().url})`),
    )
    page.on('pageerror', (e) => note(`error: ${e.stack ?? e}`))
    page.on('dialog', (d) => {
      this.#problems.push(`dialog: ${d.message()}`)
      void d.dismiss()
    })
    page.on('popup', (p) => this.#problems.push(`popup: ${p.url()}`))
    page.on('request', (r) => {
      const url = r.url()
      if (!url.startsWith(this.server.origin + '/') && !/^(data|blob|about):/.test(url)) this.#problems.push(`request: ${url}`)
    })
    // The test's own requests use the page's session.
    await page.addInitScript(() => {
      const { fetch } = window
      window.fetchAsPage = (url, { headers, ...init } = {}) =>
        fetch(url, {
          ...init,
          headers: { ...headers, Authorization: `Bearer ${JSON.parse(sessionStorage.getItem('mutsumi.session')).session}` },
        })
    })
    await arriveLate(page)
    await page.goto(await this.server.enter())
    const shown = this.#options.locale === 'zh-CN' ? inChinese(page) : page
    await shown.getByRole('button', { name: 'New agent' }).first().waitFor()
    return shown
  }

  async reload() {
    await this.page.reload()
    await this.page.getByRole('button', { name: 'New agent' }).first().waitFor()
  }

  /** Waits until the saved layout of a window of the folder matches: it is saved half a second after the last change. */
  async layoutSaved(pattern) {
    const folder = this.world.path('state', 'windows')
    // Not the file that is being written, which is renamed when it is whole.
    const names = () => fs.readdirSync(folder).filter((file) => !file.startsWith('.'))
    const saved = () => names().map((file) => fs.readFileSync(path.join(folder, file), 'utf8'))
    await this.until(() => fs.existsSync(folder) && saved().some((text) => pattern.test(text)), `${pattern} in the saved layout`)
  }

  /** Ends the program with a signal and restarts it on the same folder; the page is opened again. */
  async restart(signal) {
    await this.context.close()
    await this.server.stop(signal)
    await this.#begin()
  }

  // Agents.

  /** Makes an agent with the button of the sidebar; its notebook comes to the front. */
  async newAgent(page = this.page) {
    // The path: the name in the tip also changes when the program names the agent on view.
    const shown = async () =>
      (await this.tab(page).count()) > 0 ? (await this.tab(page).getAttribute('data-tip'))?.split('\n').at(-1) : ''
    const before = await shown()
    await page.getByRole('button', { name: 'New agent' }).first().click()
    // Until its tab exists, typing goes to the previous notebook.
    await this.until(async () => (await shown()) !== before, 'the tab of the new notebook')
    await this.prompt(-1, page).waitFor()
  }

  /** The row of an agent in the sidebar. */
  agent(name, page = this.page) {
    return page.getByRole('treeitem', { name: new RegExp(`^${escape(name)},`) })
  }

  /** Opens an agent with a click on its row and waits until its notebook has loaded. */
  async openAgent(name, page = this.page) {
    await this.agent(name, page).click()
    await this.tab(page)
      .and(page.getByRole('tab', { name: new RegExp(`^${escape(name)},`) }))
      .waitFor()
    await this.loaded(page)
  }

  /** Waits until the notebook on view has loaded; of two groups of tabs that in the one in use. */
  async loaded(page = this.page) {
    await page.locator('[data-group]:not(.rest) section.book[aria-busy="false"]:visible').waitFor()
  }

  /** The tab of the notebook on view; of two groups of tabs in the one in use. */
  tab(page = this.page) {
    return page.locator('[data-group]:not(.rest)').getByRole('tablist', { name: 'Open agents' }).getByRole('tab', { selected: true })
  }

  /** Names of all agents, as the sidebar shows them from top to bottom. */
  async agents(page = this.page) {
    const labels = await page.getByRole('treeitem').evaluateAll((rows) => rows.map((r) => r.querySelector('.name')?.textContent ?? ''))
    return labels
  }

  /** Chooses an entry of an agent's context menu. */
  async agentMenu(name, entry, page = this.page) {
    await this.agent(name, page).click({ button: 'right' })
    await page.getByRole('menuitem', { name: entry }).click()
  }

  /** The notebook on view, as a path in the folder. */
  async activePath(page = this.page) {
    const title = await this.tab(page).getAttribute('data-tip')
    return title.split('\n').at(-1)
  }

  // Cells.

  /** The cells of the visible notebook that are near the screen, followed by an empty one. */
  cells(page = this.page) {
    return page.locator('article.cell:visible')
  }

  /** The cell with a number, counted from 1; -1 is the last one on the screen. */
  cell(n = -1, page = this.page) {
    return n < 0 ? this.cells(page).nth(n) : page.locator(`article.cell[aria-label="Cell ${n}"]:visible`)
  }

  prompt(n = -1, page = this.page) {
    return this.cell(n, page).locator('.prompt')
  }

  /** The text of a prompt as it is shown: chips without their brackets. */
  async promptText(n = -1, page = this.page) {
    return (await this.prompt(n, page).locator('.cm-content, .prompt-text').first().innerText()).trim()
  }

  /** Replaces the text of a prompt by typing; by default the empty prompt at the end. */
  async typePrompt(text, n = -1, page = this.page) {
    const cell = await this.editPrompt(n, page)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(text)
    this.#typed.set(page, { cell, text })
  }

  /** Replaces the text of a prompt as an input method does, all at once: for long texts when typing does not matter. */
  async writePrompt(text, n = -1, page = this.page) {
    const cell = await this.editPrompt(n, page)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(text)
    this.#typed.set(page, { cell, text })
  }

  /** Opens a prompt for editing with a click; once its editor has the keyboard, gives the cell's id. */
  async editPrompt(n = -1, page = this.page) {
    const cell = await this.prompt(n, page).getAttribute('data-cell')
    const prompt = page.locator(`.prompt[data-cell="${cell}"]:visible`)
    await prompt.click()
    await prompt.locator('.cm-focused').waitFor()
    return cell
  }

  /** Presses keys, each {key, code}, in one go: on a busy machine single presses are too far apart for a sequence. */
  async pressInOneGo(keys, page = this.page) {
    await page.evaluate((list) => {
      for (const key of list)
        for (const type of ['keydown', 'keyup'])
          document.activeElement.dispatchEvent(new KeyboardEvent(type, { ...key, bubbles: true, cancelable: true }))
    }, keys)
  }

  /** Presses a key twice in one go, for a sequence like "d d". */
  pressTwice(key, code = key, page = this.page) {
    return this.pressInOneGo(
      [
        { key, code },
        { key, code },
      ],
      page,
    )
  }

  /** Types into the field that takes the focus on its own, once it has it. */
  async typeInField(text, page = this.page) {
    await page.locator('input:focus, textarea:focus').waitFor()
    await page.keyboard.type(text)
  }

  /** Shift+Enter in the prompt that has the focus. */
  async run(page = this.page) {
    await page.keyboard.press('Shift+Enter')
  }

  /** Writes into the empty prompt at the end, runs it and waits for the end of the answer; with saved, until it is on the disk. */
  async ask(text, { saved = false } = {}) {
    await this.writePrompt(text)
    await this.run()
    await this.waitIdle(this.page, { saved })
  }

  answers(page = this.page) {
    return page.locator('article.cell:visible .answer')
  }

  /** The text of an answer on the screen: n from 0, -1 the last one. */
  async answerText(n = -1, page = this.page) {
    const all = this.answers(page)
    if ((await all.count()) === 0) return ''
    return (await all.nth(n).innerText()).trim()
  }

  /** Scrolls the cells to a share of their whole height, 0 the top and 1 the end. */
  async scrollTo(share, page = this.page) {
    await page
      .locator('article.cell:visible')
      .first()
      .evaluate((cell, to) => {
        let box = cell.parentElement
        while (box && !(box.scrollHeight > box.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(box).overflowY)))
          box = box.parentElement
        box.scrollTop = to * (box.scrollHeight - box.clientHeight)
      }, share)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  }

  // Waiting.

  /** Calls a method of the program directly, as the page does. */
  call(name, ...args) {
    return this.page.evaluate(
      async ([method, list]) => {
        const response = await window.fetchAsPage(`/api/call/${method}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(list),
        })
        const result = await response.json()
        if (!response.ok) throw new Error(`${method}: ${result.message}`)
        return result
      },
      [name, args],
    )
  }

  /** The notebook as the program has it in memory. */
  notebook(file, page = this.page) {
    return page.evaluate(async (p) => (await window.fetchAsPage(`/api/notebook?path=${encodeURIComponent(p)}`)).json(), file)
  }

  /**
   * Waits until the notebook on view is at rest: what was typed has arrived,
   * nothing runs or waits to, all is saved, and the page knows and has drawn it.
   * saved: false for what is seen on the page alone: a save comes a moment later.
   */
  async waitIdle(page = this.page, { saved = true } = {}) {
    const file = await this.activePath(page)
    await this.until(async () => {
      // The page first: it shows a run as soon as it is requested. Then the program, and the page again, which learns of the end last.
      if ((await this.#busy(page, saved)) || !(await this.#arrived(file, page))) return false
      const view = await this.notebook(file, page)
      return view.running.length === 0 && !(saved && view.state.dirty) && !(await this.#busy(page, saved))
    }, `${file} to come to rest`)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  }

  /** Whether the page shows that something loads, runs, waits to run, or, with saved, is not saved. */
  #busy(page, saved) {
    return page.evaluate((saved) => {
      const shown = (css) => [...document.querySelectorAll(css)].filter((e) => e.checkVisibility())
      return (
        shown('[aria-busy="true"], article.cell .gutter .stop').length > 0 ||
        shown('footer .save').some((e) => (saved ? /^(Typing|Saving)/ : /^Typing/).test(e.textContent))
      )
    }, saved)
  }

  /** Whether the program has the last typed text; the page sends it when typing pauses. */
  async #arrived(file, page) {
    const typed = this.#typed.get(page)
    if (!typed) return true
    const got = await page.evaluate(
      async ([path, id]) => {
        const response = await window.fetchAsPage('/api/cells', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ path, ids: [id] }),
        })
        return response.ok ? (await response.json()).cells : []
      },
      [file, typed.cell],
    )
    if (got[0]?.body?.text !== typed.text) return false
    this.#typed.delete(page)
    return true
  }

  /** Asks again until check gives something true, and returns it. */
  async until(check, what, limit = patience) {
    const end = Date.now() + limit
    for (;;) {
      const found = await check()
      if (found) return found
      if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`)
      await new Promise((done) => setTimeout(done, 25))
    }
  }
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

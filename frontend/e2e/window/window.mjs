// The real window as a person sees it: opened on a world's folder, moved clear of the corner from
// which files are dragged, closed with its close button. The names in the page are those of
// lib/app.mjs.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { binary, outFolder } from '../lib/world.mjs'
import { decode, variety } from '../lib/png.mjs'
import * as desktop from './desktop.mjs'
import { Driver, keys } from './driver.mjs'

/** Where the window is moved to: files are dragged from the top left corner. */
const corner = { x: 160, y: 60 }

export class Window {
  /** Opens the window; it is closed when test t ends. env overrides the world's. */
  static async open(t, world, { env = {}, program = binary, args = [world.folder] } = {}) {
    const w = new Window()
    w.world = world
    const scratch = fs.mkdtempSync(path.join(world.base, 'window-'))
    const session = Object.fromEntries(
      ['DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'GTK_A11Y', 'NO_AT_BRIDGE', 'GDK_BACKEND']
        .map((k) => [k, process.env[k]])
        .filter(([, v]) => v !== undefined),
    )
    w.driver = await Driver.start(program, args, { ...world.env(), ...session, ...env }, scratch)
    t?.after(() => w.driver.stop())
    return w
  }

  /** When the page was first usable, in Unix milliseconds: selector is in it and drawn. */
  firstFrame(selector = 'button[aria-label="New agent"]') {
    return this.driver.until(
      (css) =>
        new Promise((done) => {
          const end = Date.now() + 10_000
          const look = () => {
            if (document.querySelector(css)) requestAnimationFrame(() => requestAnimationFrame(() => done(Date.now())))
            else if (Date.now() > end) done(0)
            else setTimeout(look, 2)
          }
          look()
        }),
      `${selector} on the page`,
      selector,
    )
  }

  /** The window's X id and its place on the screen. */
  place() {
    return desktop.windowOf(this.driver.pid)
  }

  /** Moves it clear of the corner and gives it the focus. */
  async toFront() {
    const { id } = this.place()
    desktop.moveWindow(id, corner.x, corner.y)
    desktop.focus(id)
    await this.driver.until(() => document.hasFocus(), 'the window to have the keyboard')
  }

  /** The middle of an element on the screen, for the mouse. */
  async onScreen(css) {
    const { x, y } = this.place()
    const spot = await this.driver.run((selector) => {
      const all = document.querySelectorAll(selector)
      const box = all[all.length - 1].getBoundingClientRect()
      return { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 200) }
    }, css)
    return { x: x + spot.x, y: y + spot.y }
  }

  /** Presses its close button. */
  pressClose() {
    desktop.closeButton(this.place().id)
  }

  /** Closes it with its close button and waits for the program's end. */
  async close() {
    this.pressClose()
    assert.ok(await this.driver.ended(45_000), 'the program ends when its window is closed')
    await this.driver.stop()
  }

  // A person's actions, as in lib/app.mjs; of two groups of tabs, in the one in use.

  async newAgent() {
    const shown = () => document.querySelector('[data-group]:not(.rest) [role=tab][aria-selected=true]')?.dataset.tip ?? ''
    const before = await this.driver.run(shown)
    await this.driver.click('button[aria-label="New agent"]')
    // Until its tab exists, typing goes to the previous notebook.
    await this.until(async () => (await this.driver.run(shown)) !== before, 'the tab of the new notebook')
    await this.driver.until(() => [...document.querySelectorAll('.prompt .cm-content')].some((e) => e.checkVisibility()), 'an empty prompt')
  }

  /** Clicks into the empty prompt at the end. */
  async focusPrompt() {
    await this.driver.click(() =>
      [...document.querySelectorAll('[data-group]:not(.rest) article.cell .prompt')].filter((e) => e.checkVisibility()).at(-1),
    )
    await this.driver.until(() => document.activeElement?.classList.contains('cm-content'), 'the prompt to have the focus')
  }

  async type(text) {
    await this.focusPrompt()
    await this.driver.press(text)
  }

  run() {
    return this.driver.press([keys.shift, keys.enter])
  }

  /** Asks in a new agent, and returns the exchange with the provider once the beginning of its answer is on the page. */
  async answering(provider, beginning) {
    await this.newAgent()
    await this.type('Tell me')
    await this.run()
    const exchange = await provider.next()
    exchange.text(`${beginning} `)
    await this.until(async () => (await this.answerText()).includes(beginning), 'the beginning of the answer')
    return exchange
  }

  /** Zooms in with the keys until the page has this many percent. */
  async zoomIn(percent) {
    const zoom = () => this.driver.run(() => Math.round(100 * (Number(document.documentElement.style.getPropertyValue('--zoom')) || 1)))
    let now = await zoom()
    while (now < percent) {
      const before = now
      desktop.pressKeys('ctrl+plus')
      // The page shows a step some time after its key: a second press before that would go too far.
      await this.until(async () => (now = await zoom()) > before, `a zoom of more than ${before} %`)
    }
    assert.equal(now, percent)
  }

  /** The text of a prompt on the screen, from 0; -1 is the last. */
  promptText(n = -1) {
    return this.driver.run(
      (i) =>
        [...document.querySelectorAll('[data-group]:not(.rest) article.cell .prompt')]
          .filter((e) => e.checkVisibility())
          .at(i)
          ?.querySelector('.cm-content, .prompt-text')
          .innerText.trim() ?? '',
      n,
    )
  }

  answerText(n = -1) {
    return this.driver.run(
      (i) =>
        [...document.querySelectorAll('[data-group]:not(.rest) article.cell .answer')]
          .filter((e) => e.checkVisibility())
          .at(i)
          ?.innerText.trim() ?? '',
      n,
    )
  }

  /** Waits until the notebook on view is at rest: nothing runs, all is saved and drawn. */
  async waitIdle(limit = 45_000) {
    await this.until(
      () =>
        this.driver.run(async () => {
          const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
          const shown = (css) => [...document.querySelectorAll(css)].filter((e) => e.checkVisibility())
          const busy = () =>
            shown('[aria-busy="true"], article.cell .gutter .stop').length > 0 ||
            shown('footer .save').some((e) => /^(Typing|Saving)/.test(e.textContent))
          await drawn()
          // The page first: it shows a run as soon as it is requested. Then the program, and the page again, which learns of the end last.
          if (busy()) return false
          const file = document.querySelector('[data-group]:not(.rest) [role=tab][aria-selected=true]').dataset.tip.split('\n').at(-1)
          const view = await (await fetch(`/api/notebook?path=${encodeURIComponent(file)}`)).json()
          if (view.running.length > 0 || view.state.dirty || busy()) return false
          await drawn()
          return true
        }),
      'the notebook to come to rest',
      limit,
    )
  }

  /** A screenshot in the tests' output folder, refused when there is next to nothing on it. */
  async screenshot(name) {
    const file = path.join(outFolder, name)
    const picture = decode(await this.driver.screenshot(file))
    const { colours, most } = variety(picture)
    assert.ok(
      colours > 40 && most < 0.97,
      `${file} shows next to nothing: ${colours} colours, ${Math.round(most * 100)} % of it one of them`,
    )
    return picture
  }

  async until(check, what, limit = 45_000) {
    const end = Date.now() + limit
    for (;;) {
      const found = await check()
      if (found) return found
      if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`)
      await new Promise((done) => setTimeout(done, 30))
    }
  }
}

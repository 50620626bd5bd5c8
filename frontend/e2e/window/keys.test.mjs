// The keyboard of the real window: its engine takes the focus away, and gives
// it, in ways of its own.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { Paced } from '../lib/provider.mjs'
import { notebookText, World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

const limit = { timeout: 300_000 }

describe('the keyboard of the real window', () => {
  let world
  beforeEach(() => {
    world = new World({
      '.mutsumi/one.mtm': notebookText('One', [['first', 'yes']]),
      '.mutsumi/two.mtm': notebookText('Two', [['other', 'no']]),
    })
  })
  afterEach(() => world.remove())

  /** The focused element. */
  const focused = (w) =>
    w.driver.run(() => {
      const at = document.activeElement
      return !at || at === document.body
        ? 'body'
        : at.closest('.cm-editor')
          ? 'editor'
          : (at.getAttribute('role') ?? at.tagName.toLowerCase())
    })
  async function until(w, wanted, what) {
    let last
    await w
      .until(async () => (last = await focused(w)) === wanted, `${what}`)
      .catch((err) => {
        throw new Error(`${err.message}: the keyboard is at ${last}`)
      })
  }
  const row = (name) => `[role="treeitem"][aria-label^="${name},"]`
  const nameOf = (file) => world.notebook(file).metadata.name

  test('a press leaves the keyboard in the list, a double press on a tab renames, two Esc stop', limit, async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const w = await Window.open(t, world, { env: provider.env })
    await w.firstFrame(row('Two'))
    await w.toFront()
    desktop.press(await w.onScreen(row('One')))
    await w.driver.until(() => document.querySelectorAll('article.cell').length > 0, 'the notebook')
    desktop.press(await w.onScreen(row('Two')))
    await w.driver.until(
      () => [...document.querySelectorAll('[role=tab]')].some((e) => e.ariaSelected === 'true' && e.innerText.startsWith('Two')),
      'the other notebook',
    )
    await until(w, 'tree', 'the list to keep the keyboard')
    desktop.pressKeys('F2')
    await until(w, 'input', 'the name to be edited')
    await w.driver.press('Second')
    desktop.pressKeys('Return')
    await w.until(() => nameOf('.mutsumi/two.mtm') === 'Second', 'the new name in the file')
    await until(w, 'tree', 'the list, after the rename')

    desktop.press(await w.onScreen('[role=tab][aria-selected=true] .name'), 2)
    await until(w, 'input', 'the name to be edited in the tab')
    await w.driver.press('Third')
    desktop.pressKeys('Return')
    await w.until(() => nameOf('.mutsumi/two.mtm') === 'Third', 'the name of the tab in the file')
    await until(w, 'tab', 'the tab, after the rename')

    await w.type('count')
    await w.run()
    const exchange = await provider.next()
    exchange.text('one, ')
    await w.driver.until(() => [...document.querySelectorAll('.status')].some((e) => e.innerText.includes('to stop')), 'the keys that stop')
    desktop.pressKeys('Escape')
    await until(w, 'article', 'the cell')
    desktop.pressKeys('Escape', 'Escape')
    await exchange.closed
    await w.waitIdle()
    assert.notEqual(await focused(w), 'body')

    await w.type('again')
    await w.run()
    const second = await provider.next()
    second.text('one, ')
    await w.driver.until(() => document.querySelectorAll('.gutter .stop').length > 0, 'the button')
    // The button disappears with the run that it stops, the focus does not.
    desktop.press(await w.onScreen('[data-focus="home"] button[aria-keyshortcuts="Control+."]'))
    await second.closed
    await w.waitIdle()
    await w.until(async () => (await focused(w)) !== 'body', 'the keyboard to have a place after Stop')
    await w.focusPrompt()
    desktop.pressKeys('ctrl+w')
    await w.driver.until(() => document.querySelectorAll('[role=tab]').length === 1, 'the tab to close')
    await w.until(async () => (await focused(w)) !== 'body', 'the keyboard to have a place after a tab was closed')
    await w.close()
  })

  test('Tab with Shift goes back in a list, among tabs and in the palette', limit, async (t) => {
    const cells = Array.from({ length: 60 }, (_, n) => [
      `Question ${n}`,
      `[link ${n}](https://example.com/${n})\n\n${'words '.repeat(400)}`,
    ])
    world.write('.mutsumi/three.mtm', notebookText('Three', cells))
    const w = await Window.open(t, world)
    await w.firstFrame(row('Three'))
    await w.toFront()
    const inFront = (name) =>
      w.driver.until(
        (wanted) => [...document.querySelectorAll('[role=tab]')].some((e) => e.ariaSelected === 'true' && e.innerText.startsWith(wanted)),
        `${name} in front`,
        name,
      )
    for (const name of ['One', 'Three']) {
      desktop.press(await w.onScreen(row(name)))
      await inFront(name)
    }
    // The cells above the focused one are not drawn while the view is at the end.
    const shows = (name) =>
      w.driver.until((name) => [...document.querySelectorAll('.answer a')].some((e) => e.innerText === name), `${name} to be drawn`, name)
    const scroll = (share) =>
      w.driver.run((share) => {
        const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
        if (list) list.scrollTop = share * list.scrollHeight
      }, share)
    const label = () => w.driver.run(() => document.activeElement.ariaLabel ?? document.activeElement.innerText)
    await w.until(async () => {
      await scroll(0.5)
      await w.driver.run(() =>
        [...document.querySelectorAll('button[aria-label^="Run cell"]')]
          .find((e) => e.checkVisibility({ visibilityProperty: true }))
          ?.focus(),
      )
      return (await label())?.startsWith('Run cell')
    }, 'a cell in the middle to have the focus')
    const at = Number((await label()).split(' ').at(-1))
    await scroll(1)
    await shows('link 59')
    for (const wanted of [`link ${at - 2}`, `Run cell ${at - 1}`, `link ${at - 3}`]) {
      desktop.pressKeys('shift+Tab')
      await w.until(async () => (await label()) === wanted, `${wanted} to have the focus`)
    }

    desktop.pressKeys('ctrl+shift+Tab')
    await inFront('One')

    const field = (name) => w.driver.until((name) => document.activeElement.ariaLabel === name, `the field "${name}"`, name)
    desktop.pressKeys('ctrl+k')
    await field('Find commands, agents, cells, files, settings')
    await w.driver.press('theme')
    await w.driver.until(
      () => document.querySelector('dialog:modal [role=option][aria-selected=true]')?.innerText.includes('Theme'),
      'the setting to be found',
    )
    desktop.pressKeys('Tab')
    await field('Search themes')
    desktop.pressKeys('shift+Tab')
    await field('Find commands, agents, cells, files, settings')
    desktop.pressKeys('Escape')
    await w.close()
  })

  test('the focus is shown that a key moves after a press of the mouse', limit, async (t) => {
    const w = await Window.open(t, world)
    await w.firstFrame(row('One'))
    await w.toFront()
    for (const name of ['One', 'Two']) {
      desktop.press(await w.onScreen(row(name)))
      await w.driver.until(
        (wanted) => [...document.querySelectorAll('[role=tab]')].some((e) => e.ariaSelected === 'true' && e.innerText.startsWith(wanted)),
        `${name} in front`,
        name,
      )
    }
    desktop.press(await w.onScreen('[role=tab][aria-selected=true] .name'))
    await until(w, 'tab', 'the tab to have the keyboard')
    const at = () => w.driver.run(() => [document.activeElement.innerText.trim(), document.activeElement.matches(':focus-visible')])
    assert.deepEqual(await at(), ['Two', false], 'a press of the mouse shows no focus')
    desktop.pressKeys('Left')
    await w.until(async () => (await at())[0] === 'One', 'the other tab to have the keyboard')
    assert.deepEqual(await at(), ['One', true])
    await w.close()
  })

  test('Escape empties the search of the settings, then closes them', limit, async (t) => {
    const w = await Window.open(t, world)
    await w.firstFrame(row('Two'))
    await w.toFront()
    desktop.pressKeys('ctrl+comma')
    const search = 'dialog:modal [aria-label="Search settings"]'
    await w.driver.until((css) => document.querySelector(css) !== null, 'the settings', search)
    await w.driver.click(search)
    await w.driver.press('font')
    const text = (wanted) =>
      w.driver.until(({ search, wanted }) => document.querySelector(search)?.value === wanted, `the text "${wanted}"`, { search, wanted })
    await text('font')
    desktop.pressKeys('Escape')
    await text('')
    desktop.pressKeys('Escape')
    await w.driver.until(() => document.querySelector('dialog:modal') === null, 'the settings to close')
    await w.close()
  })

  test('Ctrl+K finds an agent; a changed key works immediately and after a restart', limit, async (t) => {
    let w = await Window.open(t, world)
    await w.firstFrame(row('Two'))
    await w.toFront()
    const inFront = (name) =>
      w.driver.until(
        (wanted) => [...document.querySelectorAll('[role=tab]')].some((e) => e.ariaSelected === 'true' && e.innerText.startsWith(wanted)),
        `${name} in front`,
        name,
      )
    const palette = (shown) =>
      w.driver.until(
        (wanted) => (document.querySelector('dialog:modal [role=combobox]') !== null) === wanted,
        `the palette ${shown ? 'to open' : 'to close'}`,
        shown,
      )
    desktop.pressKeys('ctrl+k')
    await palette(true)
    await w.driver.press('@tw')
    await w.driver.until(
      () => document.querySelector('dialog:modal [role=option][aria-selected=true]')?.innerText.trim().startsWith('Two'),
      'the agent to be found',
    )
    desktop.pressKeys('Return')
    await palette(false)
    await inFront('Two')

    desktop.press(await w.onScreen(row('One')))
    await inFront('One')
    desktop.pressKeys('question')
    const button = '[id="keys-window.find"]'
    await w.driver.until((css) => document.querySelector(css) !== null, 'the list of keys', button)
    await w.driver.click(button)
    await w.driver.until((css) => document.querySelector(css).getAttribute('aria-pressed') === 'true', 'keys to be waited for', button)
    desktop.pressKeys('ctrl+shift+y')
    await w.driver.until((css) => /Y/.test(document.querySelector(css).innerText), 'the new keys', button)
    desktop.pressKeys('Escape')
    await w.driver.until(() => document.querySelector('dialog:modal') === null, 'the list to close')
    desktop.pressKeys('ctrl+shift+y')
    await palette(true)
    desktop.pressKeys('Escape')
    await palette(false)
    await w.close()

    w = await Window.open(t, world)
    await w.firstFrame(row('Two'))
    await w.toFront()
    desktop.pressKeys('ctrl+shift+y')
    await palette(true)
    desktop.pressKeys('Escape')
    await palette(false)
    await w.close()
  })
})

// Text in the real window: the menu of the right button, the tooltip,
// and the weight of letters.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { World } from '../lib/world.mjs'
import { keys } from './driver.mjs'
import { Window } from './window.mjs'

const limit = { timeout: 300_000 }

describe('text in the window', () => {
  let world
  beforeEach(() => {
    world = new World({ 'README.md': '# Garden\n' })
  })
  afterEach(() => world.remove())

  const mouse = (...what) => execFileSync('xdotool', what.map(String))
  const labels = (driver) =>
    driver.run(() =>
      [...document.querySelectorAll('[role=menu] [role=menuitem]')].map(
        (e) => e.querySelector('.label').textContent + (e.getAttribute('aria-disabled') ? ' -' : ''),
      ),
    )

  test('the right button cuts, copies, pastes and selects; a tooltip is our own', limit, async (t) => {
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.toFront()
    const { driver } = window
    await window.newAgent()
    await window.type('/demo markdown')
    await window.run()
    await window.waitIdle()

    const menuAt = async (css) => {
      const at = await window.onScreen(css)
      mouse('mousemove', Math.round(at.x), Math.round(at.y), 'click', 3)
      await driver.until(() => document.querySelector('[role=menu]')?.contains(document.activeElement), 'the menu')
      return labels(driver)
    }
    const choose = async (label) => {
      await driver.click(
        (text) => [...document.querySelectorAll('[role=menuitem]')].find((e) => e.querySelector('.label').textContent === text),
        label,
      )
      await driver.until(() => !document.querySelector('[role=menu]'), 'the menu to close')
    }

    // A menu takes the focus. The selection comes back with it, although the page is busy meanwhile.
    await window.type('some words')
    await driver.press([keys.control, 'a'])
    await driver.until(() => getSelection().toString() === 'some words', 'all to be selected')
    await menuAt('.cm-content')
    await driver.run(() => {
      const busy = () => {
        for (const end = performance.now() + 300; performance.now() < end;);
        document.addEventListener('selectionchange', () => (globalThis.told = true), { once: true })
      }
      document.addEventListener('focusin', busy, { once: true })
    })
    await driver.press([keys.escape])
    await driver.until(() => globalThis.told, 'WebKit to have told where the selection is')
    await driver.press('!')
    await driver.until(() => document.querySelector('.cm-focused').innerText.trim() === '!', 'the selection to be replaced')
    await driver.press([keys.backspace])

    // On a busy machine timers run late, and WebKit tells late where the selection is.
    await driver.run(() => {
      const { setTimeout } = globalThis
      globalThis.setTimeout = (run, ms = 0, ...args) => setTimeout(run, ms + 500, ...args)
      const tellLate = (e) => {
        if (!e.isTrusted) return
        e.stopImmediatePropagation()
        setTimeout(() => document.dispatchEvent(new Event('selectionchange')), 500)
      }
      globalThis.addEventListener('selectionchange', tellLate, true)
    })

    await window.type('some words')
    assert.deepEqual(await menuAt('.cm-content'), ['Cut -', 'Copy -', 'Paste', 'Select all'])
    await choose('Select all')
    await driver.until(() => getSelection().toString() === 'some words', 'all to be selected')
    assert.deepEqual(await menuAt('.cm-content'), ['Cut', 'Copy', 'Paste', 'Select all'])
    await choose('Cut')
    await driver.until(() => !document.querySelector('.cm-focused').innerText.includes('some words'), 'the words to be cut')
    await menuAt('.cm-content')
    await choose('Paste')
    await driver.until(() => document.querySelector('.cm-focused').innerText.trim() === 'some words', 'the words to be pasted')

    // Text that is read.
    await driver.run(() => {
      const heading = [...document.querySelectorAll('.answer h2, .answer h3, .answer p')].at(-1)
      heading.id = 'read'
      heading.scrollIntoView({ block: 'center' })
      const range = document.createRange()
      range.selectNodeContents(heading)
      getSelection().removeAllRanges()
      getSelection().addRange(range)
    })
    assert.deepEqual(await menuAt('#read'), ['Copy', 'Select all'])
    const wanted = await driver.run(() => document.getElementById('read').innerText)
    await choose('Copy')
    await driver.until(
      (text) => window.runtime.ClipboardGetText().then((now) => now.trim() === text.trim()),
      'the text on the clipboard',
      wanted,
    )

    // A field.
    assert.deepEqual(await menuAt('input[aria-label="Search agents"]'), ['Cut -', 'Copy -', 'Paste', 'Select all'])
    await choose('Paste')
    await driver.until(
      (text) => document.querySelector('input[aria-label="Search agents"]').value.trim() === text.trim(),
      'the text in the field',
      wanted,
    )

    const at = await window.onScreen('button[aria-label="Settings"]')
    mouse('mousemove', Math.round(at.x) - 3, Math.round(at.y), 'mousemove', Math.round(at.x), Math.round(at.y))
    await driver.until(() => document.querySelector('#tip:popover-open')?.textContent.startsWith('Settings'), 'the tooltip')

    assert.equal(
      await driver.run(() => getComputedStyle(document.body).fontWeight),
      (await driver.run(() => document.documentElement.dataset.theme)) === 'light' ? '450' : '380',
    )
  })
})

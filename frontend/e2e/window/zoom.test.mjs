// A zoomed page in the real window: its engine zooms some things twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

test('icons of dialogs keep their weight at 200 %', { timeout: 300_000 }, async (t) => {
  const world = new World()
  t.after(() => world.remove())
  const w = await Window.open(t, world)
  const { driver } = w
  await w.firstFrame()
  await w.toFront()
  /** How much ink there is in the settings' icon for closing, per pixel of its box. */
  const ink = async () => {
    desktop.pressKeys('ctrl+comma')
    const icon = 'dialog:modal header button[aria-label="Close"] svg'
    await driver.until((css) => document.querySelector(css) !== null, 'the settings', icon)
    // WebKit gives the place of a zoomed element in pixels before the zoom.
    const { x, y, zoom } = await driver.run((css) => {
      const box = document.querySelector(css).getBoundingClientRect()
      const zoom = Number(document.documentElement.style.getPropertyValue('--zoom')) || 1
      return { x: (box.x + box.width / 2) * zoom, y: (box.y + box.height / 2) * zoom, zoom }
    }, icon)
    const picture = await w.screenshot('zoomed-dialog.png')
    desktop.pressKeys('Escape')
    await driver.until(() => !document.querySelector('dialog:modal'), 'the settings to close')
    const half = 8 * zoom
    let sum = 0
    for (let dy = -half; dy < half; dy++)
      for (let dx = -half; dx < half; dx++) sum += 255 - picture.at(Math.round(x + dx), Math.round(y + dy))[1]
    return sum / (2 * half) ** 2
  }
  const usual = await ink()
  await w.zoomIn(200)
  const zoomed = await ink()
  assert.ok(usual > 5, `an icon at 100 %: ${usual}`)
  assert.ok(Math.abs(zoomed / usual - 1) < 0.3, `at 200 % ${zoomed / usual} times as much ink as at 100 %`)
})

test('a tooltip is where it belongs at 200 %, over a dialog too', { timeout: 300_000 }, async (t) => {
  const world = new World()
  t.after(() => world.remove())
  const w = await Window.open(t, world)
  const { driver } = w
  await w.firstFrame()
  await w.toFront()
  const { id } = w.place()
  desktop.resizeWindow(id, 1000, 750)
  await w.zoomIn(200)
  /** Middles of an element and of the tooltip, in pixels of the zoomed page; scaled: the element is outside of dialogs. */
  const beside = (css, words, scaled) =>
    driver.until(
      ({ css, words, scaled }) => {
        const tip = document.querySelector('#tip:popover-open')
        if (!tip?.textContent.startsWith(words) || getComputedStyle(tip).left === 'auto') return false
        const middle = (e, by) => (({ x, width }) => (x + width / 2) / by)(e.getBoundingClientRect())
        return { element: middle(document.querySelector(css), scaled ? 2 : 1), tip: middle(tip, 1), half: tip.offsetWidth / 2 }
      },
      `the tooltip of ${words}`,
      { css, words, scaled },
    )
  const near = ({ element, tip, half }, what) => {
    const edge = 500 - half - 20 // a tooltip stays within the window
    assert.ok(Math.abs(tip - Math.min(element, edge)) < 12, `${what} at ${element}, its tooltip at ${tip}`)
  }

  const settings = 'button[aria-label="Settings"]'
  const { x, y } = w.place()
  const at = await driver.run(
    (css) => (({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector(css).getBoundingClientRect()),
    settings,
  )
  desktop.act('mousemove', Math.round(x + at.x) - 4, Math.round(y + at.y), 'mousemove', Math.round(x + at.x), Math.round(y + at.y))
  near(await beside(settings, 'Settings', true), 'the button')

  desktop.pressKeys('question')
  const close = 'dialog:modal header button[aria-label="Close"]'
  await driver.until((css) => document.activeElement?.matches(css), 'the list of keys', close)
  near(await beside(close, 'Close', false), 'the button of the dialog')
})

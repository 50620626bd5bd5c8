// Dialogs in the real window: nothing behind them is drawn over them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notebookText, World } from '../lib/world.mjs'
import { keys } from './driver.mjs'
import { Window } from './window.mjs'

test('a scroll bar that was just used is not drawn over a dialog', { timeout: 300_000 }, async (t) => {
  const world = new World({ '.mutsumi/long.mtm': notebookText('Long', [['Show it', 'A line of text.\n\n'.repeat(300)]]) })
  t.after(() => world.remove())
  const window = await Window.open(t, world)
  const { driver } = window
  await driver.until(() => document.querySelector('[role=treeitem]'), 'the agent')
  await window.toFront()
  await driver.click('[role=treeitem]')
  await driver.until(() => document.querySelectorAll('.answer p').length > 20, 'its answer')
  await driver.until(() => {
    const list = document.querySelector('.virtual')
    list.scrollTop = list.scrollHeight / 2
    return list.scrollTop > 0
  }, 'the middle of the answer')
  await driver.press([keys.control, 'k'])
  await driver.until(() => document.querySelector('dialog:modal .ahead > *'), 'the palette')
  const empty = await driver.run(() => {
    const bar = document.querySelector('.virtual').getBoundingClientRect().right
    const ahead = document.querySelector('dialog:modal .ahead > :last-child').getBoundingClientRect()
    return {
      left: bar - 8,
      right: bar,
      top: ahead.bottom + 4,
      bottom: document.querySelector('dialog:modal .about').getBoundingClientRect().top - 16,
    }
  })
  assert.ok(empty.bottom - empty.top > 200, JSON.stringify(empty))
  const picture = await window.screenshot('dialog.png')
  const colours = new Set()
  for (let y = Math.ceil(empty.top); y < empty.bottom; y++)
    for (let x = Math.ceil(empty.left); x < empty.right; x++) colours.add(picture.at(x, y).join())
  assert.equal(colours.size, 1, [...colours].join(' and '))
})

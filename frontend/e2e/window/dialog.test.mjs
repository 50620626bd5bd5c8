// Dialogs in the real window: nothing behind them is drawn over them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notebookText, World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
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

test('the scroll bar of code under the mouse is not drawn over a dialog', { timeout: 300_000 }, async (t) => {
  const code = `\`\`\`js\nlet a = '${'z'.repeat(400)}'\n\`\`\`\n`
  const world = new World({ '.mutsumi/code.mtm': notebookText('Code', [['Show it', `${'A line of text.\n\n'.repeat(8)}${code}`]]) })
  t.after(() => world.remove())
  const window = await Window.open(t, world)
  const { driver } = window
  await driver.until(() => document.querySelector('[role=treeitem]'), 'the agent')
  await window.toFront()
  await driver.click('[role=treeitem]')
  const box = await driver.until(
    () =>
      [...document.querySelectorAll('.answer pre')]
        .filter((e) => e.scrollWidth > e.clientWidth)
        .map((e) => (({ left, right, bottom }) => ({ left, right, bottom }))(e.getBoundingClientRect()))[0],
    'the code',
  )
  const { x, y } = window.place()
  for (const at of [300, 200, 100]) desktop.act('mousemove', Math.round(x + box.left + at), Math.round(y + box.bottom - 5))
  await driver.press([keys.control, 'k'])
  const list = await driver.until(() => {
    const rows = document.querySelectorAll('dialog:modal [role=option]')
    if (rows.length === 0 || !document.querySelector('dialog:modal .ahead > *')) return false
    return { right: rows[0].getBoundingClientRect().right, bottom: [...rows].at(-1).getBoundingClientRect().bottom }
  }, 'the palette')
  assert.ok(box.bottom > list.bottom + 20, JSON.stringify({ box, list }))
  const picture = await window.screenshot('dialog-code.png')
  const colours = new Set()
  for (let py = Math.ceil(box.bottom) - 14; py < box.bottom; py++)
    for (let px = Math.ceil(box.left); px < Math.min(box.right, list.right); px++) colours.add(picture.at(px, py).join())
  assert.equal(colours.size, 1, [...colours].join(' and '))
})

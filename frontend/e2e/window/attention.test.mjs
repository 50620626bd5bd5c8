// How the real window gets the person's attention: notifications of the desktop, the count in its
// title, and the way back from a click.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { Paced } from '../lib/provider.mjs'
import { World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

test('while the person looks elsewhere the desktop notifies them, and a click leads back', { timeout: 300_000 }, async (t) => {
  const world = new World()
  t.after(() => world.remove())
  const provider = await Paced.start()
  t.after(() => provider.stop())
  const notes = await desktop.Notifications.start(t)
  const window = await Window.open(t, world, { env: provider.env })
  await window.firstFrame()
  const { id } = window.place()
  await window.toFront()
  await window.newAgent()
  await window.type('Write a file')
  await window.run()
  const first = await provider.next()
  await window.newAgent() // another one is on view
  desktop.lookAway(t)
  await window.driver.until(() => !document.hasFocus(), 'the window to lose the keyboard')

  first.text('I write it. ')
  first.call('write_file', { uri: 'a.txt', content: '<b>x</b>' })
  first.end()
  await window.until(() => notes.shown.length > 0, 'a notification')
  assert.match(notes.shown[0].title, / needs you$/)
  assert.equal(notes.shown[0].body, 'writing a.txt')
  await window.until(() => desktop.titleOf(id) === '(1) workspace - Mutsumi', 'the count in the title')
  await window.until(() => notes.badge === 1, 'the count on the icon')
  await sleep(1500)
  assert.equal(notes.shown.length, 1, 'one notification')

  notes.click(notes.shown[0].id)
  await window.driver.until(
    () => [...document.querySelectorAll('article.cell')].some((e) => e.checkVisibility() && e.innerText.includes('Write a file')),
    'the cell that asks',
  )
  await window.driver.until(() => document.hasFocus(), 'the window to have the keyboard again').catch(() => desktop.focus(id)) // without a window manager nobody gives it
  await window.until(() => notes.gone.includes(notes.shown[0].id), 'the notification to be taken away')
  await window.screenshot('attention.png')
})

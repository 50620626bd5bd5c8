// The middle button in the real window: it pastes what is selected, not what is on the clipboard.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { test } from 'node:test'
import { World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

/** Another program has a text selected, or on the clipboard, until test t ends. */
async function holds(t, selection, text) {
  const owner = spawn('xclip', ['-quiet', '-selection', selection, '-i'], { stdio: ['pipe', 'ignore', 'pipe'] })
  t.after(() => owner.kill('SIGTERM'))
  const ready = new Promise((done) => owner.stderr.once('data', done))
  owner.stdin.end(text)
  await ready
  assert.equal(execFileSync('xclip', ['-o', '-selection', selection], { encoding: 'utf8', timeout: 10_000 }), text)
}

test('the middle button pastes the selection where it is pressed', { timeout: 300_000 }, async (t) => {
  const world = new World()
  t.after(() => world.remove())
  const w = await Window.open(t, world)
  await w.firstFrame()
  await w.toFront()
  await w.newAgent()
  await w.type('one two')
  await holds(t, 'clipboard', 'copied')
  await holds(t, 'primary', 'selected\nelsewhere')
  const { x, y } = w.place()
  const start = await w.driver.run(() => {
    const range = document.createRange()
    range.selectNodeContents(document.querySelector('.cm-focused .cm-line'))
    const box = range.getBoundingClientRect()
    return { x: box.left, y: box.top + box.height / 2 }
  })
  desktop.act('mousemove', Math.round(x + start.x), Math.round(y + start.y), 'click', 2)
  await w
    .until(async () => (await w.promptText()) === 'selected\nelsewhereone two', `the selection in the prompt`)
    .catch(async (err) => {
      throw new Error(`${err.message}: ${await w.promptText()}`)
    })
  await w.driver.press('!')
  await w.until(async () => (await w.promptText()) === 'selected\nelsewhere!one two', 'the caret behind it')
  await w.driver.press('\uE003')
  desktop.pressKeys('ctrl+v')
  await w.until(async () => (await w.promptText()) === 'selected\nelsewherecopiedone two', 'the clipboard by its keys, as it is')
})

// Dragging out of the real window, as another program receives it.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { encode } from '../lib/png.mjs'
import { notebookText, World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

describe('dragged out of the window', () => {
  let world
  beforeEach(() => {
    world = new World({
      '.mutsumi/one.mtm': notebookText('One', [['How much? 多少\nAnd ![plan](plans/my%20plan.png)', 'About **10 mm**.']]),
      'plans/my plan.png': encode(64, 48, () => [60, 120, 60]),
    })
  })
  afterEach(() => world.remove())

  test('another program gets a cell as Markdown and a picture as its file', { timeout: 300_000 }, async (t) => {
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.toFront()
    await window.driver.click('[role=treeitem]')
    await window.until(async () => (await window.answerText()).includes('About'), 'the notebook')
    await window.driver.until(
      () => [...document.querySelectorAll('article.cell img')].some((i) => i.complete && i.naturalWidth > 0),
      'the picture in the cell',
    )
    const before = fs.readFileSync(world.path('workspace', '.mutsumi', 'one.mtm'), 'utf8')

    const text = await desktop.dragOut(await window.onScreen('article.cell[aria-label="Cell 1"] .number'))
    t.diagnostic(JSON.stringify(text))
    const plain = text['text/plain;charset=utf-8'] ?? text['UTF8_STRING'] ?? text['text/plain']
    assert.match(plain, /> How much\? 多少[^]*About \*\*10 mm\*\*/)

    const file = await desktop.dragOut(await window.onScreen('article.cell[aria-label="Cell 1"] .thumb'))
    t.diagnostic(JSON.stringify(file))
    const url = pathToFileURL(fs.realpathSync(world.path('workspace', 'plans', 'my plan.png'))).href
    assert.equal(file['text/uri-list']?.trim(), url)

    assert.equal(fs.readFileSync(world.path('workspace', '.mutsumi', 'one.mtm'), 'utf8'), before, 'the notebook stays as it is')
    await window.close()
  })
})

// A notebook of 5,000 cells: it opens at once, scrolls without blank places,
// and is typed in without lag. What is asserted are amounts (rows in the page,
// frames, requests), not the speed of this machine.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { manyCells } from '../../bench/workload.mjs'
import { App, closeBrowser } from './lib/app.mjs'
import { World } from './lib/world.mjs'

describe('5,000 cells', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('open, scroll, jump, type', async (t) => {
    const world = new World()
    world.write('.mutsumi/many.mtm', manyCells(5000, world.folder))
    const app = await App.start(t, { world })
    await app.openAgent('5000 cells')
    await app.until(async () => (await app.answerText()).length > 0, 'an answer on the screen')
    assert.ok((await app.page.locator('article.cell').count()) < 60, 'only what is near the screen is in the page')

    for (const to of [0, 0.25, 0.5, 0.75, 1, 0.1]) {
      await app.scrollTo(to)
      await app.until(async () => (await app.page.locator('article.cell:visible').count()) > 0 && (await app.page.locator('article.cell:visible .absent').count()) === 0, `the cells at ${to} to be whole`)
      assert.ok((await app.page.locator('article.cell').count()) < 80)
    }
    await app.scrollTo(0)
    await app.cell(1).waitFor()
    assert.match(await app.promptText(1), /^Question 0:/)

    // Typing in the first of 5,000: each key arrives, the page stays small, and the whole is saved once it rests.
    await app.typePrompt('The quick brown fox jumps over the lazy dog. '.repeat(4), 1)
    await app.page.keyboard.press('Escape')
    await app.waitIdle()
    const doc = world.notebook('.mutsumi/many.mtm')
    assert.equal(doc.context.length, 10_000)
    assert.equal(doc.context[0].content, 'The quick brown fox jumps over the lazy dog. '.repeat(4))
    assert.match(doc.context[9998].content, /^Question 4999:/)
  })
})

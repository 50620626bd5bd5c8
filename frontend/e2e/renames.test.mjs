// The file of an open notebook is renamed by another program, or a folder above it: whoever types,
// reads or waits for an answer goes on as if nothing had happened.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

const garden = notebookText('Garden', [
  ['Plan the beds', 'Three of them.'],
  ['Water them', 'Every day.'],
])
const kitchen = notebookText('Kitchen', [['Cook', 'Soup.']])
/** In command mode some of these letters would delete cells. */
const words = 'please add a ladder to the added buddy list and then sudden daddy '.repeat(2).split(/(?<= )/)

const rename = (app, from, to) => fs.renameSync(path.join(app.world.folder, from), path.join(app.world.folder, to))
const prompts = (app, file) =>
  app.world
    .notebook(file)
    .context.filter((m) => m.role === 'user')
    .map((m) => m.content)
/** Waits until the prompts of a file are as wanted. */
async function untilPrompts(app, file, wanted) {
  let now
  const same = () => app.world.exists(file) && JSON.stringify((now = prompts(app, file))) === JSON.stringify(wanted)
  await app.until(same, 'the prompts in the file').catch((e) => assert.deepEqual(now, wanted, e.message))
}

describe('a renamed file', { timeout: 600_000 }, () => {
  after(closeBrowser)

  test('a folder is renamed while somebody types: the caret, both groups and another window go on', async (t) => {
    const app = await App.start(t, { viewport: { width: 1440, height: 900 }, files: { 'work/now/garden.mtm': garden } })
    await app.openAgent('Garden')
    const other = await app.openTab()
    await app.openAgent('Garden', other)
    await app.page.bringToFront()
    await app.page.keyboard.press('Control+\\')
    const right = app.page.locator('[data-group]').nth(1)
    const prompt = right.locator('article.cell:visible .prompt').nth(1)
    await prompt.click()
    await prompt.locator('.cm-focused').waitFor()
    await app.page.keyboard.press('Control+Home')
    const editor = await prompt.locator('.cm-content').elementHandle()
    for (const [i, word] of words.entries()) {
      if (i === 5) rename(app, 'work', 'done')
      await app.page.keyboard.type(word, { delay: 10 })
    }
    await app.until(async () => (await app.activePath()) === 'done/now/garden.mtm', 'the tab to follow')
    await app.page.keyboard.type('and now: ')
    const text = `${words.join('')}and now: Water them`
    await untilPrompts(app, 'done/now/garden.mtm', ['Plan the beds', text])
    assert.equal(await editor.evaluate((e) => e === document.activeElement), true, 'it is the same editor')
    const left = app.page.locator('[data-group]').nth(0).locator('article.cell:visible .prompt').nth(1)
    await app.until(async () => (await left.innerText()).includes(text), 'the text in the other group')
    await app.until(async () => (await app.promptText(2, other)).includes(text), 'the text in the other window')
    assert.equal(await app.activePath(other), 'done/now/garden.mtm')
    assert.equal(app.world.exists('work'), false)
    assert.equal(await app.page.locator('[role="alert"]:visible').count(), 0)
  })

  test('a file is renamed to and fro while somebody types: nobody is asked anything', async (t) => {
    const app = await App.start(t, { files: { 'a.mtm': garden } })
    await app.openAgent('Garden')
    await app.editPrompt(2)
    await app.page.keyboard.press('Control+End')
    let now = 'a'
    const to = (name) => {
      rename(app, `${now}.mtm`, `${name}.mtm`)
      now = name
    }
    for (const [i, word] of words.entries()) {
      if (i % 3 === 2) to(now === 'a' ? 'b' : 'a')
      if (i % 6 === 5) to(now === 'a' ? 'b' : 'a')
      await app.page.keyboard.type(word, { delay: 25 })
      assert.equal(await app.page.locator('.cm-focused:visible').count(), 1, `after ${i} words`)
    }
    await untilPrompts(app, `${now}.mtm`, ['Plan the beds', `Water them${words.join('')}`])
    await app.until(async () => (await app.activePath()) === `${now}.mtm`, 'the tab to follow')
  })

  test('an answer streams on while the next prompt is typed', async (t) => {
    const paced = await Paced.start()
    t.after(() => paced.stop())
    const app = await App.start(t, { files: { 'a.mtm': garden }, env: paced.env })
    await app.openAgent('Garden')
    await app.editPrompt(-1)
    await app.page.keyboard.type('Weed them')
    await app.page.keyboard.press('Control+Enter')
    const request = await paced.next()
    request.text('One bed')
    await app.page.getByText('One bed').waitFor()
    await app.page.locator('.cm-focused').waitFor()
    for (const [i, word] of words.entries()) {
      if (i === 5) rename(app, 'a.mtm', 'b.mtm')
      request.text(` and bed ${i}`)
      await app.page.keyboard.type(word, { delay: 10 })
    }
    request.end()
    const answer = `One bed${words.map((_, i) => ` and bed ${i}`).join('')}`
    await untilPrompts(app, 'b.mtm', ['Plan the beds', 'Water them', 'Weed them', words.join('')])
    await app.until(() => app.world.notebook('b.mtm').context.some((m) => m.content === answer), 'the answer in the file')
    await app.until(async () => (await app.answerText(2)).includes(answer), 'the answer on the screen')
    assert.equal(await app.page.locator('.cm-focused').count(), 1)
  })

  test('a closed tab is reopened under the name that its file has', async (t) => {
    const app = await App.start(t, { files: { 'a.mtm': garden, 'k.mtm': kitchen } })
    await app.openAgent('Kitchen')
    await app.openAgent('Garden')
    await app.page.keyboard.press('Control+w')
    await app.until(async () => (await app.activePath()) === 'k.mtm', 'the tab to close')
    rename(app, 'a.mtm', 'b.mtm')
    await app.until(async () => (await app.call('Snapshot')).ui.closed?.includes('b.mtm'), 'the name of the closed tab to be kept')
    await app.page.keyboard.press('Control+Shift+t')
    await app.until(async () => (await app.activePath()) === 'b.mtm', 'the tab to come back')
    assert.match(await app.promptText(1), /Plan the beds/)
  })
})

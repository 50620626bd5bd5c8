// Things that an answer names: files and pictures of the folder, footnotes and keys, and nothing
// from elsewhere. And the small things around a prompt.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { encode } from './lib/png.mjs'
import { notebookText } from './lib/world.mjs'

const answer = `See [the plan](notes/plan.md#L2-L3), \`src/today.py:2\` and [this](../outside.md).

![Rain](charts/rain.png) ![Secret](/etc/secret.png) ![Elsewhere](https://evil.example/track.png)

Press <kbd>Ctrl</kbd> for H<sub>2</sub>O[^1].

[^1]: Measured by hand.`

describe('answers', { timeout: 900_000 }, () => {
  after(closeBrowser)

  test('files, pictures, footnotes and keys of an answer', async (t) => {
    const files = {
      'notes/plan.md': 'one\ntwo\nthree\nfour\n',
      'src/today.py': 'import sys\nprint("today")\n',
      'charts/rain.png': encode(320, 200, (x, y) => [x % 256, y % 256, 120]),
      '.mutsumi/a.mtm': notebookText('A', [['What?', answer]]),
    }
    const app = await App.start(t, { files })
    app.expectProblem(/status of 40[34].*api\/(image|file)/) // unreadable files are refused
    const { page } = app
    await app.openAgent('A')
    const text = app.answers().first()
    await text.getByRole('link', { name: 'the plan' }).click()
    const viewer = page.getByRole('dialog', { name: 'notes/plan.md:2:3' })
    await viewer.getByText('Lines 2 to 3').waitFor()
    await viewer.getByText('three').waitFor()
    await page.keyboard.press('Escape')
    await text.getByRole('link', { name: 'src/today.py:2' }).click()
    await page.getByRole('dialog', { name: 'src/today.py:2' }).getByText('print').first().waitFor()
    await page.keyboard.press('Escape')
    await text.getByRole('link', { name: 'this', exact: true }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    const rain = text.getByRole('img', { name: 'Rain' })
    await app.until(() => rain.evaluate((img) => img.complete && img.naturalWidth === 320), 'the picture')
    // Links that may not be read, or lead elsewhere, stay text; nothing was requested from elsewhere.
    await text.getByRole('link', { name: 'Secret' }).waitFor()
    assert.equal(await text.getByRole('img', { name: 'Secret' }).count(), 0)
    assert.equal(await text.getByRole('img', { name: 'Elsewhere' }).count(), 0)
    await rain.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Remove from the prompt' }).count(), 0)
    await page.keyboard.press('Escape')

    assert.deepEqual(await text.locator('kbd, sub, sup').allInnerTexts(), ['Ctrl', '2', '1', '1'])
    await text.locator('.footnote').getByText('Measured by hand.').waitFor()
  })

  test('a prompt that was just typed can be split, and its neighbour’s picture stands still while an answer streams', async (t) => {
    const app = await App.start(t, {
      files: {
        'charts/rain.png': encode(320, 200, (x, y) => [x % 256, y % 256, 120]),
        '.mutsumi/a.mtm': notebookText('A', [['/demo stream 4000 2000'], ['Look: ![Rain](charts/rain.png)'], ['x']]),
      },
    })
    const { page } = app
    await app.openAgent('A')
    await page.locator('.thumb img').waitFor()
    await page.evaluate(() => {
      window.lost = 0
      new MutationObserver((all) => {
        for (const m of all)
          for (const node of m.removedNodes)
            if (node.nodeType === 1 && (node.matches?.('.thumb img') || node.querySelector?.('.thumb img'))) window.lost++
      }).observe(document.body, { childList: true, subtree: true })
    })
    await app.editPrompt(1)
    await app.run()
    await app.waitIdle()
    assert.equal(await page.evaluate(() => window.lost), 0, 'the thumbnail was drawn anew')

    await app.scrollTo(1) // the answer is long, and what runs does not scroll
    // In an existing one, and in the empty one at the end that becomes one.
    for (const cell of [3, 5]) {
      await app.typePrompt('one two', cell)
      for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft')
      await app.cell(cell).getByRole('button', { name: 'Cell menu' }).click()
      await page.getByRole('menuitem', { name: 'Split at the caret' }).click()
      await app.until(async () => (await app.promptText(cell)) === 'one' && (await app.promptText(cell + 1)) === 'two', 'two prompts')
      // The second half gets the keyboard.
      const second = app.prompt(cell + 1).locator('.cm-focused')
      await second.waitFor()
      if (cell === 3) await page.keyboard.press('Escape')
      if (cell === 3) await page.keyboard.press('End')
      if (cell === 3) await page.keyboard.press('b')
    }
  })

  test('a long value of a macro has lines of its own', async (t) => {
    const app = await App.start(t, {
      files: { '.mutsumi/a.mtm': notebookText('A', [['{{WHO}}', 'x']], { macroContext: { WHO: 'me' } }) },
      viewport: { width: 1280, height: 860 },
    })
    const { page } = app
    await app.openAgent('A')
    const value = page.getByRole('textbox', { name: 'Value of WHO' })
    const height = () => value.evaluate((e) => e.offsetHeight)
    const low = await height()
    await value.fill('a first line that is longer than what fits beside the name\nand a second')
    assert.ok((await height()) > low + 15, `${low} px, then ${await height()}`)
    await value.press('Enter')
    await app.until(() => app.world.notebook().metadata.macroContext.WHO.endsWith('\nand a second'), 'the value in the file')
    assert.ok((await height()) > low + 15)
    await value.press('End')
    await value.press('x')
    await value.press('Escape')
    assert.match(await value.inputValue(), /and a second$/)
  })
})

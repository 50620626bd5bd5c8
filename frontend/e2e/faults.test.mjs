// A fault in one notebook is reported there, with a way out, and the rest of the window still works.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { notebookText, outFolder } from './lib/world.mjs'

describe('a fault in a notebook', { timeout: 300_000 }, () => {
  after(closeBrowser)

  test('it is reported in place, other notebooks work, and it can be shown again', async (t) => {
    const app = await App.start(t, {
      files: {
        '.mutsumi/one.mtm': notebookText('One', [['first question', 'first answer']]),
        '.mutsumi/two.mtm': notebookText('Two', [['second question', 'second answer']]),
      },
    })
    const { page } = app
    app.expectProblem(/Could not show this notebook/)
    await app.openAgent('Two')
    // Data that the list of cells needs fails, like a fault in any part of it would.
    await page.evaluate(() => {
      const real = ResizeObserver.prototype.observe
      globalThis.broken = true
      ResizeObserver.prototype.observe = function (element, ...rest) {
        if (globalThis.broken && element.closest('.book')) throw new Error('A fault on purpose.')
        return real.call(this, element, ...rest)
      }
    })
    await app.agent('One').click()
    const told = page.getByRole('alert').filter({ hasText: 'Could not show this notebook.' })
    await told.waitFor()
    assert.match(await told.innerText(), /A fault on purpose\./)
    await page.screenshot({ path: path.join(outFolder, 'fault.png') })

    // The notebook that was open still works: text typed in it is saved.
    await page.getByRole('tab', { name: /^Two,/ }).click()
    await app.typePrompt('typed beside the fault')
    await app.until(() => JSON.stringify(app.world.notebook('.mutsumi/two.mtm')).includes('typed beside the fault'), 'the text on the disk')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.getByRole('tab', { name: /^One,/ }).click()
    await page.evaluate(() => (globalThis.broken = false))
    await told.getByRole('button', { name: 'Show it again' }).click()
    await app.until(async () => (await app.answerText(0)) === 'first answer', 'the notebook')
    assert.equal(await told.count(), 0)
  })
})

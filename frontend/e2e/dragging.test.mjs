// Dragging out of a notebook: a cell as Markdown, a picture as its file.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { App, closeBrowser } from './lib/app.mjs'
import { encode } from './lib/png.mjs'
import { notebookText } from './lib/world.mjs'

describe('dragging', { timeout: 300_000 }, () => {
  after(closeBrowser)

  test('a cell is dragged as Markdown, a picture as a file', async (t) => {
    const app = await App.start(t, {
      files: {
        '.mutsumi/one.mtm': notebookText('One', [['How much?\nAnd ![plan](plans/my%20plan.png)', 'About **10 mm**.']]),
        'plans/my plan.png': encode(4, 4, () => [60, 120, 60]),
      },
    })
    const { page } = app
    await app.openAgent('One')
    const first = page.locator('article.cell').first()
    await first.locator('.number').dragTo(app.prompt(-1))
    await app.until(
      async () => /> How much\?[^]*About \*\*10 mm\*\*/.test(await app.prompt(-1).innerText()),
      'the cell in the other prompt',
    )
    assert.equal(await first.getByText('How much?').count(), 1, 'the cell stays as it is')

    /** The data that a drag of an element carries. */
    const taken = (element) =>
      element.evaluate((node) => {
        const data = new DataTransfer()
        const event = new DragEvent('dragstart', { bubbles: true, cancelable: true, dataTransfer: data })
        node.dispatchEvent(event)
        return { prevented: event.defaultPrevented, ...Object.fromEntries([...data.types].map((type) => [type, data.getData(type)])) }
      })
    const thumb = first.getByRole('button', { name: /^Open image/ })
    await thumb.waitFor()
    const file = pathToFileURL(fs.realpathSync(app.world.path('workspace', 'plans', 'my plan.png'))).href
    assert.equal((await taken(thumb))['text/uri-list'].trim(), file)
    // A prompt without a word has nothing to take along.
    await app.newAgent()
    assert.equal((await taken(page.locator('article.cell:visible').first().locator('.number'))).prevented, true)
  })
})

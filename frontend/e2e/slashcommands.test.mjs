// Commands of the folder: offered after a slash, put into the prompt by the palette, previewed and sent.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth } from './lib/axe.mjs'
import { notebookText, outFolder, World } from './lib/world.mjs'

const files = {
  'a.txt': 'of the file',
  '.mutsumi/commands/git/review.md':
    '---\ndescription: Reviews a file\nargument-hint: [file] [what for]\n---\nPlease review @[$1] for $2.\n',
  '.mutsumi/commands/explain.md': '---\ndescription: Explains it to a newcomer\n---\nExplain this: $ARGUMENTS\n',
  '.mutsumi/one.mtm': notebookText('One', []),
}

describe('commands of the folder', { timeout: 200_000 }, () => {
  after(closeBrowser)

  test('are offered after a slash, and their text is sent', async (t) => {
    const app = await App.start(t, { world: new World(files, { trusted: true }) })
    const { page } = app
    await app.openAgent('One')
    const list = page.getByRole('listbox')
    await app.typePrompt('/')
    await list.getByRole('option', { name: /explain.*Explains it to a newcomer/ }).waitFor()
    await page.keyboard.type('rev')
    const chosen = list.getByRole('option', { selected: true })
    await app.until(
      async () => /git:review \[file\] \[what for\]\s*Reviews a file/.test(await chosen.innerText().catch(() => '')),
      'the command',
    )
    assert.deepEqual(await findingsInBoth(page), [])
    await page.screenshot({ path: path.join(outFolder, 'slash.png') })
    await page.keyboard.press('Enter')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type('a.txt "the style"')
    assert.equal(await app.promptText(), '/git:review a.txt "the style"')
    await page.keyboard.press('Control+Shift+P')
    await page.getByText('Please review @[a.txt] for the style.').waitFor()
    await page.getByText('/git:review, from .mutsumi/commands/git/review.md').waitFor()
    await page.screenshot({ path: path.join(outFolder, 'slash-preview.png') })
    await page.keyboard.press('Escape')
    await app.run()
    await page.getByText('of the file', { exact: true }).waitFor()
    assert.equal(await app.promptText(1), '/git:review a.txt "the style"')
  })

  test('come into the palette while their step is open', async (t) => {
    const app = await App.start(t, { world: new World(files, { trusted: true }) })
    const { page } = app
    let go
    const asked = new Promise((done) => (go = done))
    // Set early: a busy page may send a request past a route that was set just before it.
    await page.route('**/api/complete?*', async (route) => {
      await asked
      await route.continue()
    })
    await app.openAgent('One')
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Find anything' })
    await palette.getByRole('combobox').fill('>run command')
    await palette.getByRole('option', { name: /^Run command/ }).waitFor()
    await page.keyboard.press('Tab')
    await palette.getByPlaceholder('Search commands of this folder').waitFor()
    assert.equal(await palette.getByText('/explain').count(), 0)
    go()
    await palette.getByText('/explain').first().waitFor()
  })

  test('are put into the prompt by the palette', async (t) => {
    const app = await App.start(t, { world: new World(files, { trusted: true }) })
    const { page } = app
    await app.openAgent('One')
    await app.typePrompt('')
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Find anything' })
    await palette.getByRole('combobox').fill('run command')
    await palette.getByText('/git:review [file] [what for]').waitFor()
    await page.screenshot({ path: path.join(outFolder, 'slash-palette.png') })
    await page.keyboard.press('Tab')
    await palette.getByRole('combobox').fill('expl')
    await page.keyboard.press('Enter')
    await palette.waitFor({ state: 'detached' })
    await app.until(async () => (await app.promptText()) === '/explain', 'the command in the prompt')
    await page.keyboard.type('a.txt')
    assert.equal(await app.promptText(), '/explain a.txt')
  })
})

// Files that are not as they should be: nothing of them is ever overwritten.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { notebookText } from './lib/world.mjs'

describe('damaged and changed files', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('a damaged notebook opens as text, says where it is damaged, and can be saved as a repaired copy', async (t) => {
    const whole = notebookText('Broken', [['a question', 'an answer'], ['another', 'one']])
    const damaged = whole.replace('"an answer"', '"an answer\n')
    const app = await App.start(t, { files: { '.mutsumi/bad.mtm': damaged } })
    await app.page.getByRole('treeitem').first().click()
    const book = app.page.locator('section.book:visible')
    await book.getByText(/line \d+/i).first().waitFor()
    await app.until(async () => (await book.innerText()).includes('a question'), 'its text')
    assert.equal(app.world.read('.mutsumi/bad.mtm'), damaged)
    await book.getByRole('button', { name: /repaired copy/i }).click()
    await app.until(() => app.world.notebooks().length === 2, 'the copy')
    assert.equal(app.world.read('.mutsumi/bad.mtm'), damaged, 'the damaged file stays as it is')
    const copy = app.world.notebooks().find((n) => n !== '.mutsumi/bad.mtm')
    assert.match(JSON.stringify(app.world.notebook(copy).context), /a question/)
  })

  test('all sorts of broken files: none is changed by opening it', async (t) => {
    const files = {
      'empty.mtm': '', 'text.mtm': 'just text', 'array.mtm': '[]', 'null.mtm': 'null', 'binary.mtm': '\u0000\u0001\u0002', 'half.mtm': '{"metadata": {"name": "x"}, "context": [{"role": "user", "conte',
      'bom.mtm': '\uFEFF{"metadata":{},"context":[]}', 'numbers.mtm': '{"metadata": 5, "context": 7}', 'deep.mtm': '['.repeat(20000),
    }
    const app = await App.start(t, { files })
    const names = Object.keys(files)
    await app.until(async () => (await app.page.getByRole('treeitem').count()) === names.length, 'all of them in the sidebar')
    for (let i = 0; i < names.length; i++) {
      await app.page.getByRole('treeitem').nth(i).click()
      await app.until(async () => (await app.page.locator('section.book:visible[aria-busy="false"]').count()) === 1, 'it to open')
    }
    for (const [name, text] of Object.entries(files)) assert.equal(app.world.read(name), text, name)
  })

  test('changed here and on the disk: the person chooses, and neither version is lost', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', [['mine', 'answer']]) } })
    // An edit of a cell that is gone by then is refused, and the text goes elsewhere.
    app.expectProblem(/api\/call\/Edit/)
    await app.openAgent('A')
    // The disk's version comes while a text is typed that has not been saved yet.
    await app.editPrompt(1)
    await app.page.keyboard.type(' typed here')
    app.world.write('.mutsumi/a.mtm', notebookText('A', [['theirs', 'answer']]))
    await app.page.keyboard.type(' and here')
    await app.page.keyboard.press('Escape')
    // Depending on which came first the person is asked, or the text went into
    // a cell of its own. Either way both versions end up on the disk.
    const all = () => app.world.everyFile().join('\n')
    const ask = app.page.getByRole('button', { name: 'Keep both' })
    await app.until(async () => (await ask.isVisible()) || all().includes('typed here and here'), 'the question, or the text in the file')
    if (await ask.isVisible()) await ask.click()
    await app.until(() => all().includes('typed here and here') && all().includes('theirs'), 'both versions on the disk')
    assert.match(app.world.read('.mutsumi/a.mtm'), /theirs/)
  })
})

// Files that are not as they should be: nothing of them is ever overwritten.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { notebookText } from './lib/world.mjs'

describe('damaged and changed files', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('a damaged notebook opens as text, says where it is damaged, and can be saved as a repaired copy', async (t) => {
    const whole = notebookText('Broken', [
      ['a question', 'an answer'],
      ['another', 'one'],
    ])
    const damaged = whole.replace('"an answer"', '"an answer\n')
    const app = await App.start(t, { files: { '.mutsumi/bad.mtm': damaged } })
    await app.page.getByRole('treeitem').first().click()
    const book = app.page.locator('section.book:visible')
    await book
      .getByText(/line \d+/i)
      .first()
      .waitFor()
    await app.until(async () => (await book.innerText()).includes('a question'), 'its text')
    assert.equal(app.world.read('.mutsumi/bad.mtm'), damaged)
    await book.getByRole('button', { name: /repaired copy/i }).click()
    await app.until(() => app.world.notebooks().length === 2, 'the copy')
    assert.equal(app.world.read('.mutsumi/bad.mtm'), damaged, 'the damaged file stays as it is')
    const copy = app.world.notebooks().find((n) => n !== '.mutsumi/bad.mtm')
    assert.match(JSON.stringify(app.world.notebook(copy).context), /a question/)
  })

  test('a selection that is scrolled out of view is copied whole, forwards and backwards', async (t) => {
    const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}`)
    const app = await App.start(t, { files: { 'bad.mtm': lines.join('\n') } })
    await app.page.getByRole('treeitem').first().click()
    const box = app.page.locator('section.book:visible .code .cm-scroller')
    await box.getByText('line 4', { exact: true }).waitFor()
    const mouse = app.page.mouse
    /** A drag from one line to another one, turning the wheel in between. */
    const drag = async (from, to) => {
      await box.evaluate(
        (node, top) => {
          node.scrollTop = top
        },
        Math.max(0, from * 19 - 100),
      )
      const at = await box.getByText(`line ${from}`, { exact: true }).boundingBox()
      await mouse.move(at.x + 1, at.y + 9)
      await mouse.down()
      await mouse.move(at.x + 3, at.y + (to > from ? 30 : -30), { steps: 4 })
      for (let step = 1; step <= 5; step++) {
        await box.evaluate(
          (node, top) => {
            node.scrollTop = top
          },
          (from + ((to - from) * step) / 5) * 19 - 100,
        )
        await mouse.move(at.x + 3 + step, at.y + 40)
      }
      const end = await box.getByText(`line ${to}`, { exact: true }).boundingBox()
      await mouse.move(end.x + (to > from ? end.width - 1 : 1), end.y + 9, { steps: 4 })
      await mouse.up()
    }
    const copy = async (want) => {
      await app.page.keyboard.press('Control+c')
      await app.until(async () => (await app.page.evaluate(() => navigator.clipboard.readText())) === want, 'the copy')
    }
    await drag(4, 2000)
    await copy(lines.slice(4, 2001).join('\n'))
    assert.ok((await box.locator('.cm-line').count()) < 200, 'it draws what is near the view')
    await box.evaluate((node) => {
      node.scrollTop = 1000 * 19
    })
    await copy(lines.slice(4, 2001).join('\n'))
    await drag(2500, 700)
    await copy(lines.slice(700, 2500).join('\n') + '\n')
    await box.locator('.cm-content').press('Control+a')
    await copy(lines.join('\n'))
  })

  test('all of a long result and of a long screen is selected and copied, and a long result is searched', async (t) => {
    const lines = Array.from({ length: 900 }, (_, n) => `line ${n}`)
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' }, files: { 'long.txt': lines.join('\n') + '\n' } })
    const { page } = app
    await app.newAgent()
    await app.ask('/demo tool read_file {"uri":"long.txt"}')
    await page.getByRole('button', { name: /^Read long\.txt/ }).click()
    const result = page.getByRole('textbox', { name: 'Result of read_file' })
    await result.getByText('line 3', { exact: true }).click()
    assert.ok((await result.locator('.cm-line').count()) < 200, 'it draws what is near the view')
    const copied = async (want) => {
      await page.keyboard.press('Control+c')
      await app.until(async () => want(await page.evaluate(() => navigator.clipboard.readText())), 'the copy')
    }
    await page.keyboard.press('Control+a')
    await copied((text) => text.includes(lines.join('\n')))
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('line 888')
    await page.keyboard.press('Enter')
    await result.locator('.cm-searchMatch-selected', { hasText: 'line 888' }).waitFor()
    await page.keyboard.press('Escape')
    await copied((text) => text === 'line 888')

    await app.newAgent()
    await app.writePrompt(
      '/demo tool shell ' + JSON.stringify({ command: "for i in $(seq 1 900); do printf '\\033[32mrow %s\\033[0m\\n' $i; done" }),
    )
    await app.run()
    await app
      .cell(1)
      .getByRole('button', { name: /^Approve/ })
      .click()
    await app.waitIdle()
    await page.getByRole('button', { name: /^Ran / }).filter({ visible: true }).click()
    const screen = page.getByRole('group', { name: 'Result of shell' })
    await screen.getByText('row 899', { exact: true }).click()
    assert.ok((await screen.locator('[data-row]').count()) < 200, 'it draws what is near the view')
    await page.keyboard.press('Control+a')
    await copied((text) => text.trim() === lines.map((_, n) => `row ${n + 1}`).join('\n'))
    await screen.evaluate((node) => {
      node.scrollTop = 0
    })
    await copied((text) => text.trim() === lines.map((_, n) => `row ${n + 1}`).join('\n'))
  })

  test('all sorts of broken files: none is changed by opening it', async (t) => {
    const files = {
      'empty.mtm': '',
      'text.mtm': 'just text',
      'array.mtm': '[]',
      'null.mtm': 'null',
      'binary.mtm': '\u0000\u0001\u0002',
      'half.mtm': '{"metadata": {"name": "x"}, "context": [{"role": "user", "conte',
      'bom.mtm': '\uFEFF{"metadata":{},"context":[]}',
      'numbers.mtm': '{"metadata": 5, "context": 7}',
      'deep.mtm': '['.repeat(20000),
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
    // An edit of a cell that has been removed is refused, and the text goes elsewhere.
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

  test('a file comes back with another text after its notebook was closed, while a text waits for it: the person chooses', async (t) => {
    const whole = notebookText('A', [
      ['mine', 'answer'],
      ['other', 'answer'],
    ])
    const file = '.mutsumi/a.mtm'
    const app = await App.start(t, { files: { [file]: whole } })
    app.expectReadsOfDeleted()
    app.expectProblem(/404 .*api\/(call\/Edit|notebook\?)/)
    const { page } = app
    await app.openAgent('A')
    await app.editPrompt(1)
    // The text is under way while the program lets the file go.
    let release
    const held = new Promise((done) => (release = done))
    await page.route('**/api/call/Edit*', async (route) => (await held, route.continue()))
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' typed')
    fs.rmSync(path.join(app.world.folder, file))
    await page.getByText('The file of this notebook was deleted or moved.').waitFor()
    release()
    await page.keyboard.type(' on')
    app.world.write(file, whole.replace('"mine"', '"theirs"'))
    const ask = page.getByRole('button', { name: 'Keep both' })
    await ask.waitFor()
    assert.match(app.world.read(file), /theirs/)
    assert.doesNotMatch(app.world.read(file), /typed/)
    await ask.click()
    const all = () => app.world.everyFile().join('\n')
    await app.until(() => all().includes('mine typed on') && all().includes('theirs'), 'both texts on the disk')
    await app.until(async () => (await app.promptText(1)).includes('theirs'), 'the text of the file')
  })
})

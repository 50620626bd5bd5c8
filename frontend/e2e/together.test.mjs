// Two windows on one folder, and a person and another program on one file.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'
import { binary, notebookText, outFolder } from './lib/world.mjs'

describe('together', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  /** A folder with the notebook One, open in two windows; answers are the test's. */
  async function inTwoWindows(t) {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['first', 'answer one']]) }, env: provider.env })
    const other = await app.openTab()
    await app.openAgent('One')
    await app.openAgent('One', other)
    await app.page.bringToFront()
    return { app, other, provider }
  }

  test('a second tab follows along: cells, a streaming answer, names, undo', async (t) => {
    const { app, other, provider } = await inTwoWindows(t)
    await app.typePrompt('second')
    await app.until(async () => (await app.promptText(-1, other)) === 'second', 'the prompt in the other tab')
    await app.run()
    const exchange = await provider.next()
    exchange.text('Half and ')
    await app.until(async () => (await app.answerText(-1, other)).includes('Half and'), 'the half in the other tab')
    exchange.text('whole.')
    exchange.end()
    for (const page of [app.page, other]) await app.waitIdle(page)
    for (const page of [app.page, other])
      await app.until(async () => (await app.answerText(-1, page)) === 'Half and whole.', 'the whole answer')

    await app.page.bringToFront()
    await app.agentMenu('One', 'Rename')
    await app.page.getByRole('textbox', { name: 'Name of the agent' }).fill('Renamed')
    await app.page.keyboard.press('Enter')
    await app.agent('Renamed', other).waitFor()

    // A third window, opened during a run, has everything from before.
    await app.typePrompt('third')
    await app.run()
    const next = await provider.next()
    next.text('Late ')
    await app.until(async () => (await app.answerText()).includes('Late'), 'the start of the answer')
    const third = await app.openTab()
    await app.openAgent('Renamed', third)
    await app.until(async () => (await app.answerText(-1, third)).includes('Late'), 'the start in the third tab')
    next.text('but there.')
    next.end()
    await app.waitIdle(third)
    await app.until(async () => (await app.answerText(-1, third)) === 'Late but there.', 'the whole answer in the third tab')
  })

  test('text that streams in, beside a deletion in another window, its undo, a composition and a reload', async (t) => {
    const { app, other, provider } = await inTwoWindows(t)
    await app.typePrompt('List')
    await app.run()
    const exchange = await provider.next()
    const streams = async (text, shown) => {
      exchange.text(text)
      await app.answers().last().getByText(shown).first().waitFor()
    }
    await streams('Words first.\n\n- rain falls\n- water runs', 'water runs')
    await app
      .answers()
      .last()
      .locator('li')
      .last()
      .evaluate((item) => {
        const text = document.createTreeWalker(item, NodeFilter.SHOW_TEXT).nextNode()
        const at = text.data.indexOf('water')
        getSelection().setBaseAndExtent(text, at, text, at + 5)
      })
    const selected = () => app.page.evaluate(() => String(getSelection()))

    await app.editPrompt(1, other)
    await other.keyboard.press('Escape')
    await app.pressTwice('d', 'KeyD', other)
    await app.page.getByText('answer one').waitFor({ state: 'detached' })
    await streams(' down', 'water runs down')
    assert.equal(await selected(), 'water', 'after the deletion')
    await other.keyboard.press('z')
    await app.page.getByText('answer one').waitFor()
    await streams(' the hill', 'down the hill')
    assert.equal(await selected(), 'water', 'after its undo')

    await app.page.bringToFront()
    await app.editPrompt(-1)
    const session = await app.page.context().newCDPSession(app.page)
    await session.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
    await streams('\n- and **mo', 'mo')
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
    await streams('re**', 'more')
    await session.send('Input.insertText', { text: '日本' })
    await app.until(async () => (await app.promptText(-1, other)) === '日本', 'the composed text in the other window')
    assert.equal(await app.promptText(-1), '日本')

    await streams('\n\n~~~js\nconst a = 1\n', 'const a = 1')
    await app.reload()
    await app.answers().last().getByText('const a = 1').waitFor()
    exchange.text('const b = 2\n~~~\n\nThe end.')
    exchange.end()
    for (const page of [app.page, other]) {
      await app.waitIdle(page)
      await app.answers(page).last().getByText('The end.').waitFor()
      assert.deepEqual(await app.answers(page).last().locator('li').allInnerTexts(), ['rain falls', 'water runs down the hill', 'and more'])
      const code = app.answers(page).last().locator('.md-code')
      assert.match(await code.innerText(), /const a = 1\s+const b = 2/)
      await code.locator('.hljs-keyword').first().waitFor()
      assert.equal(await app.promptText(-1, page), '日本')
    }
  })

  test('undo in a prompt reverts the typing here, then the step before it, never another window’s typing', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['first', 'answer one']]) } })
    app.expectProblem(/409 \(Conflict\)/)
    const other = await app.openTab()
    await app.openAgent('One')
    await app.openAgent('One', other)
    await app.page.bringToFront()
    const says = (want, page = app.page) => app.until(async () => (await app.promptText(-1, page)) === want, `“${want}”`)
    const first = (want) => app.until(async () => (await app.promptText(1)) === want, `“${want}” in the first prompt`)
    // Each text comes at once, for one step of undo.
    await app.writePrompt('words of mine', 1)
    await app.page.keyboard.press('Escape')
    // A separate editor: its own text is undone first, then the text typed before it was opened.
    await app.writePrompt('below', -1)
    await says('below', other)
    for (const key of ['z', 'z', 'z']) await app.page.keyboard.press(`Control+${key}`)
    await first('first')
    await app.page.keyboard.press('Control+Shift+Z')
    await first('words of mine')

    await app.writePrompt('here', -1)
    await says('here', other)
    await other.bringToFront()
    await app.writePrompt('here and there', -1, other)
    await app.page.bringToFront()
    await says('here and there')
    await app.page.keyboard.press('Control+z')
    await says('and there')
    await app.page.keyboard.press('Control+z')
    await app.page.getByText('another window typed since').waitFor()
    await says('and there')
    await says('and there', other)
  })

  test('a change on the disk is shown when nothing is unsaved here', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['first', 'old answer']]) } })
    await app.openAgent('One')
    await app.until(async () => (await app.answerText()).includes('old answer'), 'the notebook')
    app.world.write(
      '.mutsumi/one.mtm',
      notebookText('One', [
        ['first', 'new answer'],
        ['second', 'more'],
      ]),
    )
    await app.until(async () => (await app.answerText(0)).includes('new answer'), 'the new answer')
    await app.until(async () => (await app.answerText(-1)) === 'more', 'the new cell')
  })

  /** Holds the edits of a window until the returned function is called. */
  async function holdEdits(page) {
    let release
    const released = new Promise((done) => (release = done))
    await page.route('**/api/call/Edit', (route) => released.then(() => route.continue()))
    return release
  }

  test('text that another program writes into the prompt in which one types is not overwritten without a question', async (t) => {
    const file = '.mutsumi/one.mtm'
    const app = await App.start(t, { files: { [file]: notebookText('One', [['first', 'answer one']]) } })
    await app.openAgent('One')
    await app.typePrompt('words of mine', 1)
    await app.until(() => app.world.read(file).includes('"words of mine"'), 'the text in the file')
    await app.waitIdle()
    const release = await holdEdits(app.page)
    await app.page.keyboard.type(' go on')
    app.world.write(file, app.world.read(file).replace('"words of mine"', '"important words of another program"'))
    await app.until(async () => (await app.notebook(file)).cells[0].body.text.startsWith('important'), 'the other text to come in')
    assert.equal(await app.promptText(1), 'words of mine go on', 'what is typed stays')
    release()
    await app.page.getByText('The file changed on disk, and there are changes here').waitFor()
    assert.match(app.world.read(file), /important words/)
    await app.page.getByRole('button', { name: 'Keep this one' }).click()
    await app.until(async () => (await app.promptText(1)) === 'words of mine go on', 'the text typed here')
    await app.until(() => app.world.read(file).includes('"words of mine go on"'), 'it in the file')
    await app.until(
      () => app.world.notebooks().some((name) => app.world.read(name).includes('important words')),
      'the other text beside it',
    )
  })

  test('two windows that type in one prompt at the same time are never asked', async (t) => {
    const { app, other } = await inTwoWindows(t)
    const file = '.mutsumi/one.mtm'
    await app.editPrompt(1)
    const release = await holdEdits(app.page)
    await app.page.keyboard.insertText(', here')
    await other.bringToFront()
    await app.writePrompt('first, there', 1, other)
    await app.until(() => app.world.read(file).includes('"first, there"'), 'the text of the other window in the file')
    // Another program writes an answer in between.
    app.world.write(file, app.world.read(file).replace('answer one', 'another answer'))
    await app.until(async () => (await app.answerText(0, other)).includes('another answer'), 'the other answer')
    release()
    await app.until(() => app.world.read(file).includes('"first, here"'), 'the text that came last in the file')
    for (const page of [app.page, other]) {
      await app.until(async () => (await app.promptText(1, page)) === 'first, here', 'the text that came last')
      assert.equal(await page.getByText('changed on disk').count(), 0, 'a question')
    }
    assert.deepEqual(app.world.notebooks().length, 1)
  })

  test('the next prompt is typed while another program streams an answer into the notebook', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const file = '.mutsumi/one.mtm'
    const app = await App.start(t, { files: { [file]: notebookText('One', [['first', 'answer one']]) }, env: provider.env })
    await app.openAgent('One')
    await app.until(async () => (await app.answerText()).includes('answer one'), 'the notebook')
    const run = execFile(binary, ['run', path.join(app.world.folder, file), '--prompt', 'second'], { env: app.world.env(provider.env) })
    const ended = new Promise((done) => run.on('exit', done))
    const exchange = await provider.next()
    exchange.text('Piece 0. ')
    await app.until(async () => (await app.answerText(1)).includes('Piece 0.'), 'the first piece')
    await app.typePrompt('The next prompt', -1)
    for (let piece = 1; piece < 6; piece++) {
      exchange.text(`Piece ${piece}. `)
      await app.page.keyboard.type(` word${piece}`)
      await app.until(async () => (await app.answerText(1)).includes(`Piece ${piece}.`), `piece ${piece}`)
    }
    exchange.end()
    assert.equal(await ended, 0)
    const whole = 'The next prompt word1 word2 word3 word4 word5'
    assert.equal(await app.promptText(-1), whole)
    await app.until(() => [whole, 'Piece 5. "', '"done"'].every((text) => app.world.read(file).includes(text)), 'both in the file')
    assert.equal(await app.page.getByText('changed on disk').count(), 0, 'the person is asked')
  })

  test('text typed in one tab survives the other closing the notebook', async (t) => {
    const file = '.mutsumi/one.mtm'
    const app = await App.start(t, { files: { [file]: notebookText('One', [['first', 'answer one']]) } })
    const other = await app.openTab()
    await app.openAgent('One')
    await app.openAgent('One', other)
    await app.until(async () => (await app.answerText(0, other)).includes('answer one'), 'the notebook in the other tab')
    await app.page.bringToFront()
    await app.typePrompt('typed before ')
    await other.getByRole('tab', { name: /^One,/ }).press('Delete')
    await other.getByRole('tab', { name: /^One,/ }).waitFor({ state: 'detached' })
    await app.page.keyboard.type('and behind that')
    await app.until(() => app.world.read(file).includes('typed before and behind that'), 'all of it on the disk')
    assert.equal(await app.page.getByText('Could not save').count(), 0)
    assert.equal(await app.promptText(), 'typed before and behind that')
  })

  test('a file deleted while somebody types leaves the text, and a way to save it', async (t) => {
    const file = '.mutsumi/one.mtm'
    const app = await App.start(t, { files: { [file]: notebookText('One', [['first', 'answer one']]) } })
    app.expectProblem(/404|409/)
    await app.openAgent('One')
    await app.until(async () => (await app.answerText()).includes('answer one'), 'the notebook')
    // Typed text does not reach the program while the file is deleted.
    await app.page.route('**/api/call/Edit', (route) =>
      route.request().postData()?.startsWith('[".mutsumi/one.mtm"')
        ? route.fulfill({ status: 404, body: '{"kind":"notFound","message":"The file is not there."}' })
        : route.continue(),
    )
    await app.typePrompt('precious words')
    rmSync(path.join(app.world.folder, file))
    const notice = app.page.getByRole('alert').filter({ hasText: 'was deleted or moved' })
    await notice.waitFor()
    await app.page.screenshot({ path: `${outFolder}/file-gone.png` })
    await notice.getByRole('button', { name: 'Save as a new notebook' }).click()
    await app.until(
      async () => (await app.promptText(-1)) === 'precious words' && (await app.page.getByText('was deleted or moved').count()) === 0,
      'the new notebook',
    )
  })
})

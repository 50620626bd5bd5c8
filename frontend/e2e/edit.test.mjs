// Editing cells: typed text is kept, and every step can be undone.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { App, closeBrowser } from './lib/app.mjs'
import { encode } from './lib/png.mjs'
import { notebookText } from './lib/world.mjs'

const file = '.mutsumi/a.mtm'

describe('editing', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  const start = (t, cells) => App.start(t, { files: { [file]: notebookText('A', cells) } })
  /** Waits until the file holds these messages. */
  const stands = async (app, expected) => {
    let now
    await app
      .until(
        () => {
          now = contents(app)
          return now.join('\n') === expected.join('\n')
        },
        `the file to hold ${expected.join(', ')}`,
      )
      .catch((err) => {
        throw new Error(`${err.message}; it holds ${now.join(', ')}`)
      })
  }
  const contents = (app) => app.world.notebook(file).context.map((m) => m.content)

  test('typed text is saved automatically, and only it changes in the file', async (t) => {
    const app = await start(t, [
      ['one', 'answer one'],
      ['two', 'answer two'],
    ])
    const before = app.world.notebook(file)
    await app.openAgent('A')
    await app.typePrompt('one, but @[better.md] 文 😀', 1)
    await app.page.keyboard.press('Escape')
    await app.waitIdle()
    const now = app.world.notebook(file)
    assert.deepEqual(contents(app), ['one, but @[better.md] 文 😀', 'answer one', 'two', 'answer two'])
    assert.deepEqual(now.metadata, before.metadata)
  })

  test('insert, move and delete by keys; undo and redo go through all of it', async (t) => {
    const app = await start(t, [
      ['one', 'answer one'],
      ['two', 'answer two'],
      ['three', 'answer three'],
    ])
    await app.openAgent('A')
    await app.editPrompt(2)
    const { keyboard } = app.page
    await keyboard.press('Escape')
    await keyboard.press('a')
    await app.until(
      async () => (await app.cells().count()) === 5 && (await app.cell(2).locator('.cm-focused').count()) === 1,
      'the new cell to have the caret',
    )
    await keyboard.type('between')
    await keyboard.press('Escape')
    await stands(app, ['one', 'answer one', 'between', 'two', 'answer two', 'three', 'answer three'])
    await keyboard.press('ControlOrMeta+Shift+ArrowUp')
    await stands(app, ['between', 'one', 'answer one', 'two', 'answer two', 'three', 'answer three'])
    await app.pressTwice('d', 'KeyD')
    const rest = ['one', 'answer one', 'two', 'answer two', 'three', 'answer three']
    await stands(app, rest)

    // Back to the beginning, step by step, and forward again.
    const state = async () => (await app.notebook(file)).state
    let steps = 0
    for (; (await state()).canUndo; steps++) {
      const before = (await app.notebook(file)).rev
      await keyboard.press('z')
      await app.until(async () => (await app.notebook(file)).rev !== before, 'a step back')
    }
    assert.ok(steps >= 3, `${steps} steps`)
    await stands(app, rest)
    for (let i = 0; i < steps; i++) {
      assert.ok((await state()).canRedo)
      const before = (await app.notebook(file)).rev
      await keyboard.press('Shift+Z')
      await app.until(async () => (await app.notebook(file)).rev !== before, 'a step forward')
    }
    assert.equal((await state()).canRedo, false)
    await stands(app, rest)
  })

  test('a draft is typed on where the caret was when its notebook comes back', async (t) => {
    const others = { '.mutsumi/b.mtm': notebookText('B', [['b']]), '.mutsumi/c.mtm': notebookText('C', [['c']]) }
    const app = await App.start(t, { files: { [file]: notebookText('A', [['one', 'answer one']]), ...others } })
    const { keyboard } = app.page
    for (const name of ['A', 'B', 'C', 'A']) await app.openAgent(name)
    await app.editPrompt()
    await keyboard.type('begin middle end')
    for (let i = 0; i < 4; i++) await keyboard.press('ArrowLeft')
    for (let i = 0; i < 3; i++) {
      await keyboard.press('Control+Tab')
      await app.page.locator('.cm-focused, article:focus').first().waitFor()
    }
    await app.until(async () => (await app.promptText()) === 'begin middle end', 'the draft to be back')
    await app.page.locator('.cm-focused').waitFor()
    await keyboard.type(',')
    await app.until(async () => (await app.promptText()) === 'begin middle, end', 'the text where the caret was')
  })

  test('a press beside the text of a prompt that is typed in leaves the keyboard there', async (t) => {
    const picture = encode(2, 2, () => [255, 0, 0])
    const app = await App.start(t, {
      files: { 'red.png': picture, '.mutsumi/one.mtm': notebookText('One', [['Look\n\n![red](red.png)', 'Red.']]) },
    })
    const { page } = app
    await app.openAgent('One')
    await app
      .prompt(1)
      .locator('.prompt-text, .cm-content')
      .click({ position: { x: 5, y: 5 } })
    await app.prompt(1).locator('.cm-focused').waitFor()
    await page.locator('.thumb').waitFor()
    const box = await app.prompt(1).boundingBox()
    for (const [x, y] of [
      [box.width / 2, box.height - 3], // the room below the text
      [box.width - 60, box.height - 40], // the room beside a picture
    ]) {
      await page.keyboard.press('ControlOrMeta+Home')
      await page.mouse.click(box.x + x, box.y + y)
      await page.keyboard.type('!')
    }
    assert.match(await app.promptText(1), /^Look[^]*!!$/)
    await app.cells().first().locator('.cm-focused').waitFor()
  })

  test('Ctrl+W twice at once closes two tabs, and what was typed just before is kept', async (t) => {
    const others = { '.mutsumi/b.mtm': notebookText('B', [['b']]), '.mutsumi/c.mtm': notebookText('C', [['c']]) }
    const app = await App.start(t, { files: { [file]: notebookText('A', [['one', 'answer one']]), ...others } })
    for (const name of ['A', 'B', 'C']) await app.openAgent(name)
    await app.editPrompt()
    await app.page.keyboard.type(' and d')
    const close = { key: 'w', code: 'KeyW', ctrlKey: true }
    await app.pressInOneGo([close, close])
    const tabs = app.page.getByRole('tablist', { name: 'Open agents' }).getByRole('tab')
    await app.until(async () => (await tabs.count()) === 1, 'two tabs to close')
    assert.equal(await app.activePath(), file)
    await app.until(() => app.world.notebook('.mutsumi/c.mtm').context[0].content === 'c and d', 'the text on the disk')
  })

  test('undo pressed once more than there is to undo does not double the text at redo', async (t) => {
    const app = await start(t, [['one']])
    await app.openAgent('A')
    await app.editPrompt()
    const { keyboard } = app.page
    await keyboard.insertText(' two') // all at once, for one step of undo
    await stands(app, ['one two'])
    await keyboard.press('Control+z')
    await stands(app, ['one'])
    const undone = app.page.waitForResponse((r) => r.url().includes('UndoIn'))
    app.expectProblem(/409 \(Conflict\)/)
    await keyboard.press('Control+z')
    await undone
    for (let i = 0; i < 3; i++) await keyboard.press('Control+Shift+Z')
    await stands(app, ['one two'])
    await app.waitIdle()
    assert.deepEqual([await app.promptText(), contents(app)], ['one two', ['one two']])
  })

  test('undo in a prompt takes back a replacement as one step, in the window that typed there too', async (t) => {
    const app = await start(t, [['one', 'answer one'], ['three']])
    const other = await app.openTab()
    for (const page of [app.page, other]) await app.openAgent('A', page)
    await app.editPrompt(2, other)
    await other.keyboard.insertText(' some other words') // all at once, for one step of undo
    await stands(app, ['one', 'answer one', 'three some other words'])
    const replaces = async (what, by) => {
      await app.page.bringToFront()
      await app.page.keyboard.press('ControlOrMeta+h')
      await app.page.locator('[aria-label="Find"]:focus').waitFor()
      const bar = app.page.getByRole('search')
      await bar.getByRole('textbox', { name: 'Find', exact: true }).fill(what)
      await bar.getByRole('textbox', { name: 'Replace with' }).fill(by)
      await bar.getByRole('button', { name: /^Replace all/ }).click()
      await bar.getByText(/^Replaced/).waitFor()
      await app.page.keyboard.press('Escape')
    }
    await replaces('o', '0')
    await app.until(async () => (await app.promptText(2, other)) === 'three s0me 0ther w0rds', 'the replacement in the other window')
    await other.bringToFront()
    const goes = async (key, ...texts) => {
      await other.keyboard.press(key)
      await stands(app, [texts[0], 'answer one', texts[1]])
      const shown = async () => [await app.promptText(1, other), await app.promptText(2, other)]
      await app.until(async () => isDeepStrictEqual(await shown(), texts), `the prompts to be ${texts.join(' and ')}`)
    }
    await goes('Control+z', 'one', 'three some other words')
    await goes('Control+z', 'one', 'three')
    await goes('Control+Shift+Z', 'one', 'three some other words')
    await goes('Control+Shift+Z', '0ne', 'three s0me 0ther w0rds')
    await other.keyboard.insertText('!')
    await goes('Control+z', '0ne', 'three s0me 0ther w0rds')
    await goes('Control+z', 'one', 'three some other words')
  })

  test('text typed just before the page closes is kept', async (t) => {
    const app = await start(t, [['one', 'answer one']])
    await app.openAgent('A')
    await app.editPrompt(1)
    await app.page.keyboard.press('End')
    await app.page.keyboard.type(' and the last word')
    await app.reload()
    await app.until(() => contents(app)[0] === 'one and the last word', 'the last word on the disk')
  })

  test('text typed while the program is slow to answer is kept when the page closes', async (t) => {
    const app = await start(t, [['one', 'answer one']])
    await app.openAgent('A')
    await app.page.evaluate(() => {
      const { fetch } = window
      window.fetch = async (url, init) => {
        const answer = await fetch(url, init)
        if (!String(url).endsWith('/Edit')) return answer
        window.editArrived = true
        return new Promise(() => {})
      }
    })
    await app.editPrompt(1)
    await app.page.keyboard.press('End')
    await app.page.keyboard.type(' and more')
    await app.page.waitForFunction(() => window.editArrived)
    await app.page.keyboard.type(' and the last word')
    await app.reload()
    await app.until(() => contents(app)[0] === 'one and more and the last word', 'the last word on the disk', 10_000)
  })

  test('after a reload the caret is where it was, in the middle of a long notebook, and commands act on the same cell', async (t) => {
    const cells = Array.from({ length: 40 }, (_, i) => [`question ${i}`, `answer ${i}. ${'It goes on. '.repeat(60)}`])
    const app = await start(t, cells)
    const { keyboard } = app.page
    await app.openAgent('A')
    await app.cells().first().waitFor()
    await app.scrollTo(0.5)
    await app.waitIdle()
    // One that is whole in view, so that the press does not scroll.
    const id = await app.page.locator('article.cell:visible .prompt').evaluateAll(
      (all) =>
        all.find((e) => {
          const { top, bottom } = e.getBoundingClientRect()
          return top > 150 && bottom < innerHeight - 100
        }).dataset.cell,
    )
    const prompt = app.page.locator(`.prompt[data-cell="${id}"]:visible`)
    await prompt.click()
    await prompt.locator('.cm-focused').waitFor()
    await keyboard.press('Control+Home')
    for (let i = 0; i < 4; i++) await keyboard.press('ArrowRight')
    await app.reload()
    await prompt.locator('.cm-focused').waitFor()
    await keyboard.type('!!')
    await app.until(async () => /^ques!!tion \d+/.test(await prompt.innerText()), 'the text where the caret was')
    await keyboard.press('Escape')
    const cell = app.page.locator('article.cell:visible', { has: app.page.locator(`[data-cell="${id}"]`) })
    await app.page.locator('article:focus').waitFor()
    await app.reload()
    await app.page.locator('article:focus').waitFor()
    assert.equal(await cell.evaluate((e) => e === document.activeElement), true)
    assert.equal(await app.page.locator('.cm-focused').count(), 0)
  })

  test('keys that the program does not know survive a session', async (t) => {
    const doc = JSON.parse(notebookText('A', [['one', 'answer']]))
    doc.future = { z: 1, a: [1.5, 1e3] }
    doc.metadata.theirs = 'kept'
    doc.context[0].extra = { deep: [null, true] }
    const app = await App.start(t, { files: { [file]: JSON.stringify(doc, null, 2).replace('1000', '1e3').replace('1.5', '1.50') } })
    await app.openAgent('A')
    await app.typePrompt('changed', 1)
    await app.page.keyboard.press('Escape')
    await app.waitIdle()
    const text = app.world.read(file)
    const now = JSON.parse(text)
    assert.equal(now.context[0].content, 'changed')
    assert.deepEqual(now.future, doc.future)
    assert.equal(now.metadata.theirs, 'kept')
    assert.deepEqual(now.context[0].extra, doc.context[0].extra)
    assert.match(text, /1\.50/, 'numbers keep their text')
    assert.match(text, /1e3/)
  })
})

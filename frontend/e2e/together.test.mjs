// Two windows on one folder, and a person and another program on one file.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

describe('together', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('a second tab follows along: cells, a streaming answer, names, undo', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['first', 'answer one']]) }, env: provider.env })
    const other = await app.openTab()
    await app.openAgent('One')
    await app.openAgent('One', other)
    await app.page.bringToFront()
    await app.typePrompt('second')
    await app.until(async () => (await app.promptText(-1, other)) === 'second', 'the prompt in the other tab')
    await app.run()
    const exchange = await provider.next()
    exchange.text('Half and ')
    await app.until(async () => (await app.answerText(-1, other)).includes('Half and'), 'the half in the other tab')
    exchange.text('whole.')
    exchange.end()
    for (const page of [app.page, other]) await app.waitIdle(page)
    assert.equal(await app.answerText(-1, other), 'Half and whole.')
    assert.equal(await app.answerText(-1), 'Half and whole.')

    await app.page.bringToFront()
    await app.agentMenu('One', 'Rename')
    await app.page.getByRole('textbox', { name: 'Name of the agent' }).fill('Renamed')
    await app.page.keyboard.press('Enter')
    await app.agent('Renamed', other).waitFor()

    // A third, which comes in the middle of a run, has all that came before.
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
    assert.equal(await app.answerText(-1, third), 'Late but there.')
  })

  test('a change on the disk is shown when nothing is unsaved here', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['first', 'old answer']]) } })
    await app.openAgent('One')
    await app.until(async () => (await app.answerText()).includes('old answer'), 'the notebook')
    app.world.write('.mutsumi/one.mtm', notebookText('One', [['first', 'new answer'], ['second', 'more']]))
    await app.until(async () => (await app.answerText(0)).includes('new answer'), 'the new answer')
    await app.until(async () => (await app.answerText(-1)) === 'more', 'the new cell')
  })
})

// Forks of a notebook: one of its own that ends with a cell, and a branch inside it.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth } from './lib/axe.mjs'
import { mock } from './lib/provider.mjs'

const turn = (n) => [
  { role: 'user', content: `Question ${n}.`, metadata: { cell_id: `c${n}` } },
  { role: 'assistant', content: `Answer ${n}.` },
]

async function start(t) {
  const model = await mock({ '.': 'Another way.' })
  t.after(() => model.stop())
  const app = await App.start(t, {
    env: model.env,
    files: {
      'a.mtm': JSON.stringify({
        metadata: { uuid: 'aaaaaaaa-0000-4000-8000-000000000015', name: 'Cache', created_at: '2026-01-02T03:04:05Z', allowed_uris: ['.'] },
        context: [1, 2, 3].flatMap(turn),
      }),
    },
  })
  await app.openAgent('Cache')
  return { app, model }
}

async function cellMenu(app, n, entry) {
  await app.cell(n).hover()
  await app.cell(n).getByRole('button', { name: 'Cell menu' }).click()
  await app.page.getByRole('menuitem', { name: entry }).click()
}

describe('branches', { timeout: 300_000 }, () => {
  after(closeBrowser)

  test('a fork into a new agent ends with the cell, and the first one stays as it is', async (t) => {
    const { app, model } = await start(t)
    const before = app.world.notebook('a.mtm')
    await cellMenu(app, 2, 'Fork into a new agent')
    await app.page
      .getByRole('tab', { name: /^Cache/ })
      .nth(1)
      .waitFor()
    await app.cell(2).getByText('Answer 2.').waitFor()
    assert.equal(await app.page.getByText('Answer 3.').locator('visible=true').count(), 0)
    await app.typePrompt('And another way?')
    await app.run()
    await app.page.getByText('Another way.').waitFor()
    const sent = JSON.stringify(model.requests().at(-1).body)
    assert.ok(sent.includes('Answer 2.') && !sent.includes('Answer 3.'), 'models get what the fork has')
    await app.waitIdle()
    assert.deepEqual(app.world.notebook('a.mtm').context, before.context)
  })

  test('the cells below are put aside, restored, and both by undo', async (t) => {
    const { app } = await start(t)
    await cellMenu(app, 1, 'Put the cells below aside')
    await app.page.getByText('2 earlier cells kept').waitFor()
    assert.equal(await app.page.getByText('Answer 2.').locator('visible=true').count(), 0)
    await app.cell(1).getByText('Answer 1.').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [])
    await app.page.keyboard.press('Escape')
    await app.page.keyboard.press('z')
    await app.page.getByText('Answer 3.').waitFor()
    await app.page.keyboard.press('Shift+Z')
    await app.page.getByRole('button', { name: 'Bring back' }).click()
    await app.page.getByText('Answer 3.').waitFor()
    await app.waitIdle()
    assert.equal(app.world.notebook('a.mtm').context.length, 6)
  })

  test('an edited prompt keeps the sent text, shows the difference and restores it', async (t) => {
    const { app } = await start(t)
    await app.typePrompt('First wording.')
    await app.run()
    await app.page.getByText('Another way.').waitFor()
    await app.waitIdle()
    await app.cell(4).getByText('First wording.').click()
    await app.page.keyboard.press('ControlOrMeta+A')
    await app.page.keyboard.type('Second wording.')
    await app.page.keyboard.press('Escape')
    await app.cell(4).getByRole('button', { name: 'Show versions' }).click()
    const dialog = app.page.getByRole('dialog', { name: 'Earlier versions of prompt 4' })
    await dialog.getByText('First wording.').first().waitFor()
    await dialog.getByText('Second wording.').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [])
    await dialog.getByRole('button', { name: 'Bring back' }).click()
    await dialog.waitFor({ state: 'detached' })
    await app.cell(4).getByText('First wording.').waitFor()
    await app.waitIdle()
    assert.equal(app.world.notebook('a.mtm').context.at(-2).content, 'First wording.')
  })

  test('a fork and its origin side by side, and a cell carried over', async (t) => {
    const { app } = await start(t)
    await cellMenu(app, 2, 'Fork into a new agent')
    await app.page
      .getByRole('tab', { name: /^Cache/ })
      .nth(1)
      .waitFor()
    await app.typePrompt('And another way?')
    await app.run()
    await app.page.getByText('Another way.').waitFor()
    await app.waitIdle()
    await app.page
      .getByRole('tab', { name: /^Cache/ })
      .first()
      .click()
    await app.cell(3).getByText('Answer 3.').waitFor()
    await app.page.keyboard.press('Escape')
    await app.page.keyboard.press('ControlOrMeta+Shift+B')
    const lab = app.page.getByRole('region', { name: 'Branch lab' })
    await lab.getByText('The first 2 cells of all of them are the same.').waitFor()
    await lab.getByText('Question 3.').waitFor()
    await lab.getByText('And another way?').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [])

    // After a reload it shows the same.
    await app.reload()
    await lab.getByText('The first 2 cells of all of them are the same.').waitFor()
    await lab.getByRole('button', { name: 'Answers' }).click()
    await lab.getByRole('button', { name: 'Only its conclusion' }).click()
    await lab.getByText(/carried over from/).waitFor()
    await app.page
      .getByRole('tab', { name: /^Cache/ })
      .first()
      .click()
    await app.waitIdle()
    const carried = () => /Another way/.test(JSON.stringify(app.world.notebook('a.mtm').context.slice(6)))
    assert.ok(carried())

    // Another window undoes it, after text was typed in this one.
    const second = await app.openTab()
    await app.openAgent('Cache', second)
    await second.getByText(/^From “Cache 2”/).waitFor()
    await app.writePrompt('Typed in the first window') // all at once, for one step of undo
    await app.waitIdle()
    const rev = async () => (await app.notebook('a.mtm')).rev
    for (let n = 0; n < 3 && carried(); n++) {
      const before = await rev()
      await second
        .locator('article.cell:visible')
        .first()
        .click({ position: { x: 5, y: 5 } })
      await second.keyboard.press('z')
      await app.until(async () => (await rev()) !== before, 'a step back')
      await app.waitIdle()
    }
    assert.ok(!carried(), 'the carried cell is undone')
  })
})

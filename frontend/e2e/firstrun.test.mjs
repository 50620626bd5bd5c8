// The very first start: a folder that was never open, with nothing chosen yet.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { binary, outFolder, World } from './lib/world.mjs'

function sample() {
  const world = new World({}, { trusted: false, fresh: true })
  fs.rmdirSync(world.folder)
  execFileSync(binary, ['sample', world.folder], { env: world.env() })
  return world
}

describe('the first time', { timeout: 600_000 }, () => {
  after(closeBrowser)

  test('the sample asks nothing: Welcome is at its top, at its first prompt, and running writes no rules', async (t) => {
    const app = await App.start(t, { world: sample(), viewport: { width: 1440, height: 800 } })
    const { page } = app
    await page.getByRole('tab', { name: /^Welcome,/ }).waitFor()
    await page.getByRole('list', { name: 'Cells' }).getByRole('heading', { name: 'Welcome' }).waitFor()
    const first = page.locator('article.cell[aria-current="true"]')
    await first.getByText('name the open questions').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0, 'nothing is asked')
    assert.equal(await page.getByText('You have not trusted').count(), 0)
    const top = await page
      .getByRole('list', { name: 'Cells' })
      .getByRole('heading', { name: 'Welcome' })
      .evaluate((h) => h.getBoundingClientRect().top)
    assert.ok(top > 40 && top < 180, `the heading stands at ${top}`)
    assert.equal(await page.getByRole('complementary', { name: 'Context' }).count(), 0, 'the inspector is closed')

    await page.keyboard.press('Shift+Enter')
    await app.until(async () => (await app.answers().count()) > 0, 'an answer')
    await app.waitIdle()
    assert.match(await app.answerText(1), /README\.md|question/i)
    assert.equal(app.world.exists('.mutsumi/rules'), false, 'nothing is written into the folder beside the answer')
    assert.equal(await page.getByRole('dialog').count(), 0)

    // A used notebook has something to show; the person's choice is kept.
    await app.reload()
    const inspector = page.getByRole('complementary', { name: 'Context' })
    await inspector.getByText('From Mutsumi').waitFor()
    await inspector.getByText('answering.md').waitFor()
    await inspector.getByRole('button', { name: 'Make them files' }).click()
    await page.getByText('The rules are now files in .mutsumi/rules').waitFor()
    await inspector.getByText('From Mutsumi').waitFor({ state: 'detached' })
    await inspector.getByText('answering.md').waitFor()
    assert.ok(app.world.exists('.mutsumi/rules/answering.md'))
    await inspector.getByRole('button', { name: 'Hide this pane' }).click()
    await app.layoutSaved(/"inspectorOpen": ?false/)
    await app.restart()
    await app.page.getByRole('list', { name: 'Cells' }).getByRole('heading', { name: 'Welcome' }).waitFor()
    await app.page.getByRole('button', { name: 'Show the context' }).waitFor()
    assert.equal(await app.page.getByRole('dialog').count(), 0, 'and nothing is asked later')
  })

  test('the tour: from an empty folder into one of its own, through an approval', async (t) => {
    const app = await App.start(t, { world: new World({}, { fresh: true }), viewport: { width: 1440, height: 900 } })
    app.expectProblem(/^popup: /)
    const opening = app.page.context().waitForEvent('page')
    // A second press while the first one is being answered opens nothing more.
    let asked = 0
    let pressed
    const twice = new Promise((done) => (pressed = done))
    await app.page.route('**/api/call/OpenSample', async (route) => {
      asked++
      await twice
      await route.continue()
    })
    await app.page.getByRole('button', { name: 'Take the tour' }).dblclick()
    pressed()
    const page = await opening
    await page.getByRole('tab', { name: /^Welcome,/ }).waitFor()
    await page.getByRole('heading', { name: 'A tour of two minutes' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0, 'nothing is asked')
    assert.equal(asked, 1, 'a double press opens one window')
    const folder = app.world.path('home', '.local', 'share', 'mutsumi', 'sample')
    const last = page.locator('article.cell').filter({ hasText: 'Bed 2 needs shade' })
    await last.scrollIntoViewIfNeeded()
    await last.locator('.prompt').click()
    await page.keyboard.press('Shift+Enter')
    await last.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    assert.equal(fs.existsSync(path.join(folder, 'notes', 'ideas.md')), false, 'it is written once it is approved')
    await page.screenshot({ path: path.join(outFolder, 'tour.png') })
    await last.getByRole('button', { name: 'Approve', exact: true }).click()
    await app.until(() => fs.existsSync(path.join(folder, 'notes', 'ideas.md')), 'the file')
    // Left and come back to: the tour is in that folder, as it was left.
    const again = app.page.context().waitForEvent('page')
    await app.page.getByRole('button', { name: 'Take the tour' }).click()
    await (await again).getByText('Bed 2 needs shade').first().waitFor()
    assert.equal(fs.readFileSync(path.join(folder, 'notes', 'ideas.md'), 'utf8'), 'Bed 2 needs shade.\n')
  })

  test('the tour comes back when its tab was closed, and when its notebook was deleted', async (t) => {
    const app = await App.start(t, { world: new World({}, { fresh: true }) })
    app.expectProblem(/^popup: /)
    const take = async () => {
      const [page] = await Promise.all([
        app.page.context().waitForEvent('page'),
        app.page.getByRole('button', { name: 'Take the tour' }).click(),
      ])
      await page.getByRole('heading', { name: 'A tour of two minutes' }).waitFor()
      return page
    }
    const first = await take()
    await first.getByRole('tab', { name: /^Welcome,/ }).click({ button: 'middle' })
    await first.getByRole('heading', { name: 'No agent is open' }).waitFor()
    await app.layoutSaved(/"closed":\s*\[\s*"[^"]*welcome/)
    await first.close()

    const page = await take()
    const notebook = app.world.path('home', '.local', 'share', 'mutsumi', 'sample', '.mutsumi', 'welcome.mtm')
    await page.getByRole('treeitem', { name: /^Welcome,/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Move to trash' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
    await page.getByRole('heading', { name: 'Start your first agent in sample' }).waitFor()
    assert.equal(fs.existsSync(notebook), false)
    await page.getByRole('button', { name: 'Take the tour' }).click()
    await page.getByRole('heading', { name: 'A tour of two minutes' }).waitFor()
    await page.getByRole('treeitem', { name: /^Welcome,/ }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0, 'nothing is asked')
    assert.equal(await page.getByText('You have not trusted').count(), 0)
    // It can be used as before.
    const prompt = page.locator('article.cell').filter({ hasText: 'name the open questions' })
    await prompt.locator('.prompt').click()
    await page.keyboard.press('Shift+Enter')
    await prompt.locator('.answer').waitFor()
  })

  test('two windows that take the tour at the same moment both get it: first of all, closed and deleted', async (t) => {
    const app = await App.start(t, { world: new World({}, { fresh: true }) })
    app.expectProblem(/^popup: /)
    const windows = [app.page, await app.openTab()]
    // Both calls go out together.
    let waiting = []
    await app.context.route('**/api/call/OpenSample', async (route) => {
      await new Promise((go) => {
        waiting.push(go)
        if (waiting.length === 2) waiting = waiting.forEach((each) => each()) ?? []
      })
      await route.continue()
    })
    const press = (at) => at.getByRole('button', { name: 'Take the tour' }).click()
    const takes = async (at) => {
      const [page] = await Promise.all([at.waitForEvent('popup'), press(at)])
      await page.getByRole('heading', { name: 'A tour of two minutes' }).waitFor()
      return page
    }
    const both = () => Promise.all(windows.map(takes))
    const [one, two] = await both()

    // Closed, in the last window of the sample.
    await two.close()
    await one.getByRole('tab', { name: /^Welcome,/ }).click({ button: 'middle' })
    await app.layoutSaved(/"closed":\s*\[\s*"[^"]*welcome/)
    await one.close()
    const again = await both()
    for (const page of again) assert.equal(await page.getByRole('tab', { name: /^Welcome,/ }).count(), 1)

    // Deleted.
    await again[1].close()
    await again[0].getByRole('treeitem', { name: /^Welcome,/ }).click({ button: 'right' })
    await again[0].getByRole('menuitem', { name: 'Move to trash' }).click()
    await again[0].getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
    await again[0].getByRole('heading', { name: 'Start your first agent in sample' }).waitFor()
    for (const page of await both()) {
      assert.equal(await page.getByRole('treeitem', { name: /^Welcome,/ }).count(), 1)
      assert.equal(await page.getByRole('dialog').count(), 0, 'nothing is asked')
    }
    await again[0].getByRole('treeitem', { name: /^Welcome,/ }).waitFor()
  })

  test('a folder of several agents opens none of them', async (t) => {
    const world = new World({}, { fresh: true })
    const app = await App.start(t, { world })
    await app.newAgent()
    await app.newAgent()
    assert.equal((await app.agents()).length, 2)
    assert.equal(await app.page.getByRole('complementary', { name: 'Context' }).count(), 0, 'nothing was worked in yet')
  })
})

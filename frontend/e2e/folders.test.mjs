// Opening other folders from the window: the menu at the folder's name, the key, recent folders,
// and the folder of a start without one.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { notebookText, World } from './lib/world.mjs'
import { serve } from './lib/serve.mjs'

/** A world that has a second folder, which was opened before. */
function worldWithRecent() {
  const world = new World()
  const garden = world.path('garden')
  fs.mkdirSync(garden)
  fs.writeFileSync(world.path('state', 'recent.json'), JSON.stringify([garden, world.path('gone')]))
  return { world, garden }
}

/** Chooses what opens another folder and gives the page that it opens in. */
async function opens(app, choose) {
  app.expectProblem(/^(popup|request): http:\/\/127\.0\.0\.1:/)
  const [page] = await Promise.all([app.context.waitForEvent('page'), choose()])
  await page.getByRole('button', { name: 'New agent' }).first().waitFor()
  return page
}

describe('folders', { timeout: 600_000 }, () => {
  after(closeBrowser)

  test('the menu at the name of the folder opens a recent one in a tab of its own', async (t) => {
    const { world } = worldWithRecent()
    const app = await App.start(t, { world })
    await app.page.getByRole('button', { name: /^Folder workspace/ }).click()
    const items = await app.page.getByRole('menuitem').evaluateAll((all) => all.map((e) => e.textContent))
    assert.equal(items.filter((i) => /gone/.test(i)).length, 0, 'a folder that is gone is not offered')
    const page = await opens(app, () => app.page.getByRole('menuitem', { name: /^garden/ }).click())
    await page.getByRole('button', { name: /^Folder garden/ }).waitFor()
  })

  test('Ctrl+O asks for a path, reports what is wrong with it, and opens it', async (t) => {
    const { world, garden } = worldWithRecent()
    const app = await App.start(t, { world })
    await app.page.keyboard.press('ControlOrMeta+o')
    const dialog = app.page.getByRole('dialog', { name: 'Open a folder' })
    await dialog.getByLabel('Path').fill('/nowhere/at/all')
    app.expectProblem(/404/)
    await dialog.getByRole('button', { name: 'Open', exact: true }).click()
    await app.page.getByText(/there is no such folder/).waitFor()
    await dialog.getByLabel('Path').fill(garden)
    const page = await opens(app, () => app.page.keyboard.press('Enter'))
    await page.getByRole('button', { name: /^Folder garden/ }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  })

  test('this folder gets another window of the same program', async (t) => {
    const app = await App.start(t)
    await app.page.keyboard.press('ControlOrMeta+o')
    await app.page.getByRole('dialog', { name: 'Open a folder' }).getByLabel('Path').fill(`${app.world.folder}/`)
    const page = await opens(app, () => app.page.keyboard.press('Enter'))
    assert.equal(new URL(page.url()).origin, new URL(app.page.url()).origin)
  })

  test('a folder that was opened from here closes with the program', async (t) => {
    const { world } = worldWithRecent()
    const app = await App.start(t, { world })
    await app.page.getByRole('button', { name: /^Folder workspace/ }).click()
    const page = await opens(app, () => app.page.getByRole('menuitem', { name: /^garden/ }).click())
    const origin = new URL(page.url()).origin
    await app.server.stop('SIGKILL')
    await app.until(
      () =>
        fetch(origin).then(
          () => false,
          () => true,
        ),
      'the other program to end',
    )
    app.expectProblem(/./)
  })

  test('the welcome offers recent folders', async (t) => {
    const { world } = worldWithRecent()
    const app = await App.start(t, { world })
    await app.page.getByRole('heading', { name: 'Recent folders' }).waitFor()
    const page = await opens(app, () =>
      app.page
        .getByRole('main')
        .getByRole('button', { name: /^garden/ })
        .click(),
    )
    await page.getByRole('button', { name: /^Folder garden/ }).waitFor()
  })

  test('a folder that was moved away is named, and what is typed meanwhile is saved when it is back', async (t) => {
    const world = new World({ '.mutsumi/one.mtm': notebookText('One', []) })
    const app = await App.start(t, { world })
    app.expectProblem(/ 40\d /) // what the page asks for meanwhile is refused
    await app.openAgent('One')
    fs.renameSync(world.folder, world.path('elsewhere'))
    await app.typePrompt('Typed without a folder')
    await app.page
      .getByText(/the folder .+workspace is not there any more/i)
      .first()
      .waitFor()
    assert.equal(await app.page.getByText('a link that leads out').count(), 0)
    fs.renameSync(world.path('elsewhere'), world.folder)
    await app.until(() => world.read('.mutsumi/one.mtm').includes('Typed without a folder'), 'the text in the file')
  })

  test('a start without a folder opens the last one, whatever the current directory', async (t) => {
    const { world, garden } = worldWithRecent()
    t.after(() => world.remove())
    const elsewhere = world.path('elsewhere')
    fs.mkdirSync(elsewhere)
    const server = await serve(world, { folder: null, cwd: elsewhere })
    t.after(() => server.stop())
    assert.equal(path.resolve(server.folder), fs.realpathSync(garden))
  })
})

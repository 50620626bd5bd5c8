// The sidebar: making, naming, copying and deleting agents, while other programs change the folder.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { notebookText } from './lib/world.mjs'

describe('the sidebar', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('rename keeps the file and changes the name in it', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['q', 'a']]) } })
    await app.agentMenu('One', 'Rename')
    await app.page.getByRole('textbox', { name: 'Name of the agent' }).fill('Beds & barrels 文')
    await app.page.keyboard.press('Enter')
    await app.agent('Beds & barrels 文').waitFor()
    await app.until(() => app.world.notebook('.mutsumi/one.mtm').metadata.name === 'Beds & barrels 文', 'the new name in the file')
    assert.deepEqual(app.world.notebooks(), ['.mutsumi/one.mtm'])
  })

  test('duplicate makes a second file with an identity of its own', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['q', 'a']]) } })
    await app.agentMenu('One', 'Duplicate')
    await app.until(() => app.world.notebooks().length === 2, 'the second file')
    const [a, b] = app.world.notebooks().map((n) => app.world.notebook(n))
    assert.notEqual(a.metadata.uuid, b.metadata.uuid)
    assert.deepEqual(
      a.context.map((m) => m.content),
      b.context.map((m) => m.content),
    )
    await app.until(async () => (await app.agents()).length === 2, 'the second row')
  })

  test("delete asks, and moves the file to the system's trash", async (t) => {
    const app = await App.start(t, {
      files: { '.mutsumi/one.mtm': notebookText('One', [['q', 'a']]), '.mutsumi/two.mtm': notebookText('Two', []) },
    })
    await app.agentMenu('One', 'Move to trash…')
    const dialog = app.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.ok(app.world.exists('.mutsumi/one.mtm'))
    await app.agentMenu('One', 'Move to trash…')
    await dialog.getByRole('button', { name: 'Move to trash' }).click()
    await app.until(() => !app.world.exists('.mutsumi/one.mtm'), 'the file to go')
    await app.until(async () => (await app.agents()).join() === 'Two', 'the row to go')
    const trash = app.world.path('home', '.local', 'share', 'Trash', 'files')
    assert.equal(fs.readdirSync(trash).length, 1, 'it can be brought back')
    assert.equal(JSON.parse(fs.readFileSync(path.join(trash, fs.readdirSync(trash)[0]), 'utf8')).metadata.name, 'One')
  })

  test('children are below their parent', async (t) => {
    const parent = notebookText('Parent', [])
    const { uuid } = JSON.parse(parent).metadata
    const app = await App.start(t, {
      files: { '.mutsumi/parent.mtm': parent, '.mutsumi/a.mtm': notebookText('Child', [], { parent_agent_id: uuid }) },
    })
    await app.until(async () => (await app.agents()).join() === 'Parent,Child', 'both of them')
    assert.equal(await app.agent('Child').getAttribute('aria-level'), '2')
  })

  test('follows files that other programs write, rename and delete, in new folders too', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', []) } })
    await app.agent('One').waitFor()
    // As editors save: a new file next to it, then a rename over it.
    const text = notebookText('One renamed', [['q', 'a']])
    app.world.write('.mutsumi/one.mtm.tmp', text)
    fs.renameSync(path.join(app.world.folder, '.mutsumi/one.mtm.tmp'), path.join(app.world.folder, '.mutsumi/one.mtm'))
    await app.agent('One renamed').waitFor()
    app.world.write('deep/er/two.mtm', notebookText('Two', []))
    await app.agent('Two').waitFor()
    app.world.write('deep/er/three.mtm', notebookText('Three', []))
    await app.agent('Three').waitFor()
    fs.rmSync(path.join(app.world.folder, 'deep'), { recursive: true })
    await app.until(async () => (await app.agents()).join() === 'One renamed', 'the rows to go')
  })

  test('a thousand agents: all reachable, few rows in the page, search narrows', async (t) => {
    const files = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`.mutsumi/a${i}.mtm`, notebookText(`Agent ${String(i).padStart(4, '0')}`, [])]),
    )
    const app = await App.start(t, { files })
    await app.until(async () => (await app.page.getByRole('treeitem').first().getAttribute('aria-setsize')) === '1000', 'all of them')
    assert.ok((await app.page.getByRole('treeitem').count()) < 120)
    await app.page.getByRole('tree').focus()
    await app.page.keyboard.press('End')
    await app.until(async () => (await app.page.getByRole('treeitem').last().getAttribute('aria-posinset')) === '1000', 'the last row')
    await app.page.getByRole('textbox', { name: 'Search agents' }).fill('0123')
    await app.until(async () => (await app.agents()).join() === 'Agent 0123', 'the one that matches')
  })
})

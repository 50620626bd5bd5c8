// A child that works in a git work tree of its own, in a real repository: what
// it did is shown, merged, taken back, brought up to date over a conflict, and
// discarded; deleting its notebook loses nothing.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings, findingsInBoth, inBoth } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'
import { outFolder, World } from './lib/world.mjs'

const cart = (line) => `package cart\n\nconst (\n\tmost = 10\n\t${line}\n)\n`

describe('an own work tree', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  /** A repository, an agent that started "Worker" with a work tree of its own, and that one about to write its files. */
  async function start(t, options) {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const world = new World({ 'src/cart.go': cart('ttl = 1'), 'README.md': '# Cart\n' })
    const git = (...args) => execFileSync('git', args, { cwd: world.folder, env: world.env(), encoding: 'utf8' })
    git('init', '-q', '-b', 'main')
    git('add', '-A')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'first')
    const app = await App.start(t, { env: provider.env, world, ...options })
    const rest = () =>
      app.until(async () => (await app.call('Snapshot')).nodes.every((n) => n.status !== 'running'), 'all agents to be at rest')
    const step = (exchange, name, input) => {
      exchange.call(name, input)
      exchange.end()
    }
    const allow = async () => {
      const [request] = await app.until(async () => ((list) => list?.length && list)((await app.call('Snapshot')).approvals), 'the request')
      await app.call('ResolveApproval', request.id, { allow: true, scope: 'once', patterns: [], reason: '', arguments: '' })
    }
    await app.newAgent()
    await app.typePrompt('split it')
    await app.run()
    step(await provider.next(), 'self_fork', { children: [{ name: 'Worker', prompt: 'change the cart', worktree: true }] })
    await allow()
    step(await provider.next(), 'read_file', { uri: 'src/cart.go' })
    step(await provider.next(), 'write_file', { uri: 'src/cart.go', content: cart('ttl = 2') })
    await allow()
    step(await provider.next(), 'write_file', { uri: 'docs/notes.md', content: '# Notes\n\nThe cart forgets.\n' })
    await allow()
    const last = await provider.next() // the agent is at work until this is answered
    await app.openAgent('Worker')
    const shown = app.page.getByRole('button', { name: 'Show the context' })
    if (await shown.count()) await shown.click()
    await app.page.getByRole('button', { name: 'Changes', exact: true }).click()
    const section = app.page.getByRole('region', { name: 'Own work tree' })
    await section.getByText('2 files not in the folder yet').waitFor()
    const finish = async () => {
      step(last, 'task_finish', { summary: 'Done.' })
      const parent = await provider.next()
      parent.text('All done.')
      parent.end()
      await rest()
    }
    const { folder } = await app.call('Worktree', await app.activePath())
    return {
      app,
      world,
      provider,
      git,
      section,
      finish,
      rest,
      folder,
      button: (name) => section.getByRole('button', { name, exact: true }),
    }
  }
  const notices = (app) => app.page.getByRole('region', { name: 'Notices' })
  const look = (app, t, name) =>
    app.page.screenshot({ path: path.join(outFolder, `worktree-${name}-${t.name.includes('dark') ? 'dark' : 'light'}.png`) })

  for (const [colorScheme, viewport] of [
    ['light', { width: 1440, height: 900 }],
    ['dark', { width: 900, height: 600 }],
  ]) {
    test(`is merged, undone and resolved, in ${colorScheme}`, async (t) => {
      const { app, world, provider, git, section, finish, rest, folder, button } = await start(t, { colorScheme, viewport })
      app.expectProblem(/MergeWorktree|DeleteNotebook/)
      assert.ok(!folder.startsWith(world.folder))
      await section.getByText(/^mutsumi\/worker-/).waitFor()
      const row = (name) => section.getByRole('button', { name, exact: false }).and(section.locator('[aria-expanded]'))
      assert.match(await row('notes.md').innerText(), /new\s+\+3/)
      await row('cart.go').click()
      const figure = section.getByRole('figure', { name: 'Change of src/cart.go' })
      await app.until(async () => (await figure.locator('.line.add .text').count()) === 1, 'the difference')
      assert.deepEqual(await figure.locator('.line.add .text, .line.del .text').allTextContents(), [
        'removed: \tttl = 1',
        'added: \tttl = 2',
      ])
      assert.deepEqual(await findings(app.page), [], 'the section')
      await look(app, t, 'files')

      // Its files have the same name in every list.
      await app.page
        .getByRole('region', { name: /^Read and written/ })
        .getByText('own work tree/src/')
        .waitFor()

      // While the agent works nothing is merged, and the pane says so.
      await button('Merge into the folder').click()
      await section
        .getByRole('alert')
        .getByText(/Could not merge it: Worker is at work/)
        .waitFor()
      assert.equal(world.read('src/cart.go'), cart('ttl = 1'))
      await finish()

      // The notebook is not deleted as long as something would be lost with it.
      await app.agentMenu('Worker', 'Move to trash…')
      await app.page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
      await notices(app)
        .getByText(/would be lost \(files: 2/)
        .waitFor()
      await notices(app).getByRole('button', { name: 'Close notice' }).first().click()
      assert.ok(fs.existsSync(path.join(folder, 'docs/notes.md')))

      await button('Merge into the folder').click()
      await notices(app).getByText('2 files merged into the folder').waitFor()
      assert.deepEqual([world.read('src/cart.go'), world.exists('docs/notes.md')], [cart('ttl = 2'), true])
      await section.getByText('Nothing to merge').waitFor()
      await notices(app).getByRole('button', { name: 'Undo' }).click()
      await app.until(() => world.read('src/cart.go') === cart('ttl = 1') && !world.exists('docs/notes.md'), 'the merge to be taken back')
      await section.getByText('2 files not in the folder yet').waitFor()

      // Somebody changes the same line in the folder.
      world.write('src/cart.go', cart('ttl = 3'))
      await button('Merge into the folder').click()
      await section.getByText('1 file cannot be merged as it is').waitFor()
      assert.deepEqual([world.read('src/cart.go'), world.exists('docs/notes.md')], [cart('ttl = 3'), false], 'nothing is written')
      assert.deepEqual(await findings(app.page), [], 'a conflict')
      await look(app, t, 'conflict')
      await button('Bring up to date').click()
      await section.getByText('Both sides are in 1 file').waitFor()
      assert.match(
        fs.readFileSync(path.join(folder, 'src/cart.go'), 'utf8'),
        /<<<<<<< [^]*ttl = 3[^]*ttl = 2|<<<<<<< [^]*ttl = 2[^]*ttl = 3/,
      )
      assert.deepEqual(await findings(app.page), [], 'both sides')
      await look(app, t, 'marks')
      // With marks a merge asks first.
      await button('Merge into the folder').click()
      await app.page.getByRole('dialog', { name: "Merge with git's marks" }).getByRole('button', { name: 'Cancel' }).click()

      // The prompt is put into the notebook; the person sends it.
      await button('Ask the agent to resolve it').click()
      await app.until(async () => /src\/cart\.go/.test(await app.promptText()), 'the prompt')
      assert.ok(
        (await app.call('Snapshot')).nodes.every((n) => n.status !== 'running'),
        'nothing is sent by itself',
      )
      await app.prompt().locator('.cm-focused').waitFor()
      await app.run()
      const asked = await provider.next()
      assert.match(JSON.stringify(asked.body.messages.findLast((m) => m.role === 'user').content), /both sides are in them now/)
      fs.writeFileSync(path.join(folder, 'src/cart.go'), cart('ttl = 5'))
      asked.text('Both meant a longer time.')
      asked.end()
      await rest()
      await app.until(async () => (await section.getByText('Both sides are').count()) === 0, 'the file to be settled')
      await button('Merge into the folder').click()
      await app.until(() => world.read('src/cart.go') === cart('ttl = 5') && world.exists('docs/notes.md'), 'the merge')

      await section.getByText('Nothing to merge').waitFor()
      await button('Discard…').click()
      const question = app.page.getByRole('dialog', { name: 'Discard the work tree' })
      await question.getByText('Nothing is lost').waitFor()
      await question.getByRole('button', { name: 'Discard' }).click()
      await section.waitFor({ state: 'detached' })
      assert.ok(!fs.existsSync(folder))
      assert.equal(git('branch', '--list', 'mutsumi/*').trim(), '')
      assert.equal(world.read('src/cart.go'), cart('ttl = 5'), 'what was merged stays')
    })
  }

  test('is discarded after one question that lists the losses', async (t) => {
    const { app, world, section, finish, folder, button } = await start(t, {})
    await finish()
    await button('Discard…').click()
    const question = app.page.getByRole('dialog', { name: 'Discard the work tree' })
    await question.getByText(/2 files [^]*are lost for\s+good\./).waitFor()
    assert.deepEqual(await findings(app.page), [], 'the question')
    await question.getByRole('button', { name: 'Cancel' }).click()
    assert.ok(fs.existsSync(path.join(folder, 'docs/notes.md')))
    await button('Discard…').click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await section.waitFor({ state: 'detached' })
    assert.ok(!fs.existsSync(folder) && !world.exists('docs/notes.md'))
    app.expectReadsOfDeleted()
    await app.agentMenu('Worker', 'Move to trash…')
    await app.page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
    await app.agent('Worker').waitFor({ state: 'detached' })
  })

  test('without a notebook, deleted elsewhere, is reported, and recalled or discarded', async (t) => {
    const { app, world, git, section, finish, folder } = await start(t)
    await finish()
    app.expectReadsOfDeleted()
    app.expectProblem(/404 .*\/api\/notebook\?path=/) // it is on view when its file goes
    const remove = async () => {
      const file = await app.activePath()
      await app.page.getByRole('contentinfo').getByText('Saved', { exact: true }).waitFor() // else the person is asked about the file
      fs.rmSync(path.join(world.folder, file))
    }
    const bar = app.page.getByRole('status', { name: 'Work trees without a notebook' })
    await remove()
    await bar.getByText('The notebook of “Worker” is gone; its work tree is still there, with 2 files that the folder lacks.').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [], 'the bar')
    await inBoth(app.page, (scheme) => app.page.screenshot({ path: path.join(outFolder, `worktree-left-${scheme}.png`) }))
    await bar.getByRole('button', { name: 'Give it a notebook' }).click()
    await app.agent('Worker').waitFor()
    await section.getByText('2 files not in the folder yet').waitFor()
    assert.equal(await bar.getByRole('button').count(), 0)

    await remove()
    await bar.getByRole('button', { name: 'Discard…' }).click()
    const question = app.page.getByRole('dialog', { name: 'Discard the work tree' })
    await question.getByText(/files? [^]*(lost for\s+good|are lost)/).waitFor()
    await question.getByRole('button', { name: 'Discard' }).click()
    await app.until(async () => !fs.existsSync(folder) && (await bar.getByRole('button').count()) === 0, 'the work tree to be gone')
    assert.equal(git('branch', '--list', 'mutsumi/*').trim(), '')
  })
})

// A file that several agents write: the card names the others, shows both changes, waits for the
// other agent, and the inspector lists who touched what.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'

describe('files that several agents write', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  for (const [colorScheme, viewport] of [
    ['light', { width: 1440, height: 900 }],
    ['dark', { width: 900, height: 600 }],
  ]) {
    test(`the second writer is warned, compares and waits, in ${colorScheme}`, async (t) => {
      const provider = await Paced.start()
      t.after(() => provider.stop())
      const app = await App.start(t, { env: provider.env, files: { 'cart.go': 'package cart\n\nvar ttl = 1\n' }, colorScheme, viewport })
      const inbox = app.page.getByRole('region', { name: 'Waiting for you' })
      /** A new agent that reads the file at its first step. */
      async function reader(name) {
        await app.newAgent()
        await app.call('RenameNotebook', await app.activePath(), name)
        await app.typePrompt(`${name}: work on cart.go`)
        await app.run()
        const exchange = await provider.next()
        exchange.call('read_file', { uri: 'cart.go' })
        exchange.end()
        return provider.next()
      }
      const write = (exchange, now) => {
        exchange.call('edit_file', { uri: 'cart.go', edits: [{ old: 'var ttl = 1', new: now }] })
        exchange.end()
      }
      const one = await reader('One')
      write(one, 'var ttl = 1 // seconds')
      await inbox.getByRole('button', { name: 'Approve' }).click()
      const oneGoesOn = await provider.next()
      await app.until(() => app.world.read('cart.go').includes('seconds'), 'the first change')

      const two = await reader('Two')
      // The second one is about to write the file that the first one wrote and still works on.
      write(two, 'var ttl = 2')
      const card = inbox.getByRole('article')
      await card.getByText('“One” wrote cart.go too').waitFor()
      await card.getByRole('button', { name: 'More…' }).click()
      const dialog = app.page.getByRole('dialog', { name: 'Waiting for you' })
      const bar = dialog.getByRole('note')
      await bar.getByText(/“One” wrote cart\.go .*(just now|ago) and is still at work/).waitFor()
      assert.deepEqual(await findings(app.page), [], 'the warning')
      await bar.getByRole('button', { name: /^Compare/ }).click()
      const compare = app.page.getByRole('dialog', { name: 'cart.go: two agents' })
      await compare.getByRole('region', { name: 'What “One” did' }).getByText('seconds').first().waitFor()
      await compare.getByRole('region', { name: 'What “Two” wants to do' }).waitFor()
      assert.deepEqual(await findings(app.page), [], 'both changes')
      await app.page.keyboard.press('Escape')
      await compare.waitFor({ state: 'detached' })
      await bar.getByRole('button', { name: 'Let it wait' }).click()
      await dialog.getByText('Waits until “One” is done').waitFor()
      assert.deepEqual(await findings(app.page), [], 'put aside')
      await app.page.keyboard.press('Escape')
      await card.getByText('Waits until “One” is done').waitFor()

      // The first one ends: the request comes back.
      oneGoesOn.text('Done.')
      oneGoesOn.end()
      await app.until(async () => (await card.getByText('Waits until').count()) === 0, 'the request to come back')
      await card.getByRole('button', { name: 'Reject…' }).click()
      await app.typeInField('leave it')
      await app.page.keyboard.press('Enter')
      const last = await provider.next()
      last.text('Then not.')
      last.end()
      await app.waitIdle()

      // The inspector shows who touched what.
      await app.openAgent('One')
      const shown = app.page.getByRole('button', { name: 'Show the context' })
      if (await shown.count()) await shown.click()
      await app.page.getByRole('button', { name: 'Changes', exact: true }).click()
      const files = app.page.getByRole('region', { name: /^Read and written/ })
      await files.getByRole('button', { name: /cart\.go\s*read, wrote/ }).waitFor()
      assert.deepEqual(await findings(app.page), [], 'the files')
    })
  }

  test('a command that waits is warned of a file that another agent writes meanwhile', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    const inbox = app.page.getByRole('region', { name: 'Waiting for you' })
    async function ask(name, tool, args) {
      await app.newAgent()
      await app.call('RenameNotebook', await app.activePath(), name)
      await app.typePrompt(`${name}: work on notes.md`)
      await app.run()
      const exchange = await provider.next()
      exchange.call(tool, args)
      exchange.end()
    }
    await ask('One', 'shell', { command: 'echo one >> notes.md' })
    const card = inbox.getByRole('article').filter({ hasText: 'echo one' })
    await card.waitFor()
    assert.equal(await card.getByText('wrote notes.md').count(), 0)
    await ask('Two', 'write_file', { uri: 'notes.md', content: 'two\n' })
    await inbox.getByRole('article').filter({ hasNotText: 'echo one' }).getByRole('button', { name: 'Approve' }).click()
    const two = await provider.next()
    await card.getByText('“Two” wrote notes.md').waitFor()
    assert.equal(app.world.read('notes.md'), 'two\n')
    await card.getByRole('button', { name: 'Review…' }).click()
    await app.page.getByRole('dialog', { name: 'Waiting for you' }).getByRole('button', { name: 'Approve' }).click()
    const one = await provider.next()
    await app.until(() => app.world.read('notes.md') === 'two\none\n', 'the command, which was approved once')
    for (const last of [one, two]) {
      last.text('Done.')
      last.end()
    }
    await app.waitIdle()
  })
})

// Notebooks that another agent answers: chosen where models are, its calls and its plan, its questions, and the settings (SPEC 14).
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth, misfits, smallControls } from './lib/axe.mjs'
import { notebookText, outFolder, World } from './lib/world.mjs'

const script = fileURLToPath(new URL('lib/acpAgent.mjs', import.meta.url))
const provider = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-none', OPENAI_MODEL: 'gpt-4o' }

/** A world in whose PATH Claude Code's agent is, with more variables; and no other agent. */
function worldWith(files = { '.mutsumi/one.mtm': notebookText('One', []) }, variables = {}) {
  const world = new World({ 'garden.md': 'Water when the rain fails.\n', ...files })
  const bin = world.path('bin')
  fs.mkdirSync(bin)
  const set = Object.entries({ ACP_HEARD: world.path('heard'), ...variables }).map(([name, value]) => `${name}='${value}' `)
  fs.writeFileSync(path.join(bin, 'claude-agent-acp'), `#!/bin/sh\n${set.join('')}exec '${process.execPath}' '${script}'\n`, {
    mode: 0o755,
  })
  return { world, env: { PATH: `${bin}:/usr/bin:/bin` } }
}
const heard = (world) => fs.readFileSync(world.path('heard'), 'utf8').trim().split('\n').map(JSON.parse)

describe('another agent', { timeout: 300_000 }, () => {
  after(closeBrowser)

  test('is chosen where models are, answers with its calls and its plan, and asks in the inbox', async (t) => {
    const { world, env } = worldWith()
    const app = await App.start(t, { world, env: { ...env, ...provider }, viewport: { width: 1440, height: 900 } })
    const { page } = app
    await app.openAgent('One')
    await page.getByRole('button', { name: /^Model: / }).click()
    const menu = page.getByRole('menu', { name: 'Who answers' })
    await menu.getByText('An agent on this computer').waitFor()
    await menu.getByRole('menuitemradio', { name: /^Claude Code/ }).click()
    const who = page.getByRole('button', { name: 'Who answers: Claude Code' })
    await who.waitFor()
    await page.getByText('no exact preview here').waitFor()
    await app.until(() => world.notebook().metadata.provider === 'acp', 'the choice in the file')
    assert.equal(world.notebook().metadata.model, 'claude-code')
    await page.getByRole('treeitem', { name: /^One, .*Claude Code answers, over ACP/ }).waitFor()

    await app.typePrompt('Please change the sentence')
    await page.keyboard.press('Shift+Enter')
    const card = page.locator('article.cell [data-approval]')
    await card.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    const plan = page.getByRole('region', { name: 'Plan' })
    await plan.getByText('1 of 3').waitFor()
    assert.equal(world.read('garden.md'), 'Water when the rain fails.\n', 'nothing is written before the approval')
    assert.deepEqual(await findingsInBoth(page), [])
    await page.screenshot({ path: path.join(outFolder, 'acp-asks.png') })
    await app.until(async () => {
      await card.getByRole('button', { name: 'Approve', exact: true }).click()
      return (await card.count()) === 0
    }, 'the approval')
    await app.waitIdle()
    assert.equal(world.read('garden.md'), 'Water when the last rain fails.\n')
    await page.getByText('the last rain', { exact: true }).waitFor()

    await plan.getByText('3 of 3').waitFor()
    assert.equal(await page.getByRole('region', { name: 'Plan' }).count(), 1, 'there is one card for three plans')
    await plan.getByText('changed 2 times').waitFor()
    const line = (text) => page.locator('.tool .line').filter({ hasText: text })
    await line(/Searched rain/).waitFor()
    await line(/Ran wc -l garden\.md/).waitFor()
    await line(/Edited garden\.md/).click()
    const diff = page.getByRole('figure', { name: 'Change of garden.md' })
    await diff.getByText('Water when the last rain fails.').waitFor()
    await line(/Ran wc/).click()
    assert.deepEqual(await findingsInBoth(page), [])
    assert.deepEqual([await misfits(page), await smallControls(page)], [[], []])
    await page.screenshot({ path: path.join(outFolder, 'acp-notebook.png') })

    // What it offers, and says of its session.
    await page.getByRole('button', { name: 'Model: Sonnet 4.5' }).click()
    await page.getByRole('menuitemradio', { name: /^Opus 4\.5/ }).click()
    await page.getByRole('button', { name: 'Model: Opus 4.5' }).waitFor()
    await app.until(() => heard(world).some((m) => m.method === 'session/set_config_option' && m.params.value === 'opus'), 'the choice')
    const pane = page.getByRole('complementary', { name: 'Context' })
    await pane.getByText('With Claude Code').waitFor()
    await pane.getByText('64k of 200k').waitFor()
    await pane.getByText('$0.42 in this session.').waitFor()
    assert.equal(await pane.getByRole('button', { name: 'Tools', exact: true }).count(), 0)
    await pane.getByRole('button', { name: /^\/review/ }).click()
    await app.until(async () => (await app.promptText()).startsWith('/review'), 'the command in the prompt')
    assert.deepEqual(await findingsInBoth(page), [])

    // No request is made up.
    await page.getByRole('button', { name: 'See what it got' }).click()
    const preview = page.getByRole('region', { name: 'What will be sent' })
    await preview.getByText('there is no exact preview', { exact: false }).waitFor()
    await preview.getByText('/review').first().waitFor()
    assert.equal(await preview.getByText('model and parameters').count(), 0)
    assert.equal(await preview.getByText('definitions', { exact: false }).count(), 0)
    assert.deepEqual(await findingsInBoth(page), [])
  })

  test('that ends in the middle is a failed run with its last words', async (t) => {
    const files = { '.mutsumi/one.mtm': notebookText('One', [], { provider: 'acp', model: 'claude-code' }) }
    const { world, env } = worldWith(files)
    const app = await App.start(t, { world, env: { ...env, ...provider } })
    await app.openAgent('One')
    await app.typePrompt('Please crash')
    await app.page.keyboard.press('Shift+Enter')
    await app.page.getByRole('alert').getByText('out of compost', { exact: false }).waitFor()
  })

  test('that needs a sign-in says so, and is signed in to in the settings, where own ones are added and removed', async (t) => {
    const files = { '.mutsumi/one.mtm': notebookText('One', [], { provider: 'acp', model: 'claude-code' }) }
    const { world, env } = worldWith(files, { ACP_SIGNIN: '1' })
    const app = await App.start(t, { world, env: { ...env, ...provider } })
    const { page } = app
    await app.openAgent('One')
    await app.typePrompt('Hello')
    await page.keyboard.press('Shift+Enter')
    await page.locator('article.cell').first().getByRole('alert').waitFor()
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByRole('tab', { name: 'Agents' }).click()
    const list = dialog.getByRole('list', { name: 'Agents on this computer', exact: true })
    const claude = list.getByRole('listitem').filter({ hasText: 'Claude Code' })
    await claude.getByText('needs you to sign in').waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    await claude.getByRole('button', { name: 'Sign in to Claude Code' }).click()
    await claude.getByText('ready · 2.1.44').waitFor()
    assert.ok(heard(world).some((m) => m.method === 'authenticate' && m.params.methodId === 'key'))
    assert.ok((await dialog.getByRole('button', { name: /^How to install / }).count()) > 3)

    await dialog.getByRole('button', { name: 'Add agent…' }).click()
    const form = dialog.getByRole('form', { name: 'Add an agent' })
    await form.getByRole('textbox', { name: 'Name' }).fill('My agent')
    await form.getByRole('textbox', { name: 'Command line' }).fill(`${process.execPath} '${script}'`)
    await form.getByRole('textbox', { name: 'Variables' }).fill(`ACP_HEARD=${world.path('mine')}`)
    assert.deepEqual(await findingsInBoth(page), [])
    assert.deepEqual([await misfits(page), await smallControls(page)], [[], []])
    await page.screenshot({ path: path.join(outFolder, 'acp-settings.png') })
    await form.getByRole('button', { name: 'Add', exact: true }).click()
    const mine = list.getByRole('listitem').filter({ hasText: 'My agent' })
    await mine.getByText('yours').waitFor()
    assert.match(fs.readFileSync(world.path('config', 'settings.yaml'), 'utf8'), /ACP_HEARD/)
    await mine.getByRole('button', { name: 'Remove My agent' }).click()
    await page.getByRole('dialog', { name: 'Remove My agent' }).getByRole('button', { name: 'Remove', exact: true }).click()
    await mine.waitFor({ state: 'detached' })
  })

  test('that was found is a way to begin while no provider is connected', async (t) => {
    const { world, env } = worldWith({})
    const app = await App.start(t, { world, env })
    const { page } = app
    await page.getByText('Claude Code is on this computer.').waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    await page.getByRole('button', { name: 'Use it: Claude Code' }).click()
    await page.getByRole('button', { name: 'Who answers: Claude Code' }).waitFor()
    await app.typePrompt('Good morning')
    await page.keyboard.press('Shift+Enter')
    await app.waitIdle()
    assert.match(await app.answerText(0), /A good morning to you/)

    // A notebook that the offline guide would answer.
    await app.newAgent()
    const offer = page.getByText('Claude Code is on this computer. Until you connect a provider, it can answer here.')
    await offer.waitFor()
    await page.getByRole('button', { name: 'Not now' }).click()
    await offer.waitFor({ state: 'detached' })
  })
})

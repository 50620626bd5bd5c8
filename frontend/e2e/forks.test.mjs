// Agents that an agent wants to start, and questions to the person: the cards,
// with the keyboard, until the children are done and the parent has answered.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings } from './lib/axe.mjs'
import { mock } from './lib/provider.mjs'

const child = (name, prompt, more = {}) => ({ name, prompt, ...more })
const call = (id, name, input) => ({ toolCalls: [{ id, name, arguments: JSON.stringify(input) }] })

describe('forks and questions', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  /** The program with a model that follows the test: `script` gets the mocked server. */
  async function start(t, script, options = {}) {
    const provider = await mock()
    t.after(() => provider.stop())
    script(provider.server)
    const app = await App.start(t, { env: provider.env, files: { 'src/a.txt': 'a\n', 'docs/b.txt': 'b\n' }, ...options })
    await app.newAgent()
    return { app, provider }
  }
  /** A parent that forks at "split", and children that finish with the texts of their prompts. */
  function forks(children) {
    return (server) => {
      server.onToolResult('call_fork', { content: 'All of them are done.' })
      server.onMessage('alpha', call('call_a', 'task_finish', { summary: 'Alpha **found** it.' }))
      server.onMessage('beta', call('call_b', 'task_finish', { summary: 'Beta is done.' }))
      server.onMessage('split', call('call_fork', 'self_fork', { children }))
    }
  }
  const inbox = (app) => app.page.getByRole('region', { name: 'Waiting for you' })
  const dialog = (app) => app.page.getByRole('dialog', { name: 'Waiting for you' })
  const focus = (app) => app.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  /** Types the prompt, runs it, and goes to the whole card with the keyboard. */
  async function toCard(app, prompt, name) {
    await app.typePrompt(prompt)
    await app.run()
    await inbox(app).getByRole('article').first().waitFor()
    await app.page.keyboard.press('ControlOrMeta+j')
    await app.until(async () => (await focus(app)).startsWith(name), 'the card to have the focus')
    await app.page.keyboard.press('Enter')
    await dialog(app).waitFor()
    await app.until(async () => (await focus(app)).startsWith(name), 'the whole card to have the focus')
  }
  /** A key works once the card has had the focus for a moment. */
  const until = (app, key, check, what) =>
    app.until(async () => {
      await app.page.keyboard.press(key)
      return check()
    }, what)

  for (const [colorScheme, viewport] of [
    ['light', { width: 1440, height: 900 }],
    ['dark', { width: 900, height: 600 }],
  ]) {
    test(`a fork is edited and started, and its children report, in ${colorScheme}`, async (t) => {
      const { app, provider } = await start(
        t,
        forks([child('First', 'alpha one', { allowed_uris: ['src', 'docs'] }), child('Second', 'beta'), child('Third', 'gamma')]),
        { colorScheme, viewport },
      )
      const parent = await app.activePath()
      await toCard(app, 'split it', 'Start 3 agents')
      assert.deepEqual(await findings(app.page), [], 'the fork card')
      const agents = dialog(app).getByRole('listitem')
      assert.equal(await agents.count(), 3)
      const first = agents.nth(0)
      // One folder less, none from outside; another prompt; one agent less.
      await first.getByRole('button', { name: 'Remove docs' }).press('Enter')
      await first.getByRole('button', { name: 'Folder' }).press('Enter')
      await app.page.keyboard.type('/etc')
      await app.page.keyboard.press('Enter')
      await first.getByText('/etc is outside of what the parent may touch').waitFor()
      await app.page.keyboard.press('Escape')
      await first.getByRole('textbox', { name: 'Prompt of First' }).fill('alpha two')
      await first.getByRole('textbox', { name: 'Name of agent 1' }).fill('Premier')
      await agents.nth(2).getByRole('button', { name: 'Remove Third' }).press('Enter')
      await app.until(async () => (await agents.count()) === 2, 'the third to be gone')
      // A missing prompt is reported, and nothing starts.
      const second = agents.nth(1).getByRole('textbox', { name: 'Prompt of Second' })
      await second.fill('')
      await dialog(app).getByText('“Second” has no prompt.').first().waitFor()
      await second.press('ControlOrMeta+Enter')
      assert.equal(await agents.count(), 2)
      await second.fill('beta')
      await until(app, 'ControlOrMeta+Enter', async () => (await dialog(app).count()) === 0, 'the fork to start')

      await app.until(async () => (await app.answerText()).includes('All of them are done.'), 'the answer of the parent')
      await app.waitIdle()
      await app.until(async () => (await app.agents()).slice(-2).join() === 'Premier,Second', 'both in the tree')
      await app
        .agent('Premier')
        .and(app.page.getByRole('treeitem', { name: /Finished/ }))
        .waitFor()
      // What went out and came back.
      const asked = provider.requests().map((r) => r.body.messages.findLast((m) => m.role === 'user').content)
      assert.ok(
        asked.some((text) => JSON.stringify(text).includes('alpha two')) && !asked.some((text) => JSON.stringify(text).includes('gamma')),
        'the children got the edited prompts',
      )
      const told = JSON.stringify(
        provider
          .requests()
          .at(-1)
          .body.messages.findLast((m) => m.role === 'tool').content,
      )
      assert.match(told, /Premier/)
      assert.match(told, /Alpha \*\*found\*\* it/)
      assert.doesNotMatch(told, /Third/)
      const nodes = (await app.call('Snapshot')).nodes
      const made = nodes.find((n) => n.name === 'Premier')
      assert.equal(made.parentId, nodes.find((n) => n.file === parent).uuid)
      assert.deepEqual(
        (await app.notebook(made.file)).meta.allowed.map((f) => f.split('/').at(-1)),
        ['src'],
      )

      // In the notebook: the children with the way to them, and the report as Markdown.
      const list = app.cell(1).getByRole('list', { name: 'Started agents' })
      await app.until(
        async () =>
          (await list.getByRole('listitem').evaluateAll((all) => all.map((li) => li.querySelector('.name')?.textContent))).join() ===
          'Premier,Second',
        'both in the answer',
      )
      await app.cell(1).getByRole('button', { name: 'Report' }).click()
      await app.cell(1).locator('.md strong', { hasText: 'found' }).waitFor()
      assert.deepEqual(await findings(app.page), [], 'the notebook')
      await list.getByRole('button', { name: /Premier/ }).click()
      await app
        .tab()
        .and(app.page.getByRole('tab', { name: /^Premier,/ }))
        .waitFor()
    })
  }

  test('a refused fork stays in the card, with the reason', async (t) => {
    const { app } = await start(t, forks([child('First', 'alpha')]))
    app.expectProblem(/status of 400 .*ResolveApproval/)
    await toCard(app, 'split it', 'Start an agent')
    // A folder that is not there: only the program knows.
    await dialog(app).getByRole('button', { name: 'Only some of them' }).press('Enter')
    await app.page.keyboard.type('nowhere')
    await app.page.keyboard.press('Enter')
    await dialog(app).getByRole('button', { name: 'Remove nowhere' }).waitFor()
    await until(app, 'ControlOrMeta+Enter', () => dialog(app).getByRole('alert').filter({ hasText: 'nowhere' }).count(), 'the refusal')
    assert.deepEqual(await findings(app.page), [], 'the refusal')
    await dialog(app).getByRole('button', { name: 'Remove nowhere' }).click()
    await until(app, 'ControlOrMeta+Enter', async () => (await dialog(app).count()) === 0, 'the fork to start')
    await app.until(async () => (await app.answerText()).includes('All of them are done.'), 'the answer')
  })

  test('a fork that is rejected starts nobody, and the agent reads why', async (t) => {
    const { app, provider } = await start(t, forks([child('First', 'alpha'), child('Second', 'beta')]))
    await app.typePrompt('split it')
    await app.run()
    const card = app.cell(1).locator('section[data-approval]')
    await card.getByRole('button', { name: 'Reject…' }).click()
    await app.typeInField('do it yourself')
    await app.page.keyboard.press('Enter')
    await app.waitIdle()
    assert.match(
      JSON.stringify(
        provider
          .requests()
          .at(-1)
          .body.messages.findLast((m) => m.role === 'tool').content,
      ),
      /do it yourself/,
    )
    assert.equal((await app.agents()).length, 1)
  })

  test('a question is answered with the keyboard alone', async (t) => {
    const { app, provider } = await start(t, (server) => {
      server.onToolResult('call_q', { content: 'Then blue.' })
      server.onMessage('paint', call('call_q', 'ask_user', { question: 'Which **colour**?', choices: ['red', 'blue'] }))
    })
    await toCard(app, 'paint it', 'Question')
    await dialog(app).locator('strong', { hasText: 'colour' }).waitFor()
    assert.deepEqual(await findings(app.page), [], 'the question')
    await app.page.keyboard.press('1')
    await app.page.keyboard.press('2')
    assert.equal(await dialog(app).getByRole('radio', { name: 'blue' }).isChecked(), true)
    await dialog(app).getByRole('textbox', { name: 'In your own words' }).focus()
    await app.page.keyboard.type('a dark one')
    await until(app, 'ControlOrMeta+Enter', async () => (await dialog(app).count()) === 0, 'the answer to go out')
    await app.waitIdle()
    const told = provider
      .requests()
      .at(-1)
      .body.messages.findLast((m) => m.role === 'tool').content
    assert.match(JSON.stringify(told), /The person answers: blue\\n\\na dark one/)
    const asked = app.cell(1).getByRole('group', { name: 'Question to you' })
    assert.match(await asked.innerText(), /Which colour\?[\s\S]*You\s*blue\s+a dark one/)
    assert.match(await app.answerText(), /Then blue\./)
    assert.deepEqual(await findings(app.page), [], 'the answered question')
  })

  test('questions are skipped with a reason, in the notebook, and no batch touches them', async (t) => {
    const { app, provider } = await start(t, (server) => {
      server.onToolResult('call_q', { content: 'I go on.' })
      server.onMessage('ask', call('call_q', 'ask_user', { question: 'What now?', choices: ['a', 'b', 'c'], several: true }))
    })
    await app.typePrompt('ask me')
    await app.run()
    const card = app.cell(1).locator('section[data-approval]')
    await card.getByRole('checkbox', { name: 'a' }).check()
    assert.equal(await card.getByRole('button', { name: /alike|Always/ }).count(), 0)
    await card.getByRole('button', { name: 'Skip…' }).click()
    await app.typeInField('no time')
    await app.page.keyboard.press('Enter')
    await app.waitIdle()
    assert.match(
      JSON.stringify(
        provider
          .requests()
          .at(-1)
          .body.messages.findLast((m) => m.role === 'tool').content,
      ),
      /does not answer this question, and says why: no time/,
    )
    await app.cell(1).getByText('Not answered: no time').waitFor()
  })

  test('an agent’s kind is set next to its model, and a new agent of a kind is made', async (t) => {
    const { app } = await start(t, () => {}, {
      files: {
        '.mutsumi/agents/broken.md': '---\nname: broken\ntools: [nothing-like-this]\n---\nx\n',
        '.mutsumi/agents/tester.md': '---\nname: tester\ndescription: Runs the tests.\ntools: [read, shell]\n---\nRun the tests.\n',
      },
    })
    await app.page.getByRole('button', { name: 'Kind of agent: chat' }).press('Enter')
    const menu = app.page.getByRole('menu', { name: 'Kind of agent' })
    const broken = menu.getByRole('menuitemradio', { name: /broken/ })
    assert.equal(await broken.getAttribute('aria-disabled'), 'true')
    assert.match(await broken.innerText(), /broken\.md/)
    assert.match(await menu.getByRole('menuitemradio', { name: /reviewer/ }).innerText(), /changes nothing/)
    assert.deepEqual(await findings(app.page), [], 'the kinds')
    await menu.getByRole('menuitemradio', { name: /tester/ }).click()
    await app.page.getByRole('button', { name: 'Kind of agent: tester' }).waitFor()
    assert.equal((await app.notebook(await app.activePath())).meta.agentType, 'tester')
    await app.page.getByRole('button', { name: 'New one of a kind' }).click()
    await app.page.getByRole('menuitem', { name: /reviewer/ }).click()
    await app.page.getByRole('button', { name: 'Kind of agent: reviewer' }).waitFor()
    await app.until(async () => (await app.agents()).length === 2, 'both in the tree')
    // A kind that comes while the window is open can be chosen at once.
    app.world.write('.mutsumi/agents/late.md', '---\nname: late\ntools: [read]\n---\nCome late.\n')
    await app.until(async () => {
      await app.page.getByRole('button', { name: /^Kind of agent/ }).click()
      const there = await menu.getByRole('menuitemradio', { name: /late/ }).count()
      await app.page.keyboard.press('Escape')
      return there
    }, 'the kind that came late')
  })

  test('the number of parallel agents, and notifications, are kept', async (t) => {
    const { app } = await start(t, () => {})
    await app.page.keyboard.press('ControlOrMeta+,')
    await app.page.getByRole('tab', { name: 'Running' }).click()
    const field = app.page.getByRole('textbox', { name: 'Parallel agents' })
    await field.fill('65')
    await app.page.getByText('A whole number from 1 to 64.').waitFor()
    await field.fill('7')
    await app.page.getByRole('switch', { name: 'Notifications' }).click()
    assert.deepEqual(await findings(app.page), [], 'the settings')
    const kept = async () => (await app.call('Settings')).preferences
    await app.until(async () => (await kept()).parallelAgents === 7 && (await kept()).quiet === true, 'the preferences to be kept')
  })
})

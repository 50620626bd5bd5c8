// Commands in the notebook: their last lines while they run, how they ended, and their colours
// afterwards. Their output harms and slows nothing.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'

describe('a command in the notebook', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  /** The program with a model controlled by the test, and an agent that was asked something. */
  async function asked(t, options = {}) {
    const model = await Paced.start()
    t.after(() => model.stop())
    const app = await App.start(t, { env: model.env, ...options })
    for (const tool of ['shell', 'self_fork'])
      await app.call('AddApprovalRule', '', { id: '', tool, pattern: '*', deny: false, scope: 'always', notebook: '', atMs: 0 })
    await app.newAgent()
    await app.typePrompt('Go on')
    await app.run()
    return { app, model }
  }
  /** Answers the next request with calls of the shell. */
  async function runs(model, ...commands) {
    const request = await model.next()
    commands.forEach((c, i) => request.call('shell', typeof c === 'string' ? { command: c } : c, i))
    request.end()
  }
  const says = async (model, text) => {
    const request = await model.next()
    request.text(text)
    request.end()
    return request
  }
  const tail = (page) => page.getByRole('group', { name: 'Last lines of the output' })
  const lines = (page) => tail(page).first().locator('.line').allInnerTexts()
  const row = (page, n = 0) => page.locator('.tool .line[aria-expanded]').nth(n)
  const forever = String.raw`for i in $(seq 1 100000); do printf '\033[32mok\033[0m line %d\n' $i; sleep 0.1; done`

  test('shows its last lines in a region that never changes its height, in every window, and after a reload', async (t) => {
    const { app, model } = await asked(t)
    await runs(model, forever)
    await tail(app.page).locator('.line').nth(5).waitFor()
    const box = async () => (await tail(app.page).boundingBox()).height
    const [height, first] = [await box(), await lines(app.page)]
    await app.until(async () => (await lines(app.page))[0] !== first[0], 'newer lines')
    assert.equal(await box(), height)
    assert.equal((await lines(app.page)).length, 6)
    assert.equal(await tail(app.page).locator('.fg-green').first().innerText(), 'ok')
    assert.match(await row(app.page).innerText(), /^Running\s/)
    assert.deepEqual(await findings(app.page), [])

    const other = await app.openTab()
    await tail(other).locator('.line').nth(5).waitFor()
    await other.close()
    await app.reload()
    await tail(app.page).locator('.line').nth(5).waitFor()

    await row(app.page).click()
    const terminal = app.page.getByRole('group', { name: 'Output' })
    await terminal.locator('.line').nth(8).waitFor()
    await app.page.getByRole('button', { name: 'Stop the command' }).click()
    await app.until(async () => /^Stopped\s/.test(await row(app.page).innerText()), 'the row to say that it was stopped')
    // Its output is still there, in colour.
    await app.page.getByRole('group', { name: 'Result of shell' }).locator('.fg-green').first().waitFor()
    const next = await says(model, 'It was stopped.')
    assert.match(next.body.messages.at(-1).content, /line 1\n[^]*\[It was stopped\.\]/)
    assert.ok(!next.body.messages.at(-1).content.includes('\u001b'), 'the model gets plain text')
    await app.waitIdle()
  })

  test('that is unfolded stays under the pointer, during its run and afterwards', async (t) => {
    const { app, model } = await asked(t, { viewport: { width: 1000, height: 480 } })
    await runs(
      model,
      String.raw`printf '\033[31mred %s\033[0m\n' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; while [ ! -e go ]; do sleep 0.05; done`,
    )
    await tail(app.page).getByText('red 20').waitFor()
    const top = async () => (await row(app.page).boundingBox()).y
    const drawn = () => app.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    const rests = async () => {
      const before = await top()
      await drawn()
      return before === (await top())
    }
    const unfold = async (shown) => {
      await app.until(rests, 'the row to rest')
      const before = await top()
      await row(app.page).click()
      await shown.waitFor()
      await drawn()
      assert.ok(Math.abs((await top()) - before) <= 1, `the row went from ${before} to ${await top()}`)
      await row(app.page).click()
    }
    await unfold(app.page.getByRole('group', { name: 'Output' }).getByText('red 20'))
    app.world.write('go', '')
    await says(model, Array.from({ length: 30 }, (_, i) => `Line ${i}.`).join('\n\n'))
    await app.waitIdle()
    await row(app.page).scrollIntoViewIfNeeded()
    await unfold(app.page.getByRole('group', { name: 'Result of shell' }).getByText('red 20'))
  })

  test('that ended says how, keeps its colours over a restart, and one cut off by a kill never runs again', async (t) => {
    const { app, model } = await asked(t, { files: { 'a.py': 'def plant():\n    raise ValueError("no bed")\nplant()\n' } })
    await runs(model, String.raw`printf '\033[1;31mbad\033[0m 花园\n'; python3 a.py`)
    await says(model, 'It failed.')
    await app.waitIdle()
    assert.match(await row(app.page).innerText(), /^Command failed[^]*exit 1 · /)
    assert.equal(await app.page.locator('.tool .outcome').innerText(), 'ValueError: no bed')
    await app.typePrompt('Once more')
    await app.run()
    await runs(model, forever)
    await tail(app.page).waitFor()
    await app.restart('SIGKILL')
    const { page } = app
    await page.getByRole('treeitem').first().click()
    await page.locator('.tool').nth(1).waitFor()
    assert.match(await row(page, 1).innerText(), /^Interrupted\s/)
    assert.equal(await tail(page).count(), 0)
    await row(page, 0).click()
    const result = page.getByRole('group', { name: 'Result of shell' })
    assert.equal(await result.locator('.fg-red.bold').innerText(), 'bad')
    // If the colours are gone, the text replaces them.
    app.expectProblem(/404 \(Not Found\).*CommandOutput/)
    await row(page, 0).click()
    fs.rmSync(app.world.path('state', 'terminal'), { recursive: true })
    await row(page, 0).click()
    await result.getByText('bad 花园').waitFor()
    assert.equal(await result.locator('.fg-red').count(), 0)
  })

  test('in the background runs on after its answer, and its row says when it is stopped', async (t) => {
    const { app, model } = await asked(t)
    await runs(model, { command: forever, background: true }, { command: 'exit 4', background: true })
    await says(model, 'They run.')
    await app.waitIdle()
    await tail(app.page).locator('.line').nth(3).waitFor()
    assert.match(await row(app.page).innerText(), /^Running in the background\s/)
    await app.until(
      async () => /^Command failed in the background[^]*exit 4/.test(await row(app.page, 1).innerText()),
      'the row to say how it ended',
    )
    await app.call('KillTask', 't1')
    await app.until(async () => /^Stopped\s/.test(await row(app.page).innerText()), 'the row to say that it was stopped')
    assert.equal(await tail(app.page).count(), 0)
    await app.call('RemoveTask', 't1')
    await app.until(async () => /^Started\s/.test(await row(app.page).innerText()), 'the row to say what is known')
  })

  test('of several agents, and of one whose notebook is opened during the run', async (t) => {
    const { app, model } = await asked(t)
    const request = await model.next()
    request.call('self_fork', {
      children: [
        { name: 'Left', prompt: 'left' },
        { name: 'Right', prompt: 'right' },
      ],
    })
    request.end()
    await runs(model, 'while true; do echo child; sleep 0.1; done')
    await runs(model, 'while true; do echo child; sleep 0.1; done')
    for (const name of ['Left', 'Right']) {
      await app.openAgent(name)
      await tail(app.page).getByText('child').nth(4).waitFor()
    }
  })

  test('in a prompt shows its lines before the model is asked', async (t) => {
    const { app, model } = await asked(t)
    await says(model, 'Ready.')
    await app.waitIdle()
    app.world.write('go-on.sh', 'for i in 1 2 3 4 5 6 7 8; do echo typed $i; done\nwhile [ ! -e go ]; do sleep 0.05; done\n')
    await app.writePrompt('@[shell{"command":"bash go-on.sh"}] Look at it')
    await app.page.keyboard.press('Escape')
    await app.page.keyboard.press('Shift+Enter')
    await tail(app.page).getByText('typed 8').waitFor()
    app.world.write('go', '')
    await says(model, 'Seen.')
    await app.waitIdle()
    assert.equal(await tail(app.page).count(), 0)
  })

  // Each prints for some seconds as fast as it can.
  const hostile = {
    'a progress bar': String.raw`awk 'BEGIN { while (i++ < 4000000) printf "building %d%% [=======    ]\r", i % 100 }'`,
    lines: String.raw`yes "$(printf '\033[31ma line \033[32mof some \033[1mlength\033[0m')" | head -c 200000000`,
    'one line': String.raw`awk 'BEGIN { while (i++ < 10000000) printf "x" }'; sleep 2`,
    sequences: String.raw`yes "$(printf '\033]8;;http://example.com/\033\\link\033]8;;\033\\\033]52;c;ZXZpbA==\007\033]0;title\007\033[?1049h\033[2J\033[H\033[50;200Hx\033[6n\033[c')" | head -c 60000000`,
  }
  for (const [what, command] of Object.entries(hostile)) {
    test(`may print ${what} without end: the page stays responsive, and shows it as text only`, async (t) => {
      const { app, model } = await asked(t)
      await app.page.evaluate(() => {
        navigator.clipboard.writeText('mine')
        window.frames = 0
        window.began = performance.now()
        const frame = () => {
          window.frames++
          requestAnimationFrame(frame)
        }
        requestAnimationFrame(frame)
        window.tasks = []
        new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((e) => Math.round(e.duration)))).observe({
          entryTypes: ['longtask'],
        })
      })
      await runs(model, command)
      await row(app.page).click()
      const ended = model.next()
      await ended
      const { tasks, frames, tookMs } = await app.page.evaluate(() => ({
        tasks: window.tasks,
        frames: window.frames,
        tookMs: performance.now() - window.began,
      }))
      t.diagnostic(`${what}: ${frames} frames in ${(tookMs / 1000).toFixed(1)} s, long tasks ${tasks.join(', ') || 'none'} ms`)
      // The frames of a page that hangs are seconds apart, whatever else the machine does. A task
      // counts the time for which other programs have the processor too, so that its limit is wide.
      assert.ok(
        frames > (5 * tookMs) / 1000 && Math.max(0, ...tasks) < 3000,
        `${frames} frames in ${tookMs} ms, long tasks of ${tasks.join(', ')} ms`,
      )
      assert.equal(await app.page.evaluate(() => navigator.clipboard.readText()), 'mine')
      assert.match(await app.page.title(), /Mutsumi$/)
      assert.equal(await app.page.locator('.answer a').count(), 0)
      ;(await ended).text('Done.')
      ;(await ended).end()
      await app.waitIdle()
    })
  }
})

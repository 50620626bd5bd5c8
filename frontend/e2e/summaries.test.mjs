// A summary that replaces older cells: the preview before it, its cost and omissions, and every way
// back.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth, misfits } from './lib/axe.mjs'
import { mock } from './lib/provider.mjs'

const summaryText = `## Goal
p99 of checkout back under 240 ms, without a larger cache.

## Decisions
- TTLs are \`time.Duration\` everywhere.
- \`NewCache\` keeps its signature.

## State
112 tests of pricing/ pass.

## Next
- [ ] Load test again.`

const filler = 'The retry budget was spent after the latency rose and not before. '.repeat(6)

/** A conversation about a slow checkout: n cells, each with a call and an answer. */
function conversation(n) {
  const context = []
  for (let i = 1; i <= n; i++) {
    const call = { id: `call_${i}`, type: 'function', function: { name: 'shell', arguments: `{"command":"go test ./pricing${i}"}` } }
    context.push(
      { role: 'user', content: `Look at pricing/file${i}.go. Never touch the public API.`, metadata: { cell_id: `c${i}` } },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: `call_${i}`, name: 'shell', content: `FAIL ErrBudget${i} after ${380 + i} ms` },
      {
        role: 'assistant',
        content: `I changed evictLoop${i}. ${filler}\n\n- [ ] Ask finance about half cents of ${i}\n\n灰度发布前通知 SRE 值班`,
      },
    )
  }
  return context
}

const pane = (app) => app.page.getByRole('complementary', { name: 'Context' })
const summary = (app) => app.page.getByRole('group', { name: /^Summary of/ })

async function start(t, n = 6) {
  const model = await mock({ '### Person [': summaryText, '.': 'They stay as they are.' })
  t.after(() => model.stop())
  const app = await App.start(t, {
    env: model.env,
    files: {
      'a.mtm': JSON.stringify({
        metadata: {
          uuid: 'aaaaaaaa-0000-4000-8000-000000000014',
          name: 'Checkout latency',
          created_at: '2026-01-02T03:04:05Z',
          allowed_uris: ['.'],
        },
        context: conversation(n),
      }),
    },
  })
  await app.openAgent('Checkout latency')
  return { app, model }
}

/** Chooses an entry of a cell's menu. */
async function cellMenu(app, n, entry) {
  await app.cell(n).hover()
  await app.cell(n).getByRole('button', { name: 'Cell menu' }).click()
  await app.page.getByRole('menuitem', { name: entry }).click()
}

describe('summaries', { timeout: 900_000 }, () => {
  after(closeBrowser)

  test('cells become a summary, are shown, sent again, and nothing leaves the notebook', async (t) => {
    const { app, model } = await start(t)
    await cellMenu(app, 6, 'Summarise the cells above')
    await summary(app).getByText('Cells 1–5 are sent as this summary').waitFor()
    for (const part of ['Goal', 'Decisions', 'State', 'Next', 'Your words'])
      await summary(app).getByRole('heading', { name: part }).waitFor()
    assert.equal(await app.cell(3).count(), 0, 'what it covers is folded')
    assert.match(await summary(app).innerText(), /things of cells 1–5 are not in it/)
    await app.waitIdle()
    const saved = app.world.notebook()
    assert.equal(saved.context.filter((m) => m.role === 'user').length, 7)
    assert.equal(saved.context.find((m) => m.metadata?.compaction)?.is_internal, true)

    await app.typePrompt('Which callers did we leave?')
    await app.run()
    await app.page.getByText('They stay as they are.').waitFor()
    const sent = JSON.stringify(model.requests().at(-1).body)
    assert.ok(
      sent.includes('112 tests of pricing/ pass') && !sent.includes('evictLoop3') && sent.includes('evictLoop6'),
      'the summary is sent',
    )

    await summary(app).getByRole('button', { name: 'Show' }).click()
    await app.cell(1).getByText('A summary below is sent in its place.').waitFor()
    await app.until(async () => {
      await app.page.locator('.book .virtual').evaluate((list) => (list.scrollTop += 250))
      return (await summary(app).getByRole('button', { name: 'Undo' }).count()) > 0
    }, 'the summary below its cells')
    await summary(app).getByRole('button', { name: 'Undo' }).click()
    await app.page.getByText('A summary of cells 1–5, not in use').waitFor()
    await app.waitIdle()
    await summary(app).getByRole('button', { name: 'Use it' }).click()
    await summary(app).getByText('are sent as this summary').waitFor()
  })

  test('a button that is pressed in the frame of a scroll stays where it is', async (t) => {
    const { app } = await start(t, 8)
    await app.scrollTo(0)
    await app.cell(1).waitFor()
    await app.page.waitForTimeout(300)
    const moved = await app.page.locator('.book .virtual').evaluate(async (list) => {
      const frames = async (n) => {
        for (let i = 0; i < n; i++) await new Promise(requestAnimationFrame)
      }
      await frames(2)
      list.scrollTop += 120
      const pressed = [...list.querySelectorAll('button')].find((b) => b.getBoundingClientRect().top > 200)
      const before = pressed.getBoundingClientRect().top
      pressed.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0, clientY: before }))
      await frames(4)
      return pressed.getBoundingClientRect().top - before
    })
    assert.ok(Math.abs(moved) < 1, `it moved by ${moved} pixels`)
  })

  test('its omissions are listed, pinned and edited', async (t) => {
    const { app } = await start(t)
    await cellMenu(app, 6, 'Summarise the cells above')
    await summary(app)
      .getByRole('button', { name: /not in it/ })
      .click()
    await pane(app).getByRole('region', { name: 'Open to-dos' }).getByText('Ask finance about half cents of 1').waitFor()
    // Five views in the pane: those that are not shown have their icon alone.
    assert.deepEqual(await misfits(app.page), [])
    assert.equal((await pane(app).getByRole('button', { name: 'Summary', exact: true }).innerText()).trim(), 'Summary')
    assert.equal((await pane(app).getByRole('button', { name: 'Tools', exact: true }).innerText()).trim(), '')
    await pane(app).getByRole('button', { name: 'Pin Ask finance about half cents of 1' }).click()
    await pane(app).getByRole('region', { name: 'Pinned' }).getByText('Ask finance about half cents of 1').waitFor()
    await summary(app).getByRole('heading', { name: 'Pinned' }).waitFor()
    await summary(app).getByRole('heading', { name: 'State' }).hover()
    await summary(app).getByRole('button', { name: 'Edit “State”' }).click()
    await summary(app).getByRole('textbox', { name: 'State' }).fill('113 tests pass.')
    await app.page.keyboard.press('Control+Enter')
    await summary(app).getByText('113 tests pass.').waitFor()
    await app.waitIdle()
    assert.match(JSON.stringify(app.world.notebook()), /113 tests pass/)
    await pane(app).getByRole('button', { name: 'Go to cell 3' }).first().click()
    await app.cell(3).waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [])
  })

  test('it is read before it is used, made again with other limits, and discarded', async (t) => {
    const { app } = await start(t)
    await cellMenu(app, 6, 'Summarise the cells above')
    await summary(app).getByText('Cells 1–5 are sent').waitFor()
    await summary(app).getByRole('button', { name: 'Again…' }).click()
    await summary(app).getByRole('textbox', { name: 'Cells that stay whole' }).fill('2')
    await summary(app).getByRole('button', { name: 'Make it again' }).click()
    await summary(app).getByText('Cells 1–3 are sent').waitFor()
    await app.cell(4).waitFor()
    assert.equal(await summary(app).count(), 1)
    await app.page.keyboard.press('Escape')
    await app.cell(5).click({ position: { x: 4, y: 4 } })
    await app.page.keyboard.press('p')
    await app.cell(5).getByText('no summary covers it').waitFor()
    await cellMenu(app, 4, 'Mute for models')
    await app.cell(4).getByText('models do not get it').waitFor()
    await app
      .cell(5)
      .getByRole('button', { name: /go test/ })
      .click()
    await app.cell(5).getByRole('button', { name: 'Pin for models' }).click()
    await app.cell(5).getByText('pinned', { exact: true }).waitFor()
    await app.reload()
    await app.cell(5).getByText('pinned', { exact: true }).waitFor()
    await app
      .cell(5)
      .getByRole('button', { name: /go test/ })
      .click()
    await app.cell(5).getByRole('button', { name: 'Unpin for models' }).click()
    await app.cell(5).getByText('pinned', { exact: true }).waitFor({ state: 'detached' })
    await app.cell(5).getByRole('button', { name: 'Mute for models' }).click()
    await app.cell(5).getByText('muted', { exact: true }).waitFor()
    await pane(app)
      .getByText(/Left out of each request: .* by summaries, .* muted/)
      .waitFor()
  })
})

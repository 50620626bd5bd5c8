// The branch lab: answers to one prompt side by side, one of which is taken.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth, misfits, smallControls } from './lib/axe.mjs'
import { familyFiles } from './lib/family.mjs'
import { mock } from './lib/provider.mjs'
import { outFolder } from './lib/world.mjs'

describe('the branch lab', { timeout: 300_000 }, () => {
  after(closeBrowser)

  const lab = (page) => page.getByRole('region', { name: 'Branch lab' })
  const row = (app, name) =>
    lab(app.page)
      .getByRole('row')
      .filter({ has: app.page.getByRole('rowheader', { name }) })
  const cells = async (app, name) => (await row(app, name).getByRole('cell').allInnerTexts()).map((t) => t.replace(/\s+/g, ' ').trim())
  const column = (app, name) => lab(app.page).getByRole('columnheader').filter({ hasText: name })
  /** The lab once it has the keyboard. */
  const heard = (app) => app.page.locator('.lab:focus-within')
  const rails = (app) => app.page.getByRole('group', { name: 'Family of this notebook' })

  async function start(t, options = {}) {
    const app = await App.start(t, { files: familyFiles, viewport: { width: 1440, height: 900 }, ...options })
    await app.openAgent('Checkout latency regression')
    await app.cell(4).waitFor()
    await app.page.keyboard.press('Escape')
    await app.page.keyboard.press('ControlOrMeta+Shift+B')
    await column(app, 'qwen3-coder-30b').waitFor()
    await heard(app).waitFor()
    return app
  }

  test('three answers are side by side, with their differences', async (t) => {
    const app = await start(t)
    assert.match(await lab(app.page).innerText(), /one prompt, 3 answers[\s\S]*\[3\][\s\S]*Make the TTL a[\s\S]*the same 2 cells before it/)
    assert.deepEqual(
      (await lab(app.page).getByRole('columnheader').allInnerTexts()).map((c) => c.split('\n')[0]),
      ['gpt-5.1', 'claude-sonnet-5', 'qwen3-coder-30b'],
    )
    const answers = await cells(app, 'Answer')
    assert.match(answers[0], /Both types are durations now.*Read all, 2 cells/)
    assert.match(answers[2], /kept int64 inside the cache.*Read all, 1 cell/)
    assert.deepEqual(await cells(app, /^Same place/), [
      'c := &Cache{ttl: defaultTTL} c.clock = time.Now',
      'c := &Cache{clock: systemClock{}} c.ttl, c.grace = ttl, 2*time.Second',
      'c := &Cache{ttl: int64( defaultTTL / time.Second)}',
    ])
    const files = await cells(app, 'Files')
    assert.match(files[0], /cache\.go \+4 −2 pricing\/ ?cart\.go \+4 −2/)
    assert.match(files[1], /rates\.go only here \+4 −2/)
    assert.deepEqual(await cells(app, 'Tests'), [
      '112 passed 3 more than before',
      '118 passed 9 more than before',
      '1 passed, 1 failed TestGrace',
    ])
    assert.deepEqual(await cells(app, 'Time'), ['4:42 least', '6:59 1.5 ×', '9:03 1.9 ×'])
    assert.deepEqual((await cells(app, 'From cache'))[1], '93% most')

    // The family is drawn next to it: the notebook is cut where the others branch off.
    const drawn = (await rails(app).getByRole('button').allInnerTexts()).map((x) => x.replace(/\s+/g, ' ').trim())
    assert.deepEqual(drawn.slice(0, 3), ['[1–2] Compare the two releases.', '[3–4] Cell 3 by claude 6:59', '[3] Cell 3 by qwen 9:03'])
    assert.match(drawn[3], /^\[3–4\] Make the TTL a .* this notebook$/)

    assert.deepEqual(await findingsInBoth(app.page), [])
    assert.deepEqual([await misfits(app.page), await smallControls(app.page)], [[], []])
    await app.page.screenshot({ path: path.join(outFolder, 'lab-light.png') })
  })

  test('keys go through columns and cells, compare answers, carry a cell over and take a line', async (t) => {
    const app = await start(t)
    const { page } = app
    const difference = () => lab(page).getByText('From the answer of gpt-5.1 to that of claude-sonnet-5')
    await page.keyboard.press('ArrowRight')
    assert.equal(await column(app, 'claude-sonnet-5').getAttribute('aria-current'), 'true')
    await page.keyboard.press('d')
    await difference().waitFor()
    await page.keyboard.press('d')
    await difference().waitFor({ state: 'detached' })

    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('c')
    await lab(page).getByText('in this notebook').waitFor()
    await row(app, 'Cells').getByText('from Cell 3 by claude').waitFor()
    const ends = (pattern) =>
      app.until(() => pattern.test(app.world.notebook('main.mtm').context.at(-1).content), `it to end with ${pattern}`)
    await ends(/^Mended\.$/)

    app.expectProblem(/404 .*CompareBranches/) // on its way when the branch is undone
    // The line of another notebook replaces this one's, whose cells become a branch.
    await page.keyboard.press('3')
    await page.getByText('What stood there is kept as a branch.').waitFor()
    await rails(app).getByText('put aside').waitFor()
    await ends(/kept `int64` inside/)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await rails(app).getByText('put aside').waitFor({ state: 'detached' })
    await ends(/^Mended\.$/)

    // Reloaded, the tab is there again, next to the notebook's own tab.
    await app.reload()
    await column(app, 'qwen3-coder-30b').waitFor()
    await heard(app).waitFor()
    assert.equal(await page.getByRole('tab', { name: /^Branch lab/ }).getAttribute('aria-selected'), 'true')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await app.cell(4).getByText('Mended.').first().waitFor()
    await page.getByRole('tab', { name: 'Cell 3 by claude', selected: true }).waitFor()
  })

  test('a run is added, fills its column while it works, and is chosen and left out in the family', async (t) => {
    const model = await mock({ '.': 'A fourth way.' })
    t.after(() => model.stop())
    const app = await start(t, { env: model.env })
    const { page } = app
    await lab(page).getByRole('button', { name: 'Add a run…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a run' })
    await dialog.getByText('The folder is in no git repository').waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    await dialog.getByLabel('Model').selectOption({ label: 'gpt-4o' })
    await dialog.getByRole('button', { name: 'Add and run' }).click()
    await column(app, 'gpt-4o').waitFor()
    await row(app, 'Answer').getByText('A fourth way.').waitFor()
    const body = JSON.stringify(model.requests().at(-1).body)
    assert.ok(
      body.includes('Make the TTL') && body.includes('Profile the hot path') && !body.includes('231, 229'),
      'it gets what was before the prompt',
    )

    await rails(app)
      .getByRole('button', { name: /Cell 3 by claude/ })
      .click()
    await column(app, 'claude-sonnet-5').waitFor({ state: 'detached' })
    await rails(app)
      .getByRole('button', { name: /Cell 3 by claude/ })
      .click()
    await column(app, 'claude-sonnet-5').waitFor()
  })

  test('answers, files and requests, in the dark, narrow, and at twice the size', async (t) => {
    const model = await mock({ '.': 'Sent.' })
    t.after(() => model.stop())
    const app = await start(t, { env: model.env, colorScheme: 'dark' })
    const { page } = app
    const view = (name) => lab(page).getByRole('button', { name, exact: true })
    await page.screenshot({ path: path.join(outFolder, 'lab-dark.png') })
    await view('Answers').click()
    await lab(page).getByRole('region', { name: 'claude-sonnet-5' }).getByText('I also moved the clock into the cache').waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    await page.screenshot({ path: path.join(outFolder, 'lab-answers.png') })
    await view('Files').click()
    await lab(page)
      .getByRole('row', { name: /rates\.go\s*only one/ })
      .waitFor()
    await page.screenshot({ path: path.join(outFolder, 'lab-files.png') })
    await view('What was sent').click()
    await lab(page).getByText('Nothing was sent yet, or it is not kept any more.').first().waitFor()
    for (const file of ['main.mtm', 'qwen.mtm']) {
      await app.call('Edit', file, [{ kind: 'insert', id: 'new', text: `Once more in ${file}` }], 'test')
      await app.call('Run', file, 'new', 'cell')
    }
    await lab(page)
      .getByText(/^They differ in message \d+, in .*, from byte/)
      .waitFor()
    await lab(page)
      .getByText(/The first [\d.k]+ tokens are the same as at the left/)
      .waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    await page.screenshot({ path: path.join(outFolder, 'lab-sent.png') })
    await view('Overview').click()
    await page.setViewportSize({ width: 900, height: 700 })
    await column(app, 'gpt-5.1').waitFor()
    assert.deepEqual(await misfits(page), [])
    await page.screenshot({ path: path.join(outFolder, 'lab-narrow.png') })
  })
})

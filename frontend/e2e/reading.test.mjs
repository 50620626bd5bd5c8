// Reading never jumps, in a browser: see lib/ways.mjs. The same in the real
// window is window/reading.test.mjs. The way to the end is offered when the end is not in view.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'
import { books, Reader } from './lib/reading.mjs'
import { tryWay, ways } from './lib/ways.mjs'
import { notebookText } from './lib/world.mjs'

after(closeBrowser)

test('the text being read moves by no more than a pixel', { timeout: 600_000 }, async (t) => {
  const provider = await Paced.start()
  t.after(() => provider.stop())
  const app = await App.start(t, { env: provider.env, files: books() })
  const r = new Reader(
    {
      run: (fn, ...args) => app.page.evaluate(`(${fn})(...${JSON.stringify(args)})`),
      // Whole pixels, as a mouse gives them: at a part of one, Chromium can begin a selection again at every move.
      move: (x, y) => app.page.mouse.move(Math.round(x), Math.round(y)),
      down: (button, clickCount = 1) => app.page.mouse.down({ button: ['left', 'middle', 'right'][button], clickCount }),
      up: (button, clickCount = 1) => app.page.mouse.up({ button: ['left', 'middle', 'right'][button], clickCount }),
      key: (keys) => app.page.keyboard.press(keys),
      type: (text) => app.page.keyboard.type(text),
      call: (name, ...args) => app.call(name, ...args),
      notebook: (file) => app.notebook(file),
      reload: () => app.reload(),
      restart: () => app.restart(),
      resize: (width, height) => app.page.setViewportSize({ width, height }),
    },
    provider,
  )
  for (const name of ['Third', 'Other']) await r.open(name)
  for (const way of ways) {
    await t.test(way.name, async () => {
      const { worst, strayed, moved, texts } = await tryWay(r, way)
      assert.ok(worst <= 1, `moved in the end: ${JSON.stringify(moved)} ${JSON.stringify(texts)}`)
      assert.ok(strayed <= 1, `moved by ${strayed} on the way`)
    })
  }
})

/** Whether an element is in the part of its list that is on view. */
const inView = (element) =>
  element.evaluate((e) => {
    const [at, view] = [e, e.closest('.virtual')].map((x) => x.getBoundingClientRect())
    return at.bottom > view.top && at.top < view.bottom
  })

/** Waits until the page was drawn twice. */
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))

test('selected text does not offer a way to the end while all of a notebook is in view', { timeout: 300_000 }, async (t) => {
  const provider = await Paced.start()
  t.after(() => provider.stop())
  const app = await App.start(t, { env: provider.env })
  const { page } = app
  await app.newAgent()
  await app.typePrompt('Tell me')
  await app.run()
  const exchange = await provider.next()
  const latest = page.getByRole('button', { name: 'Jump to latest' })
  try {
    exchange.text('Words to be selected. ')
    const text = page.getByText('Words to be selected.')
    await text.dblclick({ position: { x: 10, y: 10 } })
    assert.equal(await page.evaluate(() => getSelection().toString().trim()), 'Words')
    await drawn(page)
    assert.equal(await latest.count(), 0, 'all is in view')
    exchange.text('\n\nA paragraph that takes room in the view.'.repeat(60))
    await latest.waitFor()
    assert.ok(await inView(text), 'the selected text stays in view')
    await latest.click()
    await latest.waitFor({ state: 'detached' })
    assert.ok(!(await inView(text)), 'the end is in view')
  } finally {
    exchange.end()
  }
  await app.waitIdle()
})

test(
  'a short notebook that was left with selected text offers no way to its end when it is loaded again',
  { timeout: 300_000 },
  async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/short.mtm': notebookText('Short', [['Tell me', 'Words to be selected.']]) } })
    const { page } = app
    const latest = page.getByRole('button', { name: 'Jump to latest' })
    const text = page.getByText('Words to be selected.')
    await app.openAgent('Short')
    await text.dblclick({ position: { x: 10, y: 10 } })
    assert.equal(await page.evaluate(() => getSelection().toString().trim()), 'Words')
    await app.reload()
    await text.waitFor()
    // The list knows where it is some frames after its text is drawn.
    for (let n = 0; n < 15; n++) await drawn(page)
    assert.equal(await latest.count(), 0)
  },
)

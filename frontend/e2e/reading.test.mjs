// Reading never jumps, in a browser: see lib/ways.mjs. The same in the real
// window is window/reading.test.mjs.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'
import { books, Reader } from './lib/reading.mjs'
import { tryWay, ways } from './lib/ways.mjs'

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
  after(closeBrowser)
})

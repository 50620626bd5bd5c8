// Reading never jumps, in the real window: see lib/ways.mjs. The mouse and the
// keyboard are the X server's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Paced } from '../lib/provider.mjs'
import { books, Reader } from '../lib/reading.mjs'
import { tryWay, ways } from '../lib/ways.mjs'
import { World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

test('the text being read moves by no more than a pixel', { timeout: 600_000 }, async (t) => {
  const provider = await Paced.start()
  t.after(() => provider.stop())
  const world = new World(books())
  t.after(() => world.remove())
  let window, place
  const open = async () => {
    window = await Window.open(t, world, { env: provider.env })
    await window.firstFrame()
    await window.toFront()
    place = window.place()
  }
  await open()
  const r = new Reader(
    {
      run: (fn, ...args) => window.driver.run(fn, ...args),
      move: (x, y) => desktop.act('mousemove', place.x + Math.round(x), place.y + Math.round(y)),
      down: (button) => desktop.act('mousedown', [1, 2, 3][button]),
      up: (button) => desktop.act('mouseup', [1, 2, 3][button]),
      key: (keys) =>
        desktop.pressKeys(
          keys
            .replace('Control', 'ctrl')
            .replace('Shift', 'shift')
            .replace('Enter', 'Return')
            .replace('+,', '+comma')
            .replace('+=', '+equal')
            .replace(/\+-$/, '+minus'),
        ),
      type: (text) => desktop.act('type', text),
      call: (name, ...args) => window.driver.run((name, args) => globalThis.go.main.App[name](...args), name, args),
      notebook: (file) => window.driver.run(async (file) => (await fetch(`/api/notebook?path=${encodeURIComponent(file)}`)).json(), file),
      reload: () => window.driver.reload(),
      restart: async () => {
        await window.close()
        await open()
      },
      resize: (width, height) => desktop.resizeWindow(place.id, width, height),
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
  await window.close()
})

// Selecting with the mouse in the real window: what is drawn out of view is not selected with the rest,
// and what is selected is painted where its text is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notebookText, World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

test('a selection over cells ends where the mouse left the view', { timeout: 300_000 }, async (t) => {
  const cells = Array.from({ length: 80 }, (_, n) => [`Question ${n} here`, `Answer ${n} begins.\n\nIt ends ${n}.`])
  const world = new World({ '.mutsumi/a.mtm': notebookText('A', cells) })
  t.after(() => world.remove())
  const w = await Window.open(t, world)
  const { driver } = w
  const row = '[role="treeitem"][aria-label^="A,"]'
  await w.firstFrame(row)
  await w.toFront()
  desktop.resizeWindow(w.place().id, 1000, 600)
  desktop.press(await w.onScreen(row))
  await driver.until(() => document.querySelectorAll('.answer p').length > 4, 'the answers')
  /** The list's place on the screen, and how far it is scrolled; top: scrolls it first. */
  const list = async (top = null) => {
    const at = await driver.run((top) => {
      const e = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
      if (top !== null) e.scrollTop = top
      const { left, right, top: above, bottom } = e.getBoundingClientRect()
      return { middle: (left + right) / 2, above, bottom, top: e.scrollTop }
    }, top)
    const { x, y } = w.place()
    return { middle: x + at.middle, above: y + at.above, bottom: y + at.bottom, top: at.top }
  }
  /** A line on the screen, once the list is at rest. */
  const line = async (text) => {
    const at = await driver.until(
      (text) => {
        const p = [...document.querySelectorAll('.answer p')].find((p) => p.innerText === text)
        const { x, y, height } = p?.getBoundingClientRect() ?? {}
        return y > 60 && y < innerHeight - 60 && { x: x + 1, y: y + height / 2 }
      },
      `"${text}" to be in view`,
      text,
    )
    const { x, y } = w.place()
    return { x: x + at.x, y: y + at.y }
  }
  const inView = () =>
    driver.run(() => {
      const view = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
      const { top, bottom } = view.getBoundingClientRect()
      const texts = [...view.querySelectorAll('.answer p, .prompt-text')].filter((e) => {
        const box = e.getBoundingClientRect()
        return box.bottom > top && box.top < bottom
      })
      return { texts: texts.map((e) => e.innerText.trim()), selected: getSelection().toString().trim().split(/\n+/), top: view.scrollTop }
    })
  const move = (x, y) => desktop.act('mousemove', Math.round(x), Math.round(y))
  /** Drags from a line out of the list, and on until it has scrolled far enough. */
  async function drag(from, steps, y, far) {
    move(from.x, from.y)
    desktop.act('mousedown', 1)
    // The engine begins to scroll only for a selection that was begun within the list.
    await w.until(async () => {
      move(from.x + 60 + (Date.now() % 5), from.y + steps)
      return (await inView()).selected.length > 1
    }, 'a selection')
    await w.until(async () => {
      move(from.x + 60 + (Date.now() % 5), y)
      return far((await list()).top)
    }, 'the list to scroll')
    desktop.act('mouseup', 1)
  }

  /** Waits for a selection, whose first and last line may be parts of lines. */
  async function selects(right) {
    let now
    await w
      .until(async () => right((now = await inView())), 'the selection')
      .catch((err) => {
        throw new Error(`${err.message}: ${now.selected[0]} to ${now.selected.at(-1)}, in view: ${now.texts}`)
      })
  }

  await list(0)
  const begin = await line('Answer 1 begins.')
  const { bottom } = await list()
  await drag(begin, bottom - 20 - begin.y, bottom + 12, (top) => top > 1500)
  await selects(
    ({ selected, texts }) => selected[0] === 'Answer 1 begins.' && texts.slice(-3).some((text) => text.startsWith(selected.at(-1))),
  )

  const picture = await w.screenshot('selected.png')
  const box = await driver.run(() => {
    const all = [...document.querySelectorAll('.prompt')].map((e) => e.getBoundingClientRect())
    const { left, right, top, bottom } = all.find((box) => box.top > 120)
    return { x: (left + right) / 2, top, bottom }
  })
  const colour = (y) => picture.at(Math.round(box.x), Math.round(y)).join()
  assert.equal(colour(box.top + 5), colour(box.bottom - 5), 'the edge of a selected prompt is painted like its other edge')

  await list(3000)
  const last = await w.until(
    async () => (await inView()).texts.slice(0, -1).findLast((text) => /^It ends \d+\.$/.test(text)),
    'lines further down',
  )
  const end = await line(last)
  const { above } = await list()
  await drag(end, above + 20 - end.y, above - 12, (top) => top < 2000)
  await selects(({ selected, texts }) => texts.slice(0, 3).some((text) => text.endsWith(selected[0])) && selected.length > 10)
})

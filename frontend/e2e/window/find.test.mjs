// Find in the real window: its engine paints the matches, and keys go where they should.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World } from '../lib/world.mjs'
import { keys } from './driver.mjs'
import { Window } from './window.mjs'

test('matches are painted and stepped through, even in text that is not drawn', { timeout: 300_000 }, async (t) => {
  const world = new World()
  t.after(() => world.remove())
  const window = await Window.open(t, world)
  await window.firstFrame()
  await window.toFront()
  const { driver } = window
  await window.newAgent()
  await window.type('/demo markdown')
  await window.run()
  await window.waitIdle()
  const count = () => document.querySelector('.find-line .count')?.textContent
  const inView = () => {
    const [range] = CSS.highlights.get('found-current') ?? []
    const mark = document.querySelector('.cm-editor .found-current')
    const rect = (range ?? mark)?.getBoundingClientRect()
    return rect && rect.top >= 0 && rect.bottom <= innerHeight && (range?.toString() ?? mark.textContent).toLowerCase() === 'the'
  }
  await driver.press([keys.control, 'f'])
  await driver.until(() => document.activeElement?.getAttribute('aria-label') === 'Find', 'the field to have the keyboard')
  await driver.press('the')
  await driver.until(() => / of \d+$/.test(document.querySelector('.find-line .count')?.textContent ?? ''), 'the count')
  const total = Number((await driver.run(count)).split(' of ')[1])
  assert.ok(total > 3, `${total} matches`)
  for (let i = 0; i < total; i++) {
    await driver.until(inView, `match ${i} to be in view`)
    await driver.press([keys.enter])
  }
  await window.screenshot('find.png')
  await driver.press([keys.escape])
  await driver.until(() => !document.querySelector('[role=search]') && CSS.highlights.size === 0, 'the bar to be gone')
})

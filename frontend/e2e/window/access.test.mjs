// A screen reader's view of the real window, and its actions there: the tree of objects over the
// accessibility bus, and presses that are only presses.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { notebookText, World } from '../lib/world.mjs'
import { keys } from './driver.mjs'
import { accessible } from './native.mjs'
import { Window } from './window.mjs'

test('a screen reader finds everything by its role and name, and can press it', { timeout: 300_000 }, async (t) => {
  const world = new World({ '.mutsumi/one.mtm': notebookText('One', [['first', 'The answer']]) })
  t.after(() => world.remove())
  const window = await Window.open(t, world, { env: { NO_AT_BRIDGE: '0', GTK_A11Y: '' } })
  await window.firstFrame()
  await window.toFront()
  const read = (...args) => execFileSync(accessible(), [String(window.driver.pid), ...args], { encoding: 'utf8' })
  const has = (pattern) => window.until(() => pattern.test(read()), `${pattern} among:\n${read()}`)
  const press = (role, name) => {
    const { status } = spawnSync(accessible(), [String(window.driver.pid), role, name])
    assert.equal(status, 0, `a press on the ${role} “${name}”, among:\n${read()}`)
  }

  await has(/landmark "Agents"[^]*tree "Agents"[^]*tree item "One/)
  await has(/landmark "Open agents"[^]*tab list "Open agents"/)
  press('button', 'New agent')
  await has(/entry "[^"]*" editable focused/)
  await window.type('/demo markdown')
  await window.run()
  await window.waitIdle()
  await has(/status "The agent has finished"/)
  await has(/article "Cell 1"[^]*heading "[^"]+"/)
  // A list of agents, a tab, a menu and a dialog, with presses alone.
  press('tree item', read().match(/tree item "(One,[^"]*)"/)[1])
  await has(/tab "One, Idle" selected/)
  await has(/paragraph "The answer"/)
  press('tab', '/demo markdown, Idle')
  await has(/tab "\/demo markdown, Idle" selected/)
  press('combo box', 'Model: Offline guide')
  await has(/menu "[^"]*"[^]*menu item/)
  await window.driver.press(keys.escape)
  press('button', 'Settings')
  await has(/dialog "Settings"[^]*tab list "Sections"/)
  // Every control has a name.
  const nameless = read()
    .split('\n')
    .filter((line) =>
      /^ *(?:button|toggle button|check box|radio button|combo box|entry|link|tab|tree item|menu item|dialog|image) ""/.test(line),
    )
  assert.deepEqual(nameless, [])
})

// The real window for a person whose system is in Chinese.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chinese } from '../lib/chinese.mjs'
import { notebookText, World } from '../lib/world.mjs'
import { Window } from './window.mjs'

test('the window speaks the language of the system', { timeout: 120_000 }, async (t) => {
  const world = new World({ '.mutsumi/one.mtm': notebookText('One', [['first', 'The answer']]) })
  t.after(() => world.remove())
  const window = await Window.open(t, world, { env: { LANG: 'zh_CN.UTF-8' } })
  await window.firstFrame(`button[aria-label="${chinese('New agent')}"]`)
  assert.equal(await window.driver.run(() => document.documentElement.lang), 'zh-CN')
  await window.screenshot('chinese.png')
})

// Agents at work in the real window: their dots, and text that arrives in notebooks beside each other and behind.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { Paced } from '../lib/provider.mjs'
import { World } from '../lib/world.mjs'
import { keys } from './driver.mjs'
import { Window } from './window.mjs'

/** In the page: how each dot of an agent at work turns. */
const turning = () =>
  [...document.querySelectorAll('.dot.running')].map((dot) => ({
    timing: getComputedStyle(dot).animationTimingFunction,
    starts: dot.getAnimations().map((animation) => animation.startTime),
  }))

for (const theme of ['light', 'dark'])
  test(`dots of agents at work turn together in steps, and each notebook shows its text (${theme})`, { timeout: 300_000 }, async (t) => {
    const world = new World()
    t.after(() => world.remove())
    fs.writeFileSync(world.path('config', 'settings.yaml'), `preferences:\n  theme: ${theme}\n`)
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const window = await Window.open(t, world, { env: provider.env })
    await window.firstFrame()
    const behind = await window.answering(provider, 'Behind.')
    const left = await window.answering(provider, 'Left.')
    await window.driver.press([keys.control, '\\'])
    await window.driver.until(() => document.querySelectorAll('[data-group]').length === 2, 'the second group')
    const right = await window.answering(provider, 'Right.')
    const dots = await window.driver.run(turning)
    assert.ok(dots.length >= 6, `${dots.length} dots: three in the tree, three on tabs`)
    for (const dot of dots) assert.deepEqual(dot, { timing: 'steps(8)', starts: [0] })

    const text = (name) =>
      `${name} goes on with **more**, 更多文字。\n\n${'A line of the answer that is long enough to be wrapped. '.repeat(12)}`
    for (const [exchange, name] of [
      [left, 'Left'],
      [right, 'Right'],
      [behind, 'Behind'],
    ])
      exchange.text(text(name))
    const shown = () => [...document.querySelectorAll('article.cell .answer')].filter((e) => e.checkVisibility()).map((e) => e.innerText)
    await window.until(async () => {
      const all = (await window.driver.run(shown)).join('\n')
      return all.includes('Left goes on with more, 更多文字。') && all.includes('Right goes on with more, 更多文字。')
    }, 'both texts')
    await window.screenshot(`streaming-${theme}.png`)
    await window.type('typed while both stream')
    for (let i = 0; i < 20; i++) for (const exchange of [left, right, behind]) exchange.text(`Part ${i}. `)
    await window.until(
      async () => (await window.driver.run(shown)).filter((answer) => answer.includes('Part 19.')).length >= 2,
      'the last parts',
    )
    assert.equal(await window.promptText(), 'typed while both stream')
    for (const exchange of [left, right, behind]) exchange.end()
    await window.driver.until(() => document.querySelector('.dot.running') === null, 'all to be at rest')
  })

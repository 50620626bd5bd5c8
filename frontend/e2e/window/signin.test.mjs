// Signing in to an MCP server from the real window: the desktop notifies the person, a press opens their browser, and
// the redirect makes the server ready.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { chinese } from '../lib/chinese.mjs'
import { Paced } from '../lib/provider.mjs'
import { startSignIn } from '../lib/signInServer.mjs'
import { World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

/** A folder whose server requires signing in, and a browser that records and follows the address it is opened with. */
async function start(t, { locale, preferences = {} } = {}) {
  const tracker = await startSignIn(t)
  const world = new World({}, { trusted: true })
  t.after(() => world.remove())
  world.write('../config/settings.yaml', JSON.stringify({ preferences, mcpServers: { tracker: { url: tracker.url } } }))
  const bin = world.path('bin')
  fs.mkdirSync(bin)
  const opened = path.join(bin, 'opened')
  const follow = path.join(bin, 'follow.mjs')
  fs.writeFileSync(
    follow,
    `import fs from 'node:fs'
const page = await fetch(process.argv[2])
fs.appendFileSync(${JSON.stringify(opened)}, process.argv[2] + '\\n' + (await page.text()))
`,
  )
  fs.writeFileSync(path.join(bin, 'xdg-open'), `#!/bin/sh\nexec '${process.execPath}' '${follow}' "$1"\n`, { mode: 0o755 })
  const provider = await Paced.start()
  t.after(() => provider.stop())
  const env = { ...provider.env, PATH: `${bin}:${process.env.PATH}`, ...(locale && { LANG: locale }) }
  const window = await Window.open(t, world, { env })
  const say = locale ? chinese : (text) => text
  await window.firstFrame(`button[aria-label="${say('New agent')}"]`)
  await window.toFront()
  const page = {
    has: (text) => window.driver.until((wanted) => document.body.innerText.includes(wanted), `“${say(text)}” on the page`, say(text)),
    press: async (name) => {
      const wanted = say(name)
      await window.driver.until(
        (text) => [...document.querySelectorAll('dialog[open] button')].some((e) => e.checkVisibility() && e.innerText.trim() === text),
        `the button “${wanted}”`,
        wanted,
      )
      await window.driver.click(
        (text) => [...document.querySelectorAll('dialog[open] button')].find((e) => e.checkVisibility() && e.innerText.trim() === text),
        wanted,
      )
    },
  }
  /** Opens the servers in the settings. */
  const settings = async () => {
    await window.driver.click(`button[aria-label="${say('Settings')}"]`)
    await page.press('MCP servers')
    await page.has('Needs sign-in')
  }
  return { tracker, window, provider, page, settings, opened: () => (fs.existsSync(opened) ? fs.readFileSync(opened, 'utf8') : '') }
}

test('the desktop reports that a sign-in is needed, and a press in the settings signs in', { timeout: 300_000 }, async (t) => {
  const notes = await desktop.Notifications.start(t)
  const { tracker, window, provider, page, settings, opened } = await start(t)
  await window.newAgent()
  await window.type('Look at the issues')
  desktop.lookAway(t)
  await window.driver.until(() => !document.hasFocus(), 'the window to lose the keyboard')
  await sleep(1000) // until the program has noticed
  await window.run()
  const request = await provider.next()
  await window.until(() => notes.shown.some((n) => /tracker/.test(n.title + n.body)), 'a notification about the server')
  assert.equal(opened(), '', 'nothing opens before a press')
  request.text('Nothing there.')
  request.end()
  desktop.focus(window.place().id)
  await settings()
  await window.screenshot('signin-needed.png')
  await page.press('Sign in')
  await page.has('Ready · 1 tool')
  await window.screenshot('signin-ready.png')
  await window.until(() => opened() !== '', 'the browser to note the page')
  const [address, ...rest] = opened().split('\n')
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/authorize\?/)
  assert.match(rest.join('\n'), /You are signed in/)
  assert.deepEqual(tracker.state.wrong, [])
  assert.equal(tracker.state.asked, 1)
})

test('nothing is cut off in a narrow, dark window in Chinese', { timeout: 300_000 }, async (t) => {
  const { tracker, window, provider, page, settings } = await start(t, { locale: 'zh_CN.UTF-8', preferences: { theme: 'dark' } })
  desktop.resizeWindow(window.place().id, 720, 620)
  await window.driver.click(`button[aria-label="${chinese('New agent')}"]`)
  await window.driver.until(() => [...document.querySelectorAll('.prompt .cm-content')].some((e) => e.checkVisibility()), 'an empty prompt')
  await window.type('Look')
  await window.run()
  const request = await provider.next()
  request.text('Nothing there.')
  request.end()
  await settings()
  const cut = () =>
    window.driver.run(() =>
      [...document.querySelectorAll('dialog[open] li *')]
        .filter(
          (e) =>
            e.checkVisibility() &&
            e.children.length === 0 &&
            e.textContent.trim() &&
            e.scrollWidth > e.clientWidth + 1 &&
            getComputedStyle(e).display !== 'inline',
        )
        .map((e) => e.textContent.trim()),
    )
  assert.deepEqual(await cut(), [])
  await window.screenshot('signin-needed-chinese.png')
  tracker.state.decline = true
  await page.press('Sign in')
  await window.until(() => tracker.state.asked === 1, 'the browser at the server')
  await window.driver.until(() => document.querySelector('dialog[open] li [role=alert]'), 'the refusal on the page')
  tracker.state.decline = false
  await page.press('Sign in')
  await window.until(async () => (await window.driver.run(() => document.body.innerText)).includes('就绪'), 'the server to be ready')
  assert.equal(tracker.state.asked, 2)
  assert.deepEqual(await cut(), [])
  await window.screenshot('signin-ready-chinese.png')
})

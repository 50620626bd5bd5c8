// A page of the real window that ends, freezes or stays empty: it is restored automatically with
// everything in it, and if that does not help the window says so.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { chinese } from '../lib/chinese.mjs'
import { Paced } from '../lib/provider.mjs'
import { encode } from '../lib/png.mjs'
import { notebookText, outFolder, World } from '../lib/world.mjs'
import { webProcess } from '../../../bench/process.mjs'
import * as desktop from './desktop.mjs'
import { keys } from './driver.mjs'
import { accessible } from './native.mjs'
import { Screen } from './screen.mjs'
import { Window } from './window.mjs'

const limit = { timeout: 300_000 }

describe('the page of the window', () => {
  let world

  beforeEach(() => {
    world = new World({ '.mutsumi/other.mtm': notebookText('Other', [['an earlier question', 'an earlier answer']]) })
  })

  afterEach(() => world.remove())

  /** The entries of the log about the page. */
  const failures = () =>
    fs
      .readFileSync(world.path('state', 'log', 'mutsumi.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('the page of the window failed'))
      .map((line) => /cause=(\w+) again=(\w+)/.exec(line).slice(1).join(' '))
  /** Waits until another process than pid shows the page. */
  const back = async (window, pid, words = (text) => text) => {
    await window.until(() => ![0, pid].includes(webProcess(window.driver.pid)), 'another process of the page')
    await window.driver.rejoin()
    // A script that runs while the page is loaded ends with it.
    const interrupted = (err) => assert.match(err.message, /execute\/async: unknown error/)
    await window.until(() => window.firstFrame(`button[aria-label="${words('New agent')}"]`).catch(interrupted), 'the page')
  }
  /** Kills the process of the page, and returns its number. */
  const kill = async (window) => {
    const pid = await window.until(() => webProcess(window.driver.pid), 'a process of the page')
    process.kill(pid, 'SIGKILL')
    return pid
  }
  /** A picture of the whole screen. */
  const picture = (file) => {
    const screen = new Screen()
    const [width, height] = [1280, 900]
    const seen = screen.look({}, 1)
    screen.close()
    fs.writeFileSync(
      file,
      encode(width, height, (x, y) => seen[y * width + x]),
    )
  }
  const notice = (window, words) =>
    window.driver.until((text) => document.querySelector('.toasts')?.textContent.includes(text), `the notice “${words}”`, words)
  const tabs = (window) =>
    window.driver.run(() => [...document.querySelectorAll('[aria-label="Open agents"] [role=tab]')].map((e) => e.innerText.trim()))

  test('comes back when its process is killed, with the answer, the typed text, and the tabs', limit, async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const window = await Window.open(t, world, { env: provider.env })
    await window.firstFrame()
    await window.driver.click('[role=treeitem]')
    await window.until(async () => (await window.answerText()).includes('an earlier answer'), 'the other notebook')
    await window.newAgent()
    await window.type('Tell me')
    await window.driver.press([keys.control, keys.enter])
    const exchange = await provider.next()
    exchange.text('The first half stands. ')
    await window.until(async () => (await window.answerText()).includes('The first half stands.'), 'the half on the page')
    await window.type('typed meanwhile')
    await sleep(1000) // older text is not lost
    const before = await tabs(window)
    const pid = await kill(window)
    exchange.text('More came while there was no page. ')
    await back(window, pid)
    await notice(window, 'The page of this window ended and was loaded again')
    await window.until(async () => (await window.answerText()).includes('More came while there was no page.'), 'the answer to go on')
    assert.deepEqual(await tabs(window), before)
    await window.until(async () => (await window.promptText()) === 'typed meanwhile', 'what was typed')
    await window.screenshot('window-loaded-again.png')
    exchange.text('The end.')
    exchange.end()
    await window.waitIdle()
    const file = world.notebooks().find((name) => !name.endsWith('other.mtm'))
    assert.deepEqual(
      world.notebook(file).context.map((m) => m.content),
      ['Tell me', 'The first half stands. More came while there was no page. The end.', 'typed meanwhile'],
    )
    assert.deepEqual(failures(), ['ended true'])
    // The page that came back is whole: it takes keys, and the window asks it before it closes.
    await window.type(' and after')
    await window.close()
    assert.equal(world.notebook(file).context[2].content, 'typed meanwhile and after')
  })

  test('comes back when it does not answer, but not while a dialog of the system is open', limit, async (t) => {
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.driver.click('[role=treeitem]')
    await window.until(async () => (await window.answerText()).includes('an earlier answer'), 'the notebook')
    await window.type('typed before')
    await window.waitIdle()
    const pid = webProcess(window.driver.pid)
    await window.driver.run(() => void globalThis.go.main.App.ChooseFolder())
    const dialog = desktop.act('search', '--sync', '--onlyvisible', '--name', 'Open a folder').trim()
    await window.driver.run(() => {
      setTimeout(() => {
        for (;;);
      }, 200)
    })
    await sleep(15_000)
    assert.equal(webProcess(window.driver.pid), pid, 'the dialog is waited for')
    desktop.focus(dialog)
    desktop.pressKeys('Escape')
    await back(window, pid)
    await notice(window, 'The page of this window did not answer and was loaded again')
    assert.deepEqual(await tabs(window), ['Other'])
    await window.until(async () => (await window.promptText()) === 'typed before', 'what was typed')
    assert.deepEqual(failures(), ['frozen true'])
    await window.close()
  })

  test('comes back when it stays empty', limit, async (t) => {
    const window = await Window.open(t, world, { env: { AUTOMATE_BROKEN: '1' } })
    await window.driver.until(() => document.readyState === 'complete', 'the page to have loaded')
    assert.equal(await window.driver.run(() => document.body.innerText.trim()), '')
    await window.until(() => failures().length > 0, 'the page to be found empty')
    await window.firstFrame()
    await notice(window, 'The page of this window stayed empty and was loaded again')
    assert.deepEqual(failures(), ['empty true'])
    await window.close()
  })

  test('closing the window while the page is reloading is not forgotten, and the person is asked', limit, async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const window = await Window.open(t, world, { env: provider.env })
    await window.firstFrame()
    await window.answering(provider, 'It goes on.')
    const pid = await kill(window)
    window.pressClose()
    await back(window, pid)
    const question = () => /1 agent is at work/.test(document.querySelector('dialog:modal')?.textContent ?? '')
    await window.driver.until(question, 'the question')
    await sleep(5000) // longer than a page is waited for that does not answer
    assert.ok(await window.driver.run(question), 'the question stays')
    await window.driver.click('dialog .danger')
    assert.ok(await window.driver.ended(45_000), 'the program ends once the person is sure')
  })

  for (const [language, words] of [
    ['C.UTF-8', (text) => text],
    ['zh_CN.UTF-8', chinese],
  ]) {
    test(`is not reloaded for ever: the window says so and offers ways out (${language})`, limit, async (t) => {
      const window = await Window.open(t, world, { env: { LANG: language, NO_AT_BRIDGE: '0', GTK_A11Y: '' } })
      await window.firstFrame(`button[aria-label="${words('New agent')}"]`)
      const read = () => spawnSync(accessible(), [String(window.driver.pid)], { encoding: 'utf8' }).stdout
      const press = (name) =>
        assert.equal(spawnSync(accessible(), [String(window.driver.pid), 'button', name]).status, 0, `the button “${name}”`)
      const lines = ['Could not show the window: its page ended again and again', 'Load again', 'Quit'].map(words)
      const threeTimes = async () => {
        for (let i = 1; i <= 3; i++) {
          const pid = await kill(window)
          // A page process that dies before it has identified itself ends the whole program: that is WebKit's rule.
          if (i < 3) await back(window, pid, words)
        }
        await window.until(() => lines.every((line) => read().includes(`"${line}"`)), `${lines.join(', ')} among:\n${read()}`)
      }
      await threeTimes()
      await sleep(1000)
      assert.equal(webProcess(window.driver.pid), 0, 'no page is loaded')
      assert.deepEqual(failures(), ['ended true', 'ended true', 'ended false'])
      picture(path.join(outFolder, `window-given-up-${language}.png`))
      press(lines[1])
      await back(window, 0, words)
      assert.ok(!read().includes(lines[0]), 'the page stands in its place again')
      await threeTimes()
      press(lines[2])
      assert.ok(await window.driver.ended(2_500), 'the program ends, without a wait for a page')
    })
  }
})

// The finished program in its real window: what only that can show.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { memory, webProcess } from '../../../bench/process.mjs'
import { Paced } from '../lib/provider.mjs'
import { pdf } from '../lib/pdf.mjs'
import { encode } from '../lib/png.mjs'
import { binary, notebookText, World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { keys } from './driver.mjs'
import { Screen } from './screen.mjs'
import { Window } from './window.mjs'

const limit = { timeout: 300_000 }

describe('the real window', () => {
  let world

  beforeEach(() => {
    world = new World({ 'README.md': '# Garden\n\nSix beds and two barrels.\n' })
  })

  afterEach(() => world.remove())

  test('a new user types, runs and reads; closed and opened again, all is there', limit, async (t) => {
    const first = await Window.open(t, world)
    const drawn = await first.firstFrame()
    t.diagnostic(`first frame after ${Math.round(drawn - first.driver.startedMs)} ms`)
    await first.newAgent()
    await first.type('What is in @[README.md]? 你好')
    await first.run()
    await first.waitIdle()
    const answer = await first.answerText()
    assert.ok(answer.length > 40, `an answer: ${answer}`)
    const { total } = memory(first.driver.pid)
    t.diagnostic(`memory of all processes: ${Math.round(total)} MB`)
    await first.screenshot('window.png')
    const [file] = world.notebooks()
    const saved = world.notebook(file)
    assert.deepEqual(
      saved.context.slice(0, 2).map((m) => m.role),
      ['user', 'assistant'],
    )
    await first.close()

    const second = await Window.open(t, world)
    await second.firstFrame()
    await second.driver.until(() => document.querySelector('article.cell .answer') !== null, 'the notebook to be open again')
    assert.match(await second.promptText(0), /你好/)
    assert.equal(await second.answerText(0), answer)
    assert.deepEqual(world.notebook(file).context, saved.context)
    await second.close()
  })

  test('WebKit neither tries out the graphics card nor lets garbage pile up, unless the person wants it otherwise', limit, async (t) => {
    const window = await Window.open(t, world, { env: { WEBKIT_DISABLE_DMABUF_RENDERER: '0' } })
    await window.firstFrame()
    const given = fs.readFileSync(`/proc/${webProcess(window.driver.pid)}/environ`, 'latin1').split('\0')
    for (const text of ['WEBKIT_DISABLE_COMPOSITING_MODE=1', 'JSC_heapGrowthMaxIncrease=0.5', 'WEBKIT_DISABLE_DMABUF_RENDERER=0'])
      assert.ok(given.includes(text), text)
    await window.close()
  })

  test('a notebook opened by its file is in front; a second one comes to the same window', limit, async (t) => {
    for (const name of ['One', 'Two', 'Three'])
      world.write(`${name.toLowerCase()}.mtm`, notebookText(name, [[`Prompt of ${name}`, 'An answer.']]))
    const w = await Window.open(t, world, { args: [path.join(world.folder, 'two.mtm')] })
    await w.firstFrame()
    const front = () =>
      w.driver.run(() => document.querySelector('[aria-label="Open agents"] [role=tab][aria-selected=true]')?.innerText.trim() ?? '')
    await w.until(async () => (await front()) === 'Two', 'the notebook to be in front')
    const session = ['DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'GDK_BACKEND'].flatMap((k) =>
      process.env[k] ? [[k, process.env[k]]] : [],
    )
    const env = { ...world.env(), ...Object.fromEntries(session) }
    const again = spawn(binary, ['three.mtm'], { cwd: world.folder, env, stdio: 'inherit' })
    t.after(() => again.kill('SIGKILL'))
    await once(again, 'exit')
    await w.until(async () => (await front()) === 'Three', 'the second notebook to be in front')
    await w.close()
  })

  for (const signal of ['SIGTERM', 'SIGHUP']) {
    test(`newly typed text is saved when ${signal} ends the program`, limit, async (t) => {
      const window = await Window.open(t, world)
      await window.firstFrame()
      await window.newAgent()
      await window.type('typed right before the end')
      process.kill(window.driver.pid, signal)
      assert.ok(await window.driver.ended(45_000), 'the program ends')
      assert.deepEqual(
        world.notebook().context.map((m) => m.content),
        ['typed right before the end'],
      )
    })
  }

  for (const [theme, light] of [
    ['light', true],
    ['dark', false],
  ]) {
    test(`opens in ${theme} without a flash of anything else`, limit, async (t) => {
      fs.writeFileSync(world.path('config', 'settings.yaml'), `preferences:\n  theme: ${theme}\n`)
      const screen = new Screen()
      t.after(() => screen.close())
      // The window of the test before may be gone from the screen later than its program.
      const drawn = ([r, g, b]) => r + g + b > 0
      for (const end = Date.now() + 45_000; ; await sleep(10)) {
        const looked = screen.look({}, 24)
        if (looked.filter(drawn).length < looked.length / 100) break // the pointer may be on it
        assert.ok(Date.now() < end, 'the screen is bare before the window opens')
      }
      const recording = screen.record()
      const window = await Window.open(t, world)
      await window.firstFrame()
      await window.driver.until(() => document.fonts.status === 'loaded', 'the fonts')
      const seen = recording.stop()
      // The bare screen is black. What the window shows before its first content
      // is the design's background; a white page in light, or anything bright in
      // dark, is a flash.
      const odd = light ? ([r, g, b]) => r === 255 && g === 255 && b === 255 : ([r, g, b]) => r + g + b > 3 * 200
      const shares = seen.map((frame) => frame.filter(odd).length / frame.length)
      const worst = Math.max(...shares)
      t.diagnostic(`${seen.length} looks, worst ${(worst * 100).toFixed(1)} %`)
      assert.ok(seen.length > 10)
      const frame = seen[shares.indexOf(worst)]
      const where = frame[Math.floor(frame.length / 2)].join(' ')
      assert.ok(
        worst < 0.25,
        `${Math.round(worst * 100)} % of the screen was ${light ? 'unstyled white' : 'bright'} in ${shares.filter((s) => s >= 0.25).length} looks; the middle of it rgb(${where})`,
      )
      const background = await window.driver.run(() => getComputedStyle(document.body).backgroundColor)
      assert.equal(background, light ? 'rgb(251, 251, 249)' : 'rgb(21, 23, 21)')
      await window.screenshot(`window-${theme}.png`)
      await window.close()
    })
  }

  test('a picture on the clipboard is pasted into the prompt', limit, async (t) => {
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.newAgent()
    await window.toFront()
    const png = encode(320, 200, (x, y) => [x % 256, y % 256, 120])
    const file = world.path('tmp', 'copied.png')
    fs.writeFileSync(file, png)
    const clipboard = await desktop.copyFile(file, 'image/png')
    t.after(() => clipboard.release())
    await window.type('See this: ')
    desktop.pressKeys('ctrl+v')
    await window.driver.until(
      () => [...document.querySelectorAll('article.cell img')].some((i) => i.complete && i.naturalWidth > 0),
      'a thumbnail in the cell',
    )
    await window.waitIdle()
    const prompt = world.notebook().context[0].content
    const saved = /^See this: !\[image\]\((\.mutsumi\/\S+\.images\/img_\d+_[0-9a-f]{8}\.png)\)$/.exec(prompt.trim())?.[1]
    assert.ok(saved, `it stays beside the notebook: ${prompt}`)
    assert.ok(fs.readFileSync(path.join(world.folder, saved)).equals(png), 'the file holds exactly what was on the clipboard')
    await window.screenshot('window-paste.png')
    await window.close()
  })

  test('plain text is pasted as text', limit, async (t) => {
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.newAgent()
    await window.toFront()
    const file = world.path('tmp', 'copied.txt')
    fs.writeFileSync(file, 'three barrels, 三')
    const clipboard = await desktop.copyFile(file, 'UTF8_STRING')
    t.after(() => clipboard.release())
    await window.focusPrompt()
    desktop.pressKeys('ctrl+v')
    await window.waitIdle()
    await window.until(async () => (await window.promptText()) === 'three barrels, 三', 'the text in the prompt')
    await window.close()
  })

  test('files dragged from another program become references and pictures', limit, async (t) => {
    world.write('notes with spaces/beet 文.md', 'beet\n')
    const png = encode(64, 48, (x, y) => [200, x * 3, y * 4])
    const outside = world.path('tmp', 'chart ä.png')
    fs.writeFileSync(outside, png)
    const paper = world.path('tmp', '報告 (final).pdf')
    fs.writeFileSync(paper, pdf(3))
    world.write('papers/the plan.pdf', pdf(2))
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.newAgent()
    await window.toFront()
    await window.type('Look: ')
    const at = await window.onScreen('article.cell .prompt .cm-content')
    const inside = ['notes with spaces/beet 文.md', 'papers/the plan.pdf'].map((name) => path.join(world.folder, name))
    await desktop.dropFiles([...inside, outside, paper], at.x, at.y)
    await window.until(async () => {
      const content = world.notebooks().length ? world.notebook().context[0]?.content : ''
      return typeof content === 'string' && content.includes('@[') && content.split('![').length === 4
    }, 'all of them in the prompt')
    const prompt = world.notebook().context[0].content
    assert.match(prompt, /@\[notes with spaces\/beet 文\.md\]/)
    const saved = prompt.match(/!\[[^\]]*\]\((\.mutsumi\/\S+?\.images\/img\S+?)\)/)[1]
    assert.ok(fs.readFileSync(path.join(world.folder, saved)).equals(png))
    // A document of the folder is linked where it is, another one is saved next to the notebook.
    assert.match(prompt, /!\[the plan\.pdf\]\(<?papers\/the plan\.pdf>?\)/)
    const document = prompt.match(/\((\.mutsumi\/\S+?\.images\/doc\S+?\.pdf)\)/)[1]
    assert.ok(fs.readFileSync(path.join(world.folder, document)).equals(pdf(3)))
    assert.doesNotMatch(prompt, /file:\/\//, `the editor did not insert the links as well: ${prompt}`)
    await window.driver.until(
      () => [...document.querySelectorAll('article.cell img')].some((i) => i.complete && i.naturalWidth > 0),
      'a thumbnail',
    )
    await window.driver.until(
      () => [2, 3].every((n) => document.querySelector('article.cell').innerText.includes(`${n} pages`)),
      'both documents',
    )
    await window.screenshot('window-drop.png')
    await window.close()
  })

  test('an agent dragged from the list into a prompt becomes a reference', limit, async (t) => {
    world.write('.mutsumi/other.mtm', notebookText('Other', [['q', 'a']]))
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.newAgent()
    await window.toFront()
    await window.type('See ')
    const from = await window.onScreen('[role="treeitem"][aria-label^="Other,"]')
    await desktop.drag(from, await window.onScreen('article.cell .prompt .cm-content'))
    await window.until(
      () => world.notebooks().some((n) => world.notebook(n).context[0]?.content === 'See @[.mutsumi/other.mtm]'),
      'the reference in the prompt',
    )
    await window.close()
  })

  test('closed while an answer streams in: the person is asked, and the partial answer is kept', limit, async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const window = await Window.open(t, world, { env: provider.env })
    await window.firstFrame()
    const exchange = await window.answering(provider, 'The first half stands.')
    const asked = () =>
      window.driver.until(() => /1 agent is at work/.test(document.querySelector('dialog:modal')?.textContent ?? ''), 'the question')
    window.pressClose()
    await asked()
    await window.driver.press(keys.escape)
    await window.driver.until(() => !document.querySelector('dialog:modal'), 'the question to go')
    exchange.text('More came. ')
    await window.until(async () => (await window.answerText()).includes('More came.'), 'the answer to go on')
    window.pressClose()
    await asked()
    await window.driver.click('dialog .danger')
    assert.ok(await window.driver.ended(45_000), 'the program ends once the person is sure')
    await exchange.closed
    assert.equal(world.notebook().context[1].content, 'The first half stands. More came. ')
  })

  test('text typed just before the window is closed is kept', limit, async (t) => {
    world.write('.mutsumi/one.mtm', notebookText('One', [['first question', 'first answer']]))
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.driver.click('[role=treeitem]')
    await window.until(async () => (await window.answerText()).includes('first answer'), 'the notebook')
    await window.type('the last word')
    await window.close()
    assert.deepEqual(
      world.notebook().context.map((m) => m.content),
      ['first question', 'first answer', 'the last word'],
    )
  })

  test('a notebook changed by another program is shown as it is now', limit, async (t) => {
    world.write('.mutsumi/one.mtm', notebookText('One', [['first question', 'first answer']]))
    const window = await Window.open(t, world)
    await window.firstFrame()
    await window.driver.click('[role=treeitem]')
    await window.until(async () => (await window.answerText()).includes('first answer'), 'the notebook')
    world.write('.mutsumi/one.mtm', notebookText('One', [['first question', 'another answer']]))
    await window.until(async () => (await window.answerText()).includes('another answer'), 'the change on the page')
    await window.close()
  })
})

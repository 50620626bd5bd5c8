// An answer that streams below 2,000 cells, two of them side by side in groups of tabs, or none: how
// long frames and typed keys take, in chromium and in the real window.
//
// A 60 Hz screen has a frame every 16.7 ms, so the time from frame to frame is never less, and a
// key waits for the next one. The page's own cost is shown separately: the processor time of its
// thread for each frame, and for a key the time until it is handled and that of the frame which
// shows it. Server, program, drawing and this script share the cores of the machine.
import os from 'node:os'
import { App, closeBrowser } from '../frontend/e2e/lib/app.mjs'
import { World } from '../frontend/e2e/lib/world.mjs'
import { keys as special } from '../frontend/e2e/window/driver.mjs'
import { Window } from '../frontend/e2e/window/window.mjs'
import { firstThreads } from './process.mjs'
import { tokenServer } from './tokens.mjs'
import { manyCells } from './workload.mjs'

export const file = (i) => `.mutsumi/long${i}.mtm`
const letters = 'the quick brown fox jumps over the lazy dog'
const share = (list, part) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))] ?? 0

/** A folder of notebooks with that many cells, each ending with a prompt to run. */
export function workspace(notebooks, cells) {
  const world = new World()
  for (let i = 0; i < notebooks; i++) {
    const book = JSON.parse(manyCells(cells, world.folder))
    book.metadata.name = `Long ${i}`
    book.context[0].content = `stream ${i} now` // the server distinguishes the runs by this
    book.context.push({ role: 'user', content: 'And now?' })
    world.write(file(i), JSON.stringify(book))
  }
  return world
}

/** In the page: the time of every frame, and the cost of every key, until requested. */
function observe() {
  const seen = (globalThis.longSeen = { frames: [], keys: [], work: [] })
  let last = performance.now()
  let began = last // when the work of this frame did: this is the first call of each
  const frame = (now) => {
    began = performance.now()
    seen.frames.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  let pressed = 0 // when the key was
  let inserts = 0 // when its letter came, which WebKit's input method may send later
  let handled = 0 // when the editor had shown it in the page, and others had followed
  const settle = (more) => {
    handled = performance.now()
    if (more > 0) queueMicrotask(() => settle(more - 1))
  }
  const changes = new MutationObserver(() => {
    if (pressed === 0) return
    const [key, from] = [pressed, inserts]
    pressed = 0
    settle(20)
    requestAnimationFrame(() => {
      const [handling, drawing] = [handled - from, began]
      let shown = 0
      const end = () => {
        if (shown > 0) return
        shown = performance.now()
        seen.keys.push(shown - key)
        seen.work.push(handling + shown - drawing)
      }
      setTimeout(end) // after the frame; the next one may come before it
      requestAnimationFrame(end)
    })
  })
  const press = ({ target }) => {
    changes.observe(target, { childList: true, characterData: true, subtree: true })
    pressed = inserts = performance.now()
  }
  addEventListener('keydown', press, true)
  addEventListener('beforeinput', () => (inserts = performance.now()), true)
}

/**
 * In the page: presses the prompt at the end of the notebook in front. It moves while answers stream, so that
 * a press of a driver, which waits until it rests, would come after them.
 */
const pressLastPrompt = () =>
  [...document.querySelectorAll('[data-view=front] article.cell .prompt')]
    .filter((e) => e.checkVisibility())
    .at(-1)
    .click()

/** Types while the answers stream, if there are any. page: the common operations of the browser and the window. */
async function typeMeanwhile(page, { answers, seconds }, server) {
  const began = Date.now()
  for (let i = 0; i < answers; i++) await page.run(file(i))
  await page.evaluate(pressLastPrompt)
  await page.evaluate(observe)
  const used = page.used()
  const end = began + seconds * 900
  for (let i = 0; Date.now() < end; i++) {
    await page.press(letters[i % letters.length])
    await new Promise((done) => setTimeout(done, 150))
  }
  const { frames, keys, work } = await page.evaluate(() => globalThis.longSeen)
  // Frames of a page at rest are not what is measured.
  if (Date.now() > began + seconds * 1000) throw new Error('The answers ended before the measurement did.')
  const perFrame = ((page.used() - used) * 1000) / frames.length
  await new Promise((done) => setTimeout(done, began + seconds * 1100 - Date.now()))
  const sent = await server.sent()
  const characters = Object.values(sent).reduce((sum, run) => sum + run.text.join('').length, 0)
  return {
    frames: [share(frames, 0.5), share(frames, 0.95), Math.max(...frames)],
    perFrame,
    keys: [share(keys, 0.5), share(keys, 0.95)],
    work: [share(work, 0.5), share(work, 0.95)],
    load: os.loadavg()[0],
    characters,
    count: keys.length,
  }
}

const serverFor = ({ perSecond, seconds }) => tokenServer({ perSecond, seconds, answerSeconds: seconds })

/**
 * Measures in chromium; longInWindow does in the real window. options: how many answers stream (0 to
 * 2), below how many cells each, for how many seconds, and at how many tokens perSecond.
 */
export async function longInBrowser(options) {
  const server = await serverFor(options)
  const notebooks = Math.max(options.answers, 1)
  const world = workspace(notebooks, options.cells)
  const endings = []
  // Otherwise it puts timers off after a key, beyond the next frame, and nothing says when one was drawn.
  process.env.MUTSUMI_CHROMIUM_ARGS = '--disable-features=DeferRendererTasksAfterInput'
  const app = await App.start(
    { name: 'bench', after: (f) => endings.unshift(f), passed: true },
    { world, env: server.env, viewport: { width: 1600, height: 900 } },
  )
  try {
    await app.openAgent('Long 0')
    if (notebooks > 1) await app.agentMenu('Long 1', /Open at the side/)
    await app.page.locator('article.cell').first().waitFor()
    return await typeMeanwhile(
      {
        run: async (f) => app.call('Run', f, (await app.notebook(f)).cells.at(-1).id, 'cell'),
        evaluate: (fn) => app.page.evaluate(fn),
        press: (key) => app.page.keyboard.type(key),
        used: () => firstThreads(process.pid, /--type=renderer/),
      },
      options,
      server,
    )
  } finally {
    for (const end of endings) await end()
    await closeBrowser()
    delete process.env.MUTSUMI_CHROMIUM_ARGS
    await server.stop()
  }
}

export async function longInWindow(options) {
  const server = await serverFor(options)
  const notebooks = Math.max(options.answers, 1)
  const world = workspace(notebooks, options.cells)
  const window = await Window.open(undefined, world, { env: server.env })
  const { driver } = window
  const open = async (i) => {
    await driver.click(`[role=treeitem][aria-label^="Long ${i},"]`)
    await driver.until(() => document.querySelector('[data-view=front] article.cell') !== null, 'the notebook')
  }
  try {
    await window.firstFrame()
    await driver.until((n) => document.querySelectorAll('[role=treeitem]').length === n, 'the agents', notebooks)
    await open(0)
    if (notebooks > 1) {
      await driver.press([special.control, '\\'])
      await driver.until(() => document.querySelectorAll('[data-group]').length === 2, 'the second group')
      await open(1)
    }
    return await typeMeanwhile(
      {
        run: (f) =>
          driver.run(async (path) => {
            const { cells: all } = await (await fetch(`/api/notebook?path=${encodeURIComponent(path)}`)).json()
            await globalThis.go.main.App.Run(path, all.at(-1).id, 'cell')
          }, f),
        evaluate: (fn) => driver.run(fn),
        press: (key) => driver.press(key),
        used: () => firstThreads(driver.pid, /WebKitWebProcess/),
      },
      options,
      server,
    )
  } finally {
    await driver.stop()
    await server.stop()
    world.remove()
  }
}

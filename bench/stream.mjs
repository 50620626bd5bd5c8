// Eight notebooks that stream at once, in chromium (which reports every task of
// the main thread over 50 ms) and in the real window (where a gap between two
// animation frames is the nearest thing).
import { setTimeout as sleep } from 'node:timers/promises'
import { App, closeBrowser } from '../frontend/e2e/lib/app.mjs'
import { notebookText, World } from '../frontend/e2e/lib/world.mjs'
import { Window } from '../frontend/e2e/window/window.mjs'
import { memory, memoryOfChildren, processor } from './process.mjs'
import { tokenServer } from './tokens.mjs'

const file = (i) => `.mutsumi/stream${i}.mtm`
const prompt = (i) => `stream ${i} now`
const workspace = (notebooks) => new World(Object.fromEntries(Array.from({ length: notebooks }, (_, i) => [file(i), notebookText(`Stream ${i}`, [[prompt(i)]])])))

const runs = (notebooks) => Array.from({ length: notebooks }, (_, i) => ({ file: file(i), prompt: prompt(i) }))

/**
 * Whether every notebook on the disk contains exactly what was sent to it: list has
 * each one's file and prompt. The last save may be slightly later than the last run.
 */
export async function compare(world, server, list) {
  const sent = await server.sent()
  let found = look(world, sent, list)
  for (const end = Date.now() + 45_000; !found.arrived && Date.now() < end; found = look(world, sent, list)) await sleep(100)
  return found
}

function look(world, sent, list) {
  const missing = []
  let tokens = 0
  for (const { file, prompt } of list) {
    const run = sent[prompt]
    tokens += run?.tokens ?? 0
    const kept = world.notebook(file).context.filter((m) => m.role === 'assistant').map((m) => m.content)
    if (!run || run.text.length === 0 || run.text.join('\u0000') !== kept.join('\u0000')) {
      missing.push(`${file}: ${run?.text.join('').length ?? 0} characters sent, ${kept.join('').length} kept`)
    }
  }
  return { tokens, arrived: missing.length === 0, missing: missing.join('; ') }
}

/** The words of the front notebook that the page shows differently from what was sent, in order. */
export async function different(app, server, prompt) {
  // The language and the buttons of a code block are not part of its text.
  const words = (text) => (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((w) => !/^(go|copy)$/i.test(w)).join(' ')
  await app.scrollTo(0)
  const { text } = (await server.sent())[prompt]
  const [want, got] = [words(text.join(' ')), words(await app.answerText())]
  if (want === got) return ''
  let at = 0
  while (want[at] === got[at]) at++
  return `at ${at} of ${want.length}: "${want.slice(at, at + 60)}" was sent, "${got.slice(at, at + 60)}" is shown`
}

/** The shares of the time at which the memory is reported. */
const shares = [0.25, 0.5, 0.75, 1]

/**
 * Lets it stream and samples the memory every second; ended reports that all runs
 * are over, and is not called before the time is: asking the page takes memory
 * itself. memory is the median of the samples in the twentieth of the time before each share.
 */
export async function watch(pid, look, seconds, ended) {
  const looks = []
  const began = Date.now()
  const usedBefore = processor(pid)
  let used = 0
  for (;;) {
    const at = (Date.now() - began) / 1000
    if (at > seconds && (await ended())) break
    if (at > seconds + 120) throw new Error(`the runs did not end ${Math.round(at)} s after they began`)
    const { total, parts } = look()
    if (at <= seconds) {
      looks.push({ at, total, ...parts })
      used = (processor(pid) - usedBefore) / at
    }
    await sleep(1000)
  }
  const before = (share) => {
    const near = looks.filter(({ at }) => at >= (share - 0.05) * seconds && at <= share * seconds)
    return near.length > 0 ? near : looks.slice(-1)
  }
  const middle = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
  for (const share of shares) {
    const parts = Object.keys(looks[0]).filter((name) => name !== 'at')
    console.error(`memory at ${Math.round(share * seconds)} s: ${parts.map((name) => `${name} ${Math.round(middle(before(share).map((l) => l[name] ?? 0)))} MB`).join(', ')}`)
  }
  return { memory: shares.map((share) => middle(before(share).map((l) => l.total))), processor: used }
}

/** In the page: keeps every task over 50 ms and every gap between frames. */
export function observe() {
  const began = performance.now()
  const seen = (globalThis.streamSeen = { tasks: [], gaps: [] })
  if (PerformanceObserver.supportedEntryTypes.includes('longtask')) {
    new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((e) => ({ at: e.startTime - began, took: e.duration })))).observe({ type: 'longtask' })
  }
  let last = began
  const frame = (now) => {
    if (now - last > 50) seen.gaps.push({ at: last - began, took: now - last })
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}

/** The longest of them, their number, and when the first few occurred, for finding the reason. */
export function longest(seen) {
  const slow = seen.map(({ at, took }) => `${Math.round(took)} ms at ${(at / 1000).toFixed(1)} s`)
  if (slow.length > 0) console.error(`over 50 ms: ${slow.slice(0, 20).join(', ')}`)
  return { longest: Math.max(0, ...seen.map((s) => s.took)), over: seen.length }
}

/** In chromium against `mutsumi serve`. */
export async function streamInBrowser({ notebooks, perSecond, seconds }) {
  const server = await tokenServer({ perSecond, seconds })
  const world = workspace(notebooks)
  const endings = []
  const app = await App.start({ name: 'bench', after: (f) => endings.unshift(f), passed: true }, { world, env: server.env })
  try {
    for (let i = 0; i < notebooks; i++) await app.openAgent(`Stream ${i}`)
    await app.page.evaluate(observe)
    for (let i = 0; i < notebooks; i++) await app.call('Run', file(i), (await app.notebook(file(i))).cells[0].id, 'cell')
    const pid = app.server.pid
    const figures = await watch(pid, memoryOfChildren, seconds, async () => {
      const views = await app.call('Snapshot')
      return views.nodes.every((n) => n.status !== 'running')
    })
    await app.waitIdle()
    const seen = await app.page.evaluate(() => globalThis.streamSeen)
    const unseen = await different(app, server, prompt(notebooks - 1))
    return { kind: 'task', unseen, ...longest(seen.tasks), ...figures, ...(await compare(world, server, runs(notebooks))) }
  } finally {
    for (const end of endings) await end()
    await closeBrowser()
    await server.stop()
  }
}

/**
 * One notebook with a long answer in chromium, of one message or, with a short
 * answerSeconds, of many: the number of elements in its cell while the answer grows, as [tokens sent, elements] every half second.
 */
export async function elementsWhileStreaming({ perSecond, seconds, answerSeconds }) {
  const server = await tokenServer({ perSecond, seconds, answerSeconds })
  const endings = []
  const app = await App.start({ name: 'bench', after: (f) => endings.unshift(f), passed: true }, { world: workspace(1), env: server.env })
  const looks = []
  try {
    await app.openAgent('Stream 0')
    await app.call('Run', file(0), (await app.notebook(file(0))).cells[0].id, 'cell')
    const running = async () => (await app.call('Snapshot')).nodes.some((n) => n.status === 'running')
    while (await running()) {
      const elements = await app.cell(1).evaluate((cell) => cell.querySelectorAll('*').length)
      looks.push([(await server.sent())[prompt(0)]?.tokens ?? 0, elements])
      await sleep(500)
    }
    await app.waitIdle()
    return looks
  } finally {
    for (const end of endings) await end()
    await closeBrowser()
    await server.stop()
  }
}

/** In the real window. */
export async function streamInWindow({ notebooks, perSecond, seconds }) {
  const server = await tokenServer({ perSecond, seconds })
  const world = workspace(notebooks)
  const window = await Window.open(undefined, world, { env: server.env })
  try {
    await window.firstFrame()
    await window.driver.until((n) => document.querySelectorAll('[role=treeitem]').length === n, 'the agents', notebooks)
    for (let i = 0; i < notebooks; i++) {
      await window.driver.click(`[role=treeitem][aria-label^="Stream ${i},"]`)
      await window.driver.until((name) => document.querySelector('[aria-label="Open agents"] [role=tab][aria-selected=true]')?.textContent.includes(name), 'the tab', `Stream ${i}`)
    }
    await window.driver.run(observe)
    for (let i = 0; i < notebooks; i++) {
      await window.driver.run(async (f) => {
        const { cells } = await (await fetch(`/api/notebook?path=${encodeURIComponent(f)}`)).json()
        await globalThis.go.main.App.Run(f, cells[0].id, 'cell')
      }, file(i))
    }
    const figures = await watch(window.driver.pid, () => memory(window.driver.pid), seconds, () =>
      window.driver.run(async () => (await globalThis.go.main.App.Snapshot()).nodes.every((n) => n.status !== 'running')),
    )
    await window.waitIdle()
    const { gaps } = await window.driver.run(() => globalThis.streamSeen)
    return { kind: 'gap between frames', ...longest(gaps), ...figures, ...(await compare(world, server, runs(notebooks))) }
  } finally {
    await window.driver.stop()
    await server.stop()
    world.remove()
  }
}

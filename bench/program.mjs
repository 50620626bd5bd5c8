#!/usr/bin/env node
// The figures of the whole program, printed as Markdown: start and memory of the real window next to an
// empty one of the same machinery, a large notebook, eight notebooks that stream in parallel, and twenty
// agents started by one. `make bench` builds what it needs and runs it under Xvfb; BENCH_STARTS,
// BENCH_SECONDS and BENCH_MEGABYTES set durations and sizes, BENCH_RATE the tokens per second of each
// answer in the part "long", BENCH_PARTS (start, large, long, stream, browser, agents) the parts.
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { notebookText, World } from '../frontend/e2e/lib/world.mjs'
import { Window } from '../frontend/e2e/window/window.mjs'
import { agentsInBrowser, agentsInWindow } from './agents.mjs'
import { longInBrowser, longInWindow } from './long.mjs'
import { processor, settled } from './process.mjs'
import { streamInBrowser, streamInWindow } from './stream.mjs'
import { largeNotebook } from './workload.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const number = (name, otherwise) => Number(process.env[name] ?? otherwise)
const starts = number('BENCH_STARTS', 5)
const seconds = number('BENCH_SECONDS', 20)
const megabytes = number('BENCH_MEGABYTES', 50)
const parts = (process.env.BENCH_PARTS ?? 'start large long stream browser agents').split(/[ ,]+/)
const rows = []
const row = (what, ...values) => {
  rows.push([what, ...values])
  console.error(`${what}: ${values.join(' | ')}`)
}
const ms = (n) => `${Math.round(n)} ms`
const mb = (n) => `${Math.round(n)} MB`
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

const empty = path.join(root, 'bin', 'emptywindow')
const anything = 'button[aria-label="New agent"]'

/** Start and memory: each program in turn, so that a slow moment of the machine meets both. */
async function start() {
  const times = { empty: [], program: [] }
  const used = { empty: [], program: [] }
  const memory = { empty: [], program: [] }
  for (let i = 0; i < starts; i++) {
    for (const [name, program, selector] of [
      ['empty', empty, 'main'],
      ['program', undefined, anything],
    ]) {
      const world = new World({ '.mutsumi/one.mtm': notebookText('One', [['a question', 'an answer']]) })
      const window = await Window.open(undefined, world, program ? { program, args: [] } : {})
      times[name].push((await window.firstFrame(selector)) - window.driver.startedMs)
      used[name].push(processor(window.driver.pid))
      memory[name].push((await settled(window.driver.pid)).total)
      await window.driver.stop()
      world.remove()
    }
  }
  row('Start to the first frame that can be used', ms(median(times.program)), ms(median(times.empty)))
  row('... processor time until then', ms(median(used.program) * 1000), ms(median(used.empty) * 1000))
  row('Memory of all processes, idle', mb(median(memory.program)), mb(median(memory.empty)))
  row(
    '... against the empty window',
    `start x ${(median(times.program) / median(times.empty)).toFixed(2)}, memory + ${mb(median(memory.program) - median(memory.empty))}`,
    '',
  )
}

/** A large notebook: opening it, memory with it open, and typing in it. */
async function large() {
  const world = new World()
  world.write('.mutsumi/large.mtm', largeNotebook(megabytes, world.folder))
  const window = await Window.open(undefined, world)
  await window.firstFrame()
  await window.driver.until(() => document.querySelector('[role=treeitem]') !== null, 'the agent in the sidebar')
  const opened = await window.driver.run(
    () =>
      new Promise((done) => {
        const began = performance.now()
        const row = document.querySelector('[role=treeitem]')
        for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
          row.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0 }))
        const look = () =>
          document.querySelector('article.cell .answer')
            ? requestAnimationFrame(() => done(performance.now() - began))
            : setTimeout(look, 2)
        look()
      }),
  )
  row(`Opening a notebook of ${megabytes} MB`, ms(opened), '')
  const memory = await settled(window.driver.pid)
  row(`Memory of all processes with ${megabytes} MB open`, mb(memory.total), '')

  await window.focusPrompt()
  await window.driver.run(() => {
    globalThis.keyTimes = []
    addEventListener(
      'keydown',
      () => {
        const began = performance.now()
        requestAnimationFrame(() => setTimeout(() => globalThis.keyTimes.push(performance.now() - began)))
      },
      true,
    )
  })
  for (const letter of 'the quick brown fox jumps over it') await window.driver.press(letter)
  const keys = await window.driver.run(() => globalThis.keyTimes)
  row('Key to the next frame in that notebook, median and worst', `${ms(median(keys))}, ${ms(Math.max(...keys))}`, '')
  await window.waitIdle(60_000)
  await window.close()
  world.remove()
}

/** Frames and keys while answers (0 to 2) stream below 2,000 cells. */
async function long(where, run, answers) {
  const cells = number('BENCH_CELLS', 2000)
  const seconds = number('BENCH_SECONDS', 60)
  // Otherwise about a megabyte for each answer: a token has six characters on average.
  const perSecond = number('BENCH_RATE', Math.round(1e6 / 6 / seconds))
  const r = await run({ answers, cells, seconds, perSecond })
  const text = `${(r.characters / 1e6).toFixed(1)} MB in ${seconds} s (${perSecond.toLocaleString('en')} tokens/s each)`
  const into = ['No answer', `${text} into one answer`, `${text} into two answers beside each other`][answers]
  const what = `${into}, ${cells.toLocaleString('en')} cells above, ${where}`
  row(`${what}: frames, median, p95 and worst`, r.frames.map(ms).join(', '), '')
  row('... processor time of the page for each, on average', `${r.perFrame.toFixed(1)} ms`, '')
  row(`... ${r.count} keys typed meanwhile to the next frame, median and p95`, r.keys.map(ms).join(', '), '')
  row('... of that the work for the key and for its frame', r.work.map(ms).join(', '), '')
  row('... load of the machine meanwhile', r.load.toFixed(1), '')
}

async function stream(where, run, what, options) {
  const r = await run({ ...options, seconds })
  row(
    `${what} at ${options.perSecond} tokens/s for ${seconds} s, ${where}: tokens, all arrived`,
    `${r.tokens.toLocaleString('en')}, ${r.arrived ? 'yes' : `NO: ${r.missing}`}`,
    '',
  )
  row(`... longest main-thread ${r.kind}`, `${ms(r.longest)} (${r.over} over 50 ms)`, '')
  row('... memory of all processes at a quarter, a half, three quarters and the end', r.memory.map(mb).join(', '), '')
  row(
    where === 'browser' ? '... processor time of `mutsumi serve`' : '... processor time of all processes',
    `${Math.round(r.processor * 100)} % of a core`,
    '',
  )
  return r
}

if (parts.includes('start')) await start()
if (parts.includes('large')) await large()
if (parts.includes('long')) {
  for (const answers of [0, 1, 2])
    for (const [where, run] of [
      ['chromium', longInBrowser],
      ['the window', longInWindow],
    ])
      await long(where, run, answers)
}
const streams = []
const notebooks = ['8 notebooks', { notebooks: 8, perSecond: 200 }]
const agents = ['20 agents that one started', { agents: 20, perSecond: 60 }]
const onDeck = ['20 agents on the flight deck', { agents: 20, perSecond: 60, deck: true }]
if (parts.includes('browser')) streams.push(await stream('browser', streamInBrowser, ...notebooks))
if (parts.includes('stream')) streams.push(await stream('window', streamInWindow, ...notebooks))
if (parts.includes('agents')) {
  for (const these of [agents, onDeck]) {
    streams.push(await stream('browser', agentsInBrowser, ...these))
    streams.push(await stream('window', agentsInWindow, ...these))
  }
}

console.log(
  `\n${os.cpus().length} cores (${os.cpus()[0].model.trim()}), ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()} ${os.release()}, software rendering under Xvfb\n`,
)
console.log('| | Mutsumi | empty window |\n| --- | ---: | ---: |')
for (const [what, ours, theirs] of rows) console.log(`| ${what} | ${ours} | ${theirs} |`)
if (streams.some((r) => !r.arrived)) process.exit(1)

// Twenty agents that stream in parallel, children of one that started them with self_fork: in
// chromium against `mutsumi serve` and in the real window, with a child's notebook in front next to
// the tree, or with the flight deck.
import { App, closeBrowser } from '../frontend/e2e/lib/app.mjs'
import { notebookText, World } from '../frontend/e2e/lib/world.mjs'
import { Window } from '../frontend/e2e/window/window.mjs'
import { memory, memoryOfChildren } from './process.mjs'
import { compare, different, longest, observe, watch } from './stream.mjs'
import { tokenServer } from './tokens.mjs'

const parent = '.mutsumi/parent.mtm'
const ask = 'share the work'
const name = (i) => `Agent ${String(i).padStart(2, '0')}`
const prompt = (i) => `do part ${i}`
const children = (agents) => Array.from({ length: agents }, (_, i) => ({ name: name(i), prompt: prompt(i) }))
const start = ({ agents, perSecond, seconds }) => tokenServer({ perSecond, seconds, fork: { prompt: ask, children: children(agents) } })
const workspace = () => new World({ [parent]: notebookText('Parent', [[ask]]), 'notes.txt': 'one\n' })

/** Allows that many to run in parallel, runs the parent and allows its requests, until all children are at work. */
async function fork(call, agents, cell) {
  const { preferences } = await call('Settings')
  await call('ChangePreferences', preferences, { ...preferences, parallelAgents: agents })
  await call('Run', parent, cell, 'cell')
  const look = async (done) => {
    for (const end = Date.now() + 60_000; ; ) {
      const snapshot = await call('Snapshot')
      const found = done(snapshot)
      if (found) return found
      if (Date.now() > end) throw new Error(`the children did not start: ${snapshot.nodes.map((n) => `${n.name} ${n.status}`).join(', ')}`)
      await new Promise((next) => setTimeout(next, 50))
    }
  }
  const request = await look((s) => s.approvals?.[0])
  await call('ResolveApproval', request.id, { allow: true, scope: 'once', patterns: [], reason: '', arguments: '' })
  await look((s) => s.nodes.filter((n) => n.parentId && n.status === 'running').length === agents)
}

const runs = ({ nodes }) => nodes.filter((n) => n.parentId).map((n) => ({ file: n.file, prompt: prompt(Number(n.name.slice(-2))) }))
const ended = ({ nodes }) => nodes.every((n) => n.status !== 'running')

/** In chromium. listen: called with app before the agents start, its result gives the findings once they are done. */
export async function agentsInBrowser({ agents, perSecond, seconds, deck = false, listen }) {
  const options = { agents, perSecond, seconds }
  const server = await start(options)
  const world = workspace()
  const endings = []
  const app = await App.start({ name: 'bench', after: (f) => endings.unshift(f), passed: true }, { world, env: server.env })
  try {
    const call = (...args) => app.call(...args)
    const heard = await listen?.(app)
    await app.openAgent('Parent')
    await fork(call, agents, (await app.notebook(parent)).cells[0].id)
    await app.openAgent(name(0))
    if (deck) {
      await app.page.keyboard.press('Control+Shift+D')
      await app.page.getByRole('region', { name: 'Flight deck' }).getByRole('grid').waitFor()
    }
    await app.page.evaluate(observe)
    const figures = await watch(app.server.pid, memoryOfChildren, seconds, async () => ended(await call('Snapshot')))
    const seen = await app.page.evaluate(() => globalThis.streamSeen)
    if (deck) await app.openAgent(name(0))
    await app.waitIdle()
    const unseen = await different(app, server, prompt(0))
    const list = runs(await call('Snapshot'))
    return { kind: 'task', unseen, ...longest(seen.tasks), ...figures, ...(await compare(world, server, list)), heard: await heard?.(list, await server.sent()) }
  } finally {
    for (const end of endings) await end()
    await closeBrowser()
    await server.stop()
  }
}

/** In the real window. */
export async function agentsInWindow({ agents, perSecond, seconds, deck = false }) {
  const server = await start({ agents, perSecond, seconds })
  const world = workspace()
  const window = await Window.open(undefined, world, { env: server.env })
  const { driver } = window
  try {
    const call = (...args) => driver.run((method, ...rest) => globalThis.go.main.App[method](...rest), ...args)
    const show = async (agent) => {
      await driver.until((n) => document.querySelector(`[role=treeitem][aria-label^="${n},"]`) !== null, agent, agent)
      await driver.click(`[role=treeitem][aria-label^="${agent},"]`)
      await driver.until((n) => document.querySelector('[aria-label="Open agents"] [role=tab][aria-selected=true]')?.textContent.includes(n), 'the tab', agent)
    }
    await window.firstFrame()
    await show('Parent')
    const cell = await driver.run(async (f) => (await (await fetch(`/api/notebook?path=${encodeURIComponent(f)}`)).json()).cells[0].id, parent)
    await fork(call, agents, cell)
    await show(name(0))
    if (deck) {
      await driver.run(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'D', code: 'KeyD', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true })))
      await driver.until(() => document.querySelector('[role=region][aria-label="Flight deck"], section[aria-label="Flight deck"]') !== null, 'the flight deck')
    }
    await driver.run(observe)
    const figures = await watch(driver.pid, () => memory(driver.pid), seconds, async () => ended(await call('Snapshot')))
    const { gaps } = await driver.run(() => globalThis.streamSeen)
    if (deck) await show(name(0))
    await window.waitIdle()
    return { kind: 'gap between frames', ...longest(gaps), ...figures, ...(await compare(world, server, runs(await call('Snapshot')))) }
  } finally {
    await driver.stop()
    await server.stop()
    world.remove()
  }
}

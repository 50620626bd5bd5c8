// node zz_heap.mjs SECONDS PERSECOND NOTEBOOKS OUT
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { App, closeBrowser } from '../frontend/e2e/lib/app.mjs'
import { World, notebookText } from '../frontend/e2e/lib/world.mjs'
import { tokenServer } from './tokens.mjs'
const [S, P, N, out] = process.argv.slice(2)
const seconds = +S, perSecond = +P, notebooks = +N
fs.mkdirSync(out, { recursive: true })
const file = (i) => `.mutsumi/stream${i}.mtm`
const prompt = (i) => `stream ${i} now`
const server = await tokenServer({ perSecond, seconds })
const world = new World(Object.fromEntries(Array.from({ length: notebooks }, (_, i) => [file(i), notebookText(`Stream ${i}`, [[prompt(i)]])])))
const endings = []
const app = await App.start({ name: 'bench', after: (f) => endings.unshift(f), passed: true }, { world, env: server.env })
const cdp = await app.page.context().newCDPSession(app.page)
await cdp.send('Performance.enable'); await cdp.send('HeapProfiler.enable')
const gc = async () => { for (let i = 0; i < 3; i++) await cdp.send('HeapProfiler.collectGarbage') }
async function snap(tag) {
  const chunks = []
  const on = (e) => chunks.push(e.chunk)
  cdp.on('HeapProfiler.addHeapSnapshotChunk', on)
  await cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  cdp.off('HeapProfiler.addHeapSnapshotChunk', on)
  const s = JSON.parse(chunks.join(''))
  const f = s.snapshot.meta.node_fields, types = s.snapshot.meta.node_types[0]
  const [ti, ni, si] = ['type', 'name', 'self_size'].map((n) => f.indexOf(n))
  const sum = {}
  for (let i = 0; i < s.nodes.length; i += f.length) {
    const t = types[s.nodes[i + ti]]
    let name = t === 'object' || t === 'native' || t === 'closure' ? `${t}:${s.strings[s.nodes[i + ni]].slice(0, 40)}` : t
    const x = (sum[name] ??= [0, 0]); x[0]++; x[1] += s.nodes[i + si]
  }
  return sum
}
let first
try {
  for (let i = 0; i < notebooks; i++) await app.openAgent(`Stream ${i}`)
  for (let i = 0; i < notebooks; i++) await app.call('Run', file(i), (await app.notebook(file(i))).cells[0].id, 'cell')
  const began = Date.now()
  let next = 30
  for (;;) {
    const at = (Date.now() - began) / 1000
    if (at > seconds - 5) break
    if (at >= next) {
      next += 30
      await gc()
      const { metrics } = await cdp.send('Performance.getMetrics')
      const m = Object.fromEntries(metrics.map((x) => [x.name, x.value]))
      console.log(at.toFixed(0), 'heap', (m.JSHeapUsedSize / 1e6).toFixed(2), 'MB nodes', m.Nodes, 'listeners', m.JSEventListeners, 'layout', m.LayoutObjects ?? '')
      if (at > 55 && !first) first = await snap('a')
    }
    await sleep(500)
  }
  await gc()
  const last = await snap('b')
  const diff = Object.entries(last).map(([k, [n, b]]) => [k, n - (first[k]?.[0] ?? 0), b - (first[k]?.[1] ?? 0)]).sort((a, b) => b[2] - a[2]).slice(0, 30)
  for (const [k, n, b] of diff) console.log(k, n, (b / 1024).toFixed(0), 'KB')
} finally {
  for (const e of endings) await e()
  await closeBrowser(); await server.stop()
}

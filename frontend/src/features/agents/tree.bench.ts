import { bench, describe } from 'vitest'
import type { Backend } from '$lib/backend/backend'
import { AgentsState } from './agents.svelte'
import type { Node } from './node'
import { buildRows, familyOf } from './tree'

/* The cost of the list for each event of the tree, before anything is drawn.
   Twenty streaming agents report their actions a few times a second. */

const total = { tokens: 0, cost: 0, estimated: false }
const node = (i: number, more: Partial<Node> = {}): Node => ({
  uuid: `u${i}`,
  name: `Agent ${i}`,
  file: `.mutsumi/agent-${i}.mtm`,
  status: 'standby',
  marks: [],
  createdAt: new Date(1_790_000_000_000 + i * 60_000).toISOString(),
  modifiedMs: 0,
  timeMs: 0,
  own: total,
  subtree: total,
  ...(i % 5 ? { parentId: `u${i - (i % 5)}` } : {}),
  ...more,
})

for (const size of [500, 5000]) {
  const nodes = Array.from({ length: size }, (_, i) => node(i))
  describe(`${size} agents`, () => {
    bench(
      'all rows anew',
      () => {
        buildRows(nodes, familyOf(nodes))
      },
      { time: 300 },
    )

    const backend = {} as unknown as Backend
    const agents = new AgentsState(backend, {
      show: () => undefined,
      open: () => undefined,
      openBeside: () => undefined,
      gone: () => undefined,
      refer: () => undefined,
      failed: () => undefined,
      done: () => undefined,
      changed: () => undefined,
    })
    agents.load({ nodes, ui: { collapsed: [], pinned: ['u7'], archived: ['u10'] } }, false)
    let n = 0
    bench(
      'twenty running agents that change, one event and one look at the rows each',
      () => {
        for (let i = 0; i < 20; i++) {
          agents.apply({
            seq: 1,
            type: 'treeChanged',
            data: { nodes: [node(i, { status: 'running', startedMs: 1, action: `reading ${++n}.go` })], removed: [] },
          })
          if (agents.rows.length === 0) throw new Error('no rows')
        }
      },
      { time: 300 },
    )
  })
}

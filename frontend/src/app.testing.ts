import type { BackendEvent, agenttree, notebook, workspace } from '$lib/backend/backend'
import { nothingSpent } from './features/notebook/replica.svelte'

/* The test double is at the network edge: the answers of `mutsumi serve` to fetch.
   Everything on this side of it is real. */
export class Serve {
  asked: string[] = []
  fails: Record<string, string> = {}
  cells: notebook.CellView[] = []
  snapshot: workspace.Snapshot
  #events!: ReadableStreamDefaultController<Uint8Array>

  constructor(nodes: agenttree.Node[], ui: Partial<workspace.Snapshot['ui']>) {
    this.snapshot = {
      seq: 10,
      folder: '/w',
      name: 'w',
      nodes,
      settings: {
        path: '',
        providers: [],
        preferences: {
          theme: 'system',
          language: 'system',
          imageFolder: 'temp',
          remoteImages: false,
          stepLimit: 50,
          compact: 'auto',
          compactAt: 0,
          zoom: 100,
          fontSize: 0,
          codeSize: 0,
          density: 'comfortable',
          font: '',
          codeFont: '',
          parallelAgents: 4,
          commandEnv: [],
          keys: {},
          quiet: false,
        },
      },
      ui: {
        tabs: [],
        active: '',
        sidebarWidth: 0,
        inspectorWidth: 0,
        sidebarOpen: true,
        inspectorOpen: true,
        collapsed: [],
        pinned: [],
        archived: [],
        window: { width: 1, height: 2, maximised: true },
        ...ui,
      },
      scanning: false,
      kinds: [],
      paused: false,
      approvals: [],
      trust: {
        trusted: true,
        asked: true,
        rules: [],
        guides: [],
        skills: [],
        kinds: [],
        servers: [],
        commands: [],
        fresh: [],
        notebooks: 0,
      },
      recent: [],
      unsaved: [],
      notices: [],
      desktop: false,
      platform: 'linux',
      version: '1',
    }
  }

  send(...events: BackendEvent[]): void {
    this.#events.enqueue(new TextEncoder().encode(events.map((e) => JSON.stringify(e) + '\n').join('')))
  }

  fetch = (url: string, init?: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (pathname === '/api/events') {
      const stream = new ReadableStream<Uint8Array>({ start: (c) => void (this.#events = c) })
      return Promise.resolve(new Response(stream))
    }
    if (pathname === '/api/notebook') {
      const path = searchParams.get('path') ?? ''
      this.asked.push(`notebook ${path}`)
      return Promise.resolve(Response.json({ ...view(path), cells: this.cells }))
    }
    const name = pathname.slice('/api/call/'.length)
    this.asked.push(`${name} ${init?.body as string}`)
    const fault = this.fails[name]
    if (fault) return Promise.resolve(new Response(fault, { status: 400 }))
    const results: Record<string, unknown> = { Snapshot: this.snapshot, CreateNotebook: '.mutsumi/new.mtm', Edit: { seq: 11, rev: 2 } }
    return Promise.resolve(Response.json(results[name] ?? null))
  }
}

const view = (path: string): notebook.View => ({
  seq: 10,
  path,
  rev: 1,
  meta: { uuid: 'u', name: 'n', createdAt: '', allowed: [], finished: false },
  cells: [],
  state: {
    canUndo: false,
    canRedo: false,
    dirty: false,
    branches: [],
    spent: nothingSpent,
  },
  conflict: false,
  running: [],
})

const noTotal: agenttree.Total = { tokens: 0, cost: 0, estimated: false }
export const node = (file: string, more: Partial<agenttree.Node> = {}): agenttree.Node => ({
  uuid: file,
  name: `name of ${file}`,
  file,
  status: 'standby',
  marks: [],
  createdAt: '',
  modifiedMs: 0,
  timeMs: 0,
  own: noTotal,
  subtree: noTotal,
  ...more,
})
export const saved = (seq: number, path: string, message?: string): BackendEvent => ({
  seq,
  type: 'notebookSaved',
  data: { path, atMs: 5, ...(message ? { fault: { kind: 'internal', message } } : {}) },
})

import { createServer, type Server } from 'node:http'
import { vi } from 'vitest'
import { Backend, type BackendEvent, type notebook } from '$lib/backend/backend'
import { NotebookState } from './notebook.svelte'
import type { NotebookEvent } from './notebookEvent'
import { nothingSpent } from './replica.svelte'

export const PATH = 'a.mtm'

export const state: notebook.DocState = {
  canUndo: false,
  canRedo: false,
  dirty: false,
  branches: [],
  spent: nothingSpent,
}
export const head = (id: string, over: Partial<notebook.CellView> = {}): notebook.CellView => ({
  id,
  rev: 1,
  role: 'user',
  chars: 3,
  answer: 0,
  messages: 0,
  ...over,
})
export const body = (text: string, ...answer: string[]): notebook.CellBody => ({
  text,
  multi: false,
  answer: answer.map((t) => ({ role: 'assistant', text: t })),
})

export type Data<T extends BackendEvent['type']> = Omit<Extract<BackendEvent, { type: T }>['data'], 'path'>

/**
 * Edge replaces the backend in tests, at the network edge: a real HTTP server that answers for one
 * notebook as backend/web does. It passes events to the notebook as the stream would.
 */
export class Edge {
  view!: notebook.View
  bodies: Record<string, notebook.CellBody> = {}
  bodySeq = 0
  calls: { name: string; args: unknown[] }[] = []
  /** Refuses calls, with this reason. */
  refuse: string | undefined
  refuseKind = 'conflict'
  /** Answers wait until it resolves. */
  hold: Promise<void> | undefined
  /** Every answer says that nothing exists. */
  down = false
  seq = 0
  book!: NotebookState
  #server!: Server

  async listen(): Promise<void> {
    this.#server = createServer((req, res) => {
      let sent = ''
      req.on('data', (chunk: Buffer) => (sent += chunk.toString()))
      req.on(
        'end',
        () =>
          void (async () => {
            const url = new URL(req.url ?? '', 'http://x')
            await this.hold
            if (this.down) return res.writeHead(404).end(JSON.stringify({ kind: 'notFound', message: 'It is gone.' }))
            if (url.pathname === '/api/notebook') return res.end(JSON.stringify(this.view))
            if (url.pathname === '/api/cells') {
              const { ids } = JSON.parse(sent) as { ids: string[] }
              return res.end(JSON.stringify({ seq: this.bodySeq, cells: ids.map((id) => head(id, { body: this.bodies[id] })) }))
            }
            const name = url.pathname.replace('/api/call/', '')
            this.calls.push({ name, args: JSON.parse(sent) as unknown[] })
            if (this.refuse) return res.writeHead(409).end(JSON.stringify({ kind: this.refuseKind, message: this.refuse }))
            return res.end(name === 'Run' ? '"run1"' : JSON.stringify({ seq: ++this.seq, rev: this.seq }))
          })(),
      )
    })
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`
    const real = globalThis.fetch
    vi.stubGlobal('window', {})
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(base + path, init))
  }
  close(): void {
    vi.unstubAllGlobals()
    this.#server.close()
  }

  /** Loads a notebook of two cells. */
  async open(): Promise<NotebookState> {
    this.reset()
    this.book = new NotebookState(new Backend(), PATH, 'me')
    await this.book.load()
    return this.book
  }

  /** Resets to a notebook of two cells that nobody has opened. */
  reset(): void {
    this.seq = 100
    this.calls = []
    this.refuse = undefined
    this.refuseKind = 'conflict'
    this.hold = undefined
    this.down = false
    this.bodies = {}
    this.view = {
      seq: this.seq,
      path: PATH,
      rev: 1,
      state,
      conflict: false,
      running: [],
      meta: { uuid: 'u', name: 'A', createdAt: '', allowed: [], finished: false },
      cells: [head('c1', { body: body('one', 'first answer'), answer: 12, messages: 1 }), head('c2', { body: body('two') })],
    } as unknown as notebook.View
  }

  /** Holds every answer until the returned function is called. */
  pause(): () => void {
    let release = () => {}
    this.hold = new Promise((done) => (release = done))
    return release
  }

  /** Emits an event of this notebook with the next number, as the stream would. */
  emit<T extends BackendEvent['type']>(type: T, data: Data<T>, at = ++this.seq): void {
    this.book.apply({ seq: at, type, data: { path: PATH, ...data } } as unknown as NotebookEvent)
  }
  splice(at: number, remove: number, cells: notebook.CellView[], origin = ''): void {
    this.emit('cellsSpliced', { rev: this.seq, origin, at, remove, cells, state, meta: this.view.meta } as unknown as Data<'cellsSpliced'>)
  }
  /** The texts of the cells. */
  get texts(): string[] {
    return this.book.cells.map((c) => c.text)
  }
  /** All edits that were sent. */
  get edits(): notebook.Edit[] {
    return this.calls.filter((c) => c.name === 'Edit').flatMap((c) => c.args[1] as notebook.Edit[])
  }
}

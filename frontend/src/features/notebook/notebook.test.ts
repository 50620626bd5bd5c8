import { createServer, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Backend, type BackendEvent, type notebook } from '$lib/backend/backend'
import { NotebookState, type NotebookEvent } from './notebook.svelte'

/** How long anything may take, in milliseconds: only a failure ever waits that long. */
const patience = 30_000

/* The stand-in is at the network edge: a real HTTP server that answers as
   backend/web does. Events are given to apply as the stream would give them. */
const PATH = 'a.mtm'
let server: Server
let view: notebook.View
let bodies: Record<string, notebook.CellBody>
let bodySeq = 0
let calls: { name: string; args: unknown[] }[] = []
let refuse: string | undefined
let hold: Promise<void> | undefined
let down = false
let seq = 0
let book: NotebookState

const state: notebook.DocState = { canUndo: false, canRedo: false, dirty: false, branches: [], spent: { input: 0, cached: 0, output: 0, reasoning: 0, requests: 0, cost: '', unpriced: 0, counted: true, estimated: false, budget: 0, percent: 0 } }
const head = (id: string, over: Partial<notebook.CellView> = {}): notebook.CellView => ({ id, rev: 1, role: 'user', chars: 3, answer: 0, messages: 0, ...over })
const body = (text: string, ...answer: string[]): notebook.CellBody => ({ text, multi: false, answer: answer.map((t) => ({ role: 'assistant', text: t })) })

beforeAll(async () => {
  server = createServer((req, res) => {
    let sent = ''
    req.on('data', (chunk: Buffer) => (sent += chunk.toString()))
    req.on('end', () => void (async () => {
      const url = new URL(req.url ?? '', 'http://x')
      await hold
      if (down) return res.writeHead(404).end(JSON.stringify({ kind: 'notFound', message: 'It is gone.' }))
      if (url.pathname === '/api/notebook') return res.end(JSON.stringify(view))
      if (url.pathname === '/api/cells') {
        const { ids } = JSON.parse(sent) as { ids: string[] }
        return res.end(JSON.stringify({ seq: bodySeq, cells: ids.map((id) => head(id, { body: bodies[id] })) }))
      }
      const name = url.pathname.replace('/api/call/', '')
      calls.push({ name, args: JSON.parse(sent) as unknown[] })
      if (refuse) return res.writeHead(409).end(JSON.stringify({ kind: 'conflict', message: refuse }))
      return res.end(name === 'Run' ? '"run1"' : JSON.stringify({ seq: ++seq, rev: seq }))
    })())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const real = globalThis.fetch
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(base + path, init))
})
afterAll(() => {
  vi.unstubAllGlobals()
  server.close()
})

beforeEach(async () => {
  seq = 100
  calls = []
  refuse = undefined
  hold = undefined
  bodies = {}
  view = {
    seq, path: PATH, rev: 1, state, conflict: false, running: [],
    meta: { uuid: 'u', name: 'A', createdAt: '', allowed: [], finished: false },
    cells: [head('c1', { body: body('one', 'first answer'), answer: 12, messages: 1 }), head('c2', { body: body('two') })],
  } as unknown as notebook.View
  book = new NotebookState(new Backend(), PATH, 'me')
  await book.load()
})
afterEach(async () => {
  await book.flush()
  book.dispose()
})

type Data<T extends BackendEvent['type']> = Omit<Extract<BackendEvent, { type: T }>['data'], 'path'>
/** Emits an event of this notebook with the next number, as the stream would. */
function emit<T extends BackendEvent['type']>(type: T, data: Data<T>, at = ++seq): void {
  book.apply({ seq: at, type, data: { path: PATH, ...data } } as unknown as NotebookEvent)
}
const splice = (at: number, remove: number, cells: notebook.CellView[], origin = '') =>
  emit('cellsSpliced', { rev: seq, origin, at, remove, cells, state, meta: view.meta } as unknown as Data<'cellsSpliced'>)
const delta = (index: number, more: object, cell = 'c2', at?: number) => emit('delta', { runId: 'r', cell, index, ...more }, at)
/** Lets what waits for the next frame happen: any event but a delta brings it forward. */
const frame = () => emit('notebookSaved', { atMs: 1 })
const texts = () => book.cells.map((c) => c.text)
const answer = (id = 'c2') => book.cell(id)!.answer.map((m) => m.text)
const edits = () => calls.filter((c) => c.name === 'Edit').flatMap((c) => c.args[1] as notebook.Edit[])

describe('loading', () => {
  it('shows what it got, and an empty prompt behind the last answer only', () => {
    expect(book.status).toBe('ready')
    expect(texts()).toEqual(['one', 'two'])
    expect(book.shown).toHaveLength(2)
    splice(1, 1, [])
    expect(book.shown.map((c) => book.isBlank(c))).toEqual([false, true])
  })

  it('keeps events that come meanwhile, and drops those that the state holds', async () => {
    let go = () => {}
    hold = new Promise((resolve) => { go = resolve })
    view = { ...view, seq: 105 }
    const loaded = book.load()
    delta(0, { text: 'too old' }, 'c2', 104)
    delta(0, { text: 'new' }, 'c2', 106)
    go()
    expect(await loaded).toBe(106)
    seq = 200
    frame()
    expect(answer()).toEqual(['new'])
  })

  it('takes up a run in the middle and goes on', async () => {
    view = { ...view, running: [{ runId: 'r', cell: 'c2', atMs: 5, queued: false }], cells: [view.cells[0]!, head('c2', { body: body('two', 'Half a w') })] } as notebook.View
    await book.load()
    expect(book.cell('c2')!.live?.runId).toBe('r')
    expect(book.running).toBe(true)
    delta(0, { text: 'ord' })
    frame()
    expect(answer()).toEqual(['Half a word'])
  })

  it('says so when it cannot be loaded, and is well after another try', async () => {
    const other = new NotebookState(new Backend(), PATH, 'me')
    down = true
    await other.load()
    expect([other.status, other.fault?.message]).toEqual(['failed', 'It is gone.'])
    down = false
    await other.load()
    expect([other.status, other.fault]).toEqual(['ready', undefined])
    other.dispose()
  })
})

describe('a streaming answer', () => {
  beforeEach(() => emit('runStarted', { runId: 'r', cell: 'c2', atMs: 1, model: 'm' }))

  it('joins deltas, reasoning and tool calls, and settles with the finished message', () => {
    delta(0, { reasoning: 'hm' })
    delta(0, { reasoning: 'm' })
    frame()
    expect(book.cell('c2')!.answer[0]!.thinking).toBe(true)
    delta(0, { text: 'Hel' })
    delta(0, { text: 'lo' })
    delta(0, { toolCalls: [{ index: 1, id: 'b', name: 'ls', arguments: '{"u' }] })
    delta(0, { toolCalls: [{ index: 1, arguments: 'ri":"."}' }, { index: 0, id: 'a', name: 'grep' }] })
    delta(2, { text: 'over a gap' })
    frame()
    const m = book.cell('c2')!.answer[0]!
    expect([m.text, m.reasoning]).toEqual(['Hello', 'hmm'])
    expect(m.toolCalls).toEqual([{ id: 'a', name: 'grep', arguments: '' }, { id: 'b', name: 'ls', arguments: '{"uri":"."}' }])
  })

  it('keeps the drawn text when the finished form is the same', () => {
    delta(0, { text: 'para\n\nnext' })
    frame()
    const drawn = book.cell('c2')!.answer[0]!.doc
    emit('messagePut', { runId: 'r', cell: 'c2', index: 0, message: { role: 'assistant', text: 'para\n\nnext', tookMs: 9 } })
    expect(book.cell('c2')!.answer[0]!.doc).toBe(drawn)
    expect(book.cell('c2')!.answer[0]!.streaming).toBe(false)
  })

  it('puts results behind their calls', () => {
    delta(0, { text: 'x' })
    emit('messagePut', { runId: 'r', cell: 'c2', index: 1, message: { role: 'tool', text: 'out', toolCallId: 'a', isError: true } })
    delta(2, { text: 'y' })
    frame()
    expect(book.cell('c2')!.answer.map((m) => [m.role, m.text, m.isError])).toEqual([['assistant', 'x', false], ['tool', 'out', true], ['assistant', 'y', false]])
  })

  it('shows the wait, and the end once', () => {
    emit('runWaiting', { runId: 'r', cell: 'c2', attempt: 2, untilMs: 99, reason: 'Too many requests' })
    expect(book.cell('c2')!.live).toMatchObject({ waitUntilMs: 99, waitReason: 'Too many requests', attempt: 2 })
    emit('runFinished', { runId: 'r', cell: 'c2', outcome: 'failed', fault: { kind: 'provider', code: 'keyRejected', message: 'No.' } })
    expect(book.cell('c2')!.live).toBeUndefined()
    expect(book.cell('c2')!.run).toMatchObject({ outcome: 'failed', fault: { code: 'keyRejected' }, model: 'm' })
  })

  it('keeps no body of a notebook that no view shows, and fetches it when it is shown', async () => {
    book.need(['c2', 'c1'])
    delta(0, { text: 'so ' })
    frame()
    expect(answer()).toEqual(['so '])
    book.rest()
    delta(0, { text: 'far ' })
    frame()
    expect([book.cell('c1')!.loaded, book.cell('c2')!.loaded, book.cell('c2')!.live !== undefined]).toEqual([false, false, true])
    bodies = { c1: body('one', 'first answer'), c2: body('two', 'so far ') }
    bodySeq = seq
    book.need(['c2', 'c1'])
    delta(0, { text: 'so good' })
    await vi.waitFor(() => expect(answer()).toEqual(['so far so good']), patience)
    expect(answer('c1')).toEqual(['first answer'])
  })

  it('leaves events of other notebooks and old ones alone', () => {
    book.apply({ seq: ++seq, type: 'delta', data: { runId: 'r', path: 'b.mtm', cell: 'c2', index: 0, text: 'other' } })
    delta(0, { text: 'old' }, 'c2', 100)
    frame()
    expect(answer()).toEqual([])
  })

  it('loads again when a message before this one is missing', async () => {
    view = { ...view, seq: seq + 1, cells: [view.cells[0]!, head('c2', { body: body('two', 'a', 'b', 'c') })] } as notebook.View
    delta(2, { text: 'far' })
    frame()
    await vi.waitUntil(() => answer().length === 3, patience)
    expect(answer()).toEqual(['a', 'b', 'c'])
  })
})

describe('splices', () => {
  it('insert, replace and remove cells, and keep the state of those that stay', () => {
    const one = book.cell('c1')
    splice(1, 0, [head('n', { body: body('new') })])
    expect(texts()).toEqual(['one', 'new', 'two'])
    expect(book.cell('c1')).toBe(one)
    splice(0, 1, [head('c1', { rev: 2, body: body('ONE') })])
    expect(texts()).toEqual(['ONE', 'new', 'two'])
    expect(book.cell('c1')).toBe(one)
    splice(1, 1, [])
    expect(texts()).toEqual(['ONE', 'two'])
  })

  it('loads again when one does not fit', async () => {
    view = { ...view, seq: 300, cells: [head('z', { body: body('all new') })] } as notebook.View
    splice(5, 2, [])
    await vi.waitUntil(() => book.cells.length === 1, patience)
    expect(texts()).toEqual(['all new'])
  })

  it('fetch the bodies that come near the view, and lose no event meanwhile', async () => {
    splice(0, 2, [head('c1', { rev: 7 }), head('c2', { rev: 9, chars: 3, messages: 1 })])
    expect(book.cell('c2')!.loaded).toBe(false)
    bodies = { c1: body('one'), c2: body('two', 'abc') }
    bodySeq = seq + 1 // it holds the first of the two deltas below already
    let go = () => {}
    hold = new Promise((resolve) => { go = resolve })
    book.need(['c2', 'c1'])
    delta(0, { text: 'c' })
    delta(0, { text: 'd' })
    frame()
    go()
    await vi.waitUntil(() => book.cell('c2')!.loaded, patience)
    expect(answer()).toEqual(['abcd'])
  })
})

describe('drafts', () => {
  it('go out after a pause, once, and the own echo changes nothing', async () => {
    const cell = book.cell('c2')!
    book.type(cell, 'two a')
    book.type(cell, 'two ab')
    expect(await book.flush()).toBe(true)
    expect(edits()).toEqual([{ kind: 'setText', cell: 'c2', text: 'two ab' }])
    book.type(cell, 'two abc')
    splice(1, 1, [head('c2', { rev: 2, body: body('two ab') })], 'me')
    expect(cell.text).toBe('two abc')
    await book.flush()
    splice(1, 1, [head('c2', { rev: 3, body: body('two abc') })], 'me')
    expect(cell.text).toBe('two abc')
  })

  it('an echo that comes after the answer does not bring back older text', async () => {
    const cell = book.cell('c2')!
    book.type(cell, 'a')
    await book.flush()
    book.type(cell, 'ab')
    await book.flush() // both are answered; their events, 101 and 102, come now
    emit('cellsSpliced', { rev: 2, origin: 'me', at: 1, remove: 1, cells: [head('c2', { rev: 2, body: body('a') })], state } as unknown as Data<'cellsSpliced'>, 101)
    expect(cell.text).toBe('ab')
  })

  it('take text from elsewhere when nothing is typed here', () => {
    splice(1, 1, [head('c2', { rev: 2, body: body('from the other window') })], 'other')
    expect(book.cell('c2')!.text).toBe('from the other window')
  })

  it('survive a failure and say so, and go out with the next try', async () => {
    refuse = 'The disk is full.'
    book.type(book.cell('c2')!, 'precious')
    expect(await book.flush()).toBe(false)
    expect(book.saveFault?.message).toBe('The disk is full.')
    splice(1, 1, [head('c2', { rev: 2, body: body('two') })], 'other')
    expect(book.cell('c2')!.text).toBe('precious')
    refuse = undefined
    expect(await book.flush()).toBe(true)
    expect(book.saveFault).toBeUndefined()
    expect(edits().at(-1)).toEqual({ kind: 'setText', cell: 'c2', text: 'precious' })
  })

  it('of a cell that was deleted elsewhere make it anew', async () => {
    const cell = book.cell('c2')!
    book.type(cell, 'do not lose me')
    splice(1, 1, [], 'other')
    expect(book.shown.map((c) => c.text)).toContain('do not lose me')
    expect(book.cell('c2')).toBe(cell)
    await book.flush()
    expect(edits()).toEqual([{ kind: 'insert', id: 'c2', text: 'do not lose me' }])
  })

  it('in the empty prompt make a cell, which stays the same on the screen', async () => {
    splice(1, 1, [])
    const blank = book.shown.at(-1)!
    book.type(blank, 'hello')
    await book.flush()
    book.type(blank, 'hello world')
    await book.flush()
    expect(edits()).toEqual([{ kind: 'insert', id: blank.id, text: 'hello' }, { kind: 'setText', cell: blank.id, text: 'hello world' }])
    emit('cellsSpliced', { rev: 2, origin: 'me', at: 1, remove: 0, cells: [head(blank.id, { body: body('hello') })], state } as unknown as Data<'cellsSpliced'>, 102)
    expect(book.cells.at(-1)).toBe(blank)
    expect(blank.text).toBe('hello world')
  })
})

describe('intents', () => {
  it('a run sends the draft first, and shows at once', async () => {
    const cell = book.cell('c2')!
    book.type(cell, 'two!')
    const running = book.run(cell, 'cell')
    expect(cell.live).toBeDefined()
    expect(book.shown.at(-1)).not.toBe(cell)
    expect(await running).toBe(true)
    expect(calls.map((c) => c.name)).toEqual(['Edit', 'Run'])
    expect(calls[1]!.args).toEqual([PATH, 'c2', 'cell'])
  })

  it('a run that is refused is taken back and says why', async () => {
    refuse = 'Not now.'
    expect(await book.run(book.cell('c2')!, 'cell')).toBe(false)
    expect(book.cell('c2')!.live).toBeUndefined()
    expect(book.notice?.message).toBe('Not now.')
  })

  it('what is typed on while a new cell is under way follows it, and runs', async () => {
    splice(1, 1, [])
    let release = () => {}
    hold = new Promise((done) => (release = done))
    const blank = book.shown.at(-1)!
    book.type(blank, 'hello')
    const first = book.flush()
    book.type(blank, 'hello world')
    const run = book.run(blank, 'cell')
    release()
    expect(await first).toBe(true)
    expect(await run).toBe(true)
    expect(edits()).toEqual([{ kind: 'insert', id: blank.id, text: 'hello' }, { kind: 'setText', cell: blank.id, text: 'hello world' }])
    expect(calls.at(-1)).toEqual({ name: 'Run', args: [PATH, blank.id, 'cell'] })
  })
  it('an inserted cell stands there before the backend answers, and takes text', async () => {
    const id = book.insert(book.cell('c2'))
    expect(book.shown.map((c) => c.id)).toEqual(['c1', id, 'c2'])
    book.type(book.cell(id)!, 'typed at once')
    await book.flush()
    expect(edits()).toEqual([{ kind: 'insert', id, text: '', before: 'c2' }, { kind: 'setText', cell: id, text: 'typed at once' }])
    emit('cellsSpliced', { rev: 2, origin: 'me', at: 1, remove: 0, cells: [head(id, { body: body('') })], state } as unknown as Data<'cellsSpliced'>, 101)
    expect(texts()).toEqual(['one', 'typed at once', 'two'])
    expect(book.shown).toHaveLength(3)
  })

  it('moves name the cell that it goes before', async () => {
    await book.move(book.cell('c2')!, -1)
    await book.move(book.cell('c1')!, 1)
    expect(await book.move(book.cell('c1')!, -1)).toBe(false)
    expect(edits()).toEqual([{ kind: 'move', cell: 'c2', before: 'c1' }, { kind: 'move', cell: 'c1', before: '' }])
  })
})

describe('what is typed', () => {
  it('counts as typing until the backend has it, and as unsaved until the file does', async () => {
    const cell = book.cell('c2')!
    expect(book.typing).toBe(false)
    book.type(cell, 'two and more')
    expect([book.typing, book.doc.dirty]).toEqual([true, false])
    await book.flush()
    // The answer comes before the event: nothing is called saved in between.
    expect([book.typing, book.doc.dirty]).toEqual([false, true])
    emit('notebookSaved', { atMs: 5 }, 102)
    expect(book.doc.dirty).toBe(false)
    // What is typed while a draft is on its way is another one.
    book.type(cell, 'a')
    const sending = book.flush()
    book.type(cell, 'ab')
    await sending
    expect(book.typing).toBe(true)
    await book.flush()
    expect(book.typing).toBe(false)
  })

  it('counts as typing as long as it does not arrive', async () => {
    refuse = 'Full.'
    book.type(book.cell('c2')!, 'x')
    expect(await book.flush()).toBe(false)
    expect([book.typing, book.saveFault?.message]).toEqual([true, 'Full.'])
    refuse = undefined
    await book.flush()
    expect([book.typing, book.saveFault]).toEqual([false, undefined])
  })
})

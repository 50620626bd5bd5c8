import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Backend, type BackendEvent, type chat, type notebook } from '$lib/backend/backend'
import type { CellState } from './cell.svelte'
import type { MessageState } from './message.svelte'
import { NotebookState } from './notebook.svelte'
import type { NotebookEvent } from './notebookEvent'

/* The runs that the Go tests of the loop record, as streamed to the
   interface: the final view must show what the run left in the notebook.
   The test double is at the network edge: a real server that answers as
   backend/web does. */
const FOLDER = '../backend/agent/testdata/'
const PATH = 'a.mtm'
const cases = readdirSync(FOLDER)
  .filter((f) => f.endsWith('.events.jsonl'))
  .map((f) => f.replace('.events.jsonl', ''))

type Put = Extract<BackendEvent, { type: 'messagePut' }>
type BodyEvent = Put | Extract<BackendEvent, { type: 'delta' }>
const ofBody = (e: NotebookEvent): e is BodyEvent => e.type === 'delta' || e.type === 'messagePut'

interface Golden {
  events: NotebookEvent[]
  /** The answer of each cell, message by message, as the run put them. */
  answers: Map<string, notebook.MessageView[]>
  /** The number of messages in the first answer before the run: one, which the run continues. */
  had: number
  result: { Outcome: string; Usage: chat.Usage }
}

/**
 * read reads a recorded run. If a run was given a prompt in the middle, its messages count from 0
 * again, in another cell: c2, c3 and so on.
 */
function read(name: string): Golden {
  const lines = readFileSync(`${FOLDER}${name}.events.jsonl`, 'utf8').trim().split('\n')
  const archive = readFileSync(`${FOLDER}${name}.txtar`, 'utf8')
  const result = JSON.parse(archive.split('-- want/result.json --\n')[1]!.split('\n-- ')[0]!) as Golden['result']
  const answers = new Map<string, notebook.MessageView[]>()
  let cell = 1
  let next = -1
  const events = lines.map((line) => JSON.parse(line) as NotebookEvent)
  for (const e of events) {
    if (!ofBody(e)) continue
    if (e.data.index < next) cell++
    next = e.type === 'messagePut' ? e.data.index + 1 : e.data.index
    e.data.cell = `c${cell}`
    if (e.type === 'messagePut') answers.set(e.data.cell, [...(answers.get(e.data.cell) ?? []), e.data.message])
  }
  const first = events.find(ofBody)
  return { events, answers, had: first?.data.index ?? 0, result }
}

let server: Server
let view: notebook.View
beforeAll(async () => {
  server = createServer((_req, res) => void res.end(JSON.stringify(view)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const real = globalThis.fetch
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => real(base + path, init))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
afterAll(() => {
  vi.unstubAllGlobals()
  server.close()
})

const before = (n: number): notebook.MessageView[] => Array.from({ length: n }, (_, i) => ({ role: 'assistant', text: `before ${i}` }))

/** open returns a notebook with the cells of a run whose last event has number at. */
async function open(golden: Golden, at = 0, body?: (cell: string) => notebook.MessageView[]): Promise<NotebookState> {
  const cells = [...new Set(['c1', ...golden.answers.keys()])].map((id, i) => {
    const answer = body ? body(id) : i === 0 ? before(golden.had) : []
    return { id, rev: 1, role: 'user', chars: 5, answer: 0, messages: answer.length, body: { text: 'Hello', multi: false, answer } }
  })
  view = {
    seq: at,
    path: PATH,
    rev: 1,
    conflict: false,
    running: [],
    cells,
    meta: { uuid: 'u', name: 'A', createdAt: '', allowed: [], finished: false },
    state: { canUndo: false, canRedo: false, dirty: false, branches: [] },
  } as unknown as notebook.View
  const book = new NotebookState(new Backend(), PATH, 'me')
  await book.load()
  return book
}

/** What a person sees of a message, in the notation of the file. */
const seen = (m: MessageState): notebook.MessageView => ({
  role: m.role,
  text: m.text,
  reasoning: m.reasoning,
  toolCalls: m.toolCalls,
  toolCallId: m.toolCallId,
  name: m.name,
  isError: m.isError,
  usage: m.usage,
})
const wanted = (m: notebook.MessageView): notebook.MessageView => ({
  role: m.role,
  text: m.text,
  reasoning: m.reasoning ?? '',
  toolCalls: m.toolCalls ?? [],
  toolCallId: m.toolCallId ?? '',
  name: m.name ?? '',
  isError: m.isError ?? false,
  usage: m.usage,
})

/** expectAnswers compares what is drawn with what the run left, in order. */
function expectAnswers(book: NotebookState, golden: Golden): void {
  for (const [i, cell] of book.cells.entries()) {
    const there = i === 0 ? golden.had : 0
    expect(cell.answer.slice(there).map(seen)).toEqual((golden.answers.get(cell.id) ?? []).map(wanted))
    expect(cell.answer.slice(0, there).map((m) => m.text)).toEqual(before(there).map((m) => m.text))
    expect(cell.answer.filter((m) => m.streaming)).toEqual([])
  }
  expect(book.cell('c1')!.run?.outcome).toBe(golden.result.Outcome)
  expect(book.running).toBe(false)
}

/** usage adds up the usage that the answers report. */
function usage(cells: readonly CellState[]): chat.Usage {
  const sum: chat.Usage = { input: 0, output: 0 }
  for (const u of cells.flatMap((c) => c.answer.map((m) => m.usage))) {
    if (!u) continue
    sum.input += u.input
    sum.output += u.output
    if (u.cached) sum.cached = (sum.cached ?? 0) + u.cached
    if (u.reasoning) sum.reasoning = (sum.reasoning ?? 0) + u.reasoning
    if (u.estimated) sum.estimated = true
  }
  return sum
}

describe.each(cases)('the recorded run %s', (name) => {
  it('is drawn as the run left it, whatever is joined into a frame', async () => {
    const golden = read(name)
    const book = await open(golden)
    for (const e of golden.events) book.apply(e)
    expectAnswers(book, golden)
    // A request with an empty answer left no message that reports its cost.
    if (!name.startsWith('empty')) expect(usage(book.cells)).toEqual(golden.result.Usage)
    void book.dispose()
  })

  it('shows each streaming message in its final form, in separate frames', async () => {
    const golden = read(name)
    const book = await open(golden)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now) // drawing takes no time, so that it needs no rest
    for (const e of golden.events) {
      if (e.type === 'messagePut' && e.data.message.role === 'assistant') {
        const streamed = book.cell(e.data.cell)!.answer[e.data.index]
        const { text, reasoning, toolCalls } = wanted(e.data.message)
        // An empty answer has no delta; ids that a server left out are made at the end.
        if (text || reasoning || toolCalls!.length) {
          expect([streamed?.text, streamed?.reasoning]).toEqual([text, reasoning])
          expect(streamed!.toolCalls.map((c) => [c.name, c.arguments])).toEqual(toolCalls!.map((c) => [c.name, c.arguments]))
        } else expect(streamed).toBeUndefined()
      }
      book.apply(e)
      vi.advanceTimersByTime(100) // a frame is drawn
    }
    expectAnswers(book, golden)
    void book.dispose()
  })

  it('is the same if events come twice, or if it is opened in the middle', async () => {
    const golden = read(name)
    const twice = await open(golden)
    for (const e of golden.events) {
      twice.apply(e)
      twice.apply(e)
    }
    expectAnswers(twice, golden)
    void twice.dispose()

    // Opened after every finished message, with the server's state at that time.
    for (const at of golden.events.filter((e) => e.type === 'messagePut').map((e) => e.seq)) {
      const done = (cell: string) =>
        golden.events.filter((e): e is Put => e.type === 'messagePut' && e.seq <= at && e.data.cell === cell).map((e) => e.data.message)
      const book = await open(golden, at, (cell) => [...(cell === 'c1' ? before(golden.had) : []), ...done(cell)])
      for (const e of golden.events) book.apply(e)
      expectAnswers(book, golden)
      void book.dispose()
    }
  })
})

it('every kind of run is recorded', () => {
  const all = cases.map(read)
  expect(cases.length).toBeGreaterThan(30)
  expect(all.some((g) => g.had > 0)).toBe(true)
  expect(new Set(all.map((g) => g.result.Outcome)).size).toBeGreaterThan(4)
})

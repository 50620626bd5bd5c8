import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Backend, type notebook } from '$lib/backend/backend'
import { body, Edge, head, PATH, state, type Data } from './testing'
import { NotebookState } from './notebook.svelte'
import { eventually, until } from '$lib/testing/waits'

/** The time limit of each wait, in milliseconds: only a failure takes that long. */
const edge = new Edge()
let book: NotebookState
beforeAll(() => edge.listen())
afterAll(() => edge.close())
beforeEach(async () => (book = await edge.open()))
afterEach(async () => {
  await book.flush()
  await book.dispose()
})

const delta = (index: number, more: object, cell = 'c2', at?: number) => edge.emit('delta', { runId: 'r', cell, index, ...more }, at)
/** Applies the text that waits for the next frame: another event of its cell does. */
const frame = () => edge.emit('callProgress', { runId: 'r', cell: 'c2', callId: 'none', done: 0, total: 0, text: '' })
const answer = (id = 'c2') => book.cell(id)!.answer.map((m) => m.text)

describe('loading', () => {
  it('shows its cells, and an empty prompt only after the last answer', () => {
    expect(book.status).toBe('ready')
    expect(edge.texts).toEqual(['one', 'two'])
    expect(book.shown).toHaveLength(2)
    edge.splice(1, 1, [])
    expect(book.shown.map((c) => book.isBlank(c))).toEqual([false, true])
  })

  it('keeps events that arrive during the load, and drops those that the state contains', async () => {
    let go = () => {}
    edge.hold = new Promise((resolve) => {
      go = resolve
    })
    edge.view = { ...edge.view, seq: 105 }
    const loaded = book.load()
    delta(0, { text: 'too old' }, 'c2', 104)
    delta(0, { text: 'new' }, 'c2', 106)
    go()
    expect(await loaded).toBe(106)
    edge.seq = 200
    frame()
    expect(answer()).toEqual(['new'])
  })

  it('joins a run in the middle and follows it', async () => {
    edge.view = {
      ...edge.view,
      running: [{ runId: 'r', cell: 'c2', atMs: 5, queued: false }],
      cells: [edge.view.cells[0]!, head('c2', { body: body('two', 'Half a w') })],
    } as notebook.View
    await book.load()
    expect(book.cell('c2')!.live?.runId).toBe('r')
    expect(book.running).toBe(true)
    delta(0, { text: 'ord' })
    frame()
    expect(answer()).toEqual(['Half a word'])
  })

  it('reports when it cannot be loaded, and recovers after another try', async () => {
    const other = new NotebookState(new Backend(), PATH, 'me')
    edge.down = true
    await other.load()
    expect([other.status, other.fault?.message]).toEqual(['failed', 'It is gone.'])
    edge.down = false
    await other.load()
    expect([other.status, other.fault]).toEqual(['ready', undefined])
    void other.dispose()
  })
})

describe('a streaming answer', () => {
  beforeEach(() => edge.emit('runStarted', { runId: 'r', cell: 'c2', atMs: 1, model: 'm' }))

  it('joins deltas, reasoning and tool calls, and ends with the finished message', () => {
    delta(0, { reasoning: 'hm' })
    delta(0, { reasoning: 'm' })
    frame()
    expect(book.cell('c2')!.answer[0]!.thinking).toBe(true)
    delta(0, { text: 'Hel' })
    delta(0, { text: 'lo' })
    delta(0, { toolCalls: [{ index: 1, id: 'b', name: 'ls', arguments: '{"u' }] })
    delta(0, {
      toolCalls: [
        { index: 1, arguments: 'ri":"."}' },
        { index: 0, id: 'a', name: 'grep' },
      ],
    })
    delta(2, { text: 'over a gap' })
    frame()
    const m = book.cell('c2')!.answer[0]!
    expect([m.text, m.reasoning]).toEqual(['Hello', 'hmm'])
    expect(m.toolCalls).toEqual([
      { id: 'a', name: 'grep', arguments: '' },
      { id: 'b', name: 'ls', arguments: '{"uri":"."}' },
    ])
  })

  it('keeps the drawn text when the finished form is the same', () => {
    delta(0, { text: 'para\n\nnext' })
    frame()
    const drawn = book.cell('c2')!.answer[0]!.doc
    edge.emit('messagePut', { runId: 'r', cell: 'c2', index: 0, message: { role: 'assistant', text: 'para\n\nnext', tookMs: 9 } })
    expect(book.cell('c2')!.answer[0]!.doc).toBe(drawn)
    expect(book.cell('c2')!.answer[0]!.streaming).toBe(false)
  })

  it('puts results after their calls', () => {
    delta(0, { text: 'x' })
    edge.emit('messagePut', { runId: 'r', cell: 'c2', index: 1, message: { role: 'tool', text: 'out', toolCallId: 'a', isError: true } })
    delta(2, { text: 'y' })
    frame()
    expect(book.cell('c2')!.answer.map((m) => [m.role, m.text, m.isError])).toEqual([
      ['assistant', 'x', false],
      ['tool', 'out', true],
      ['assistant', 'y', false],
    ])
  })

  it('shows the wait, and the end once', () => {
    edge.emit('runWaiting', { runId: 'r', cell: 'c2', attempt: 2, untilMs: 99, reason: 'Too many requests' })
    expect(book.cell('c2')!.live).toMatchObject({ waitUntilMs: 99, waitReason: 'Too many requests', attempt: 2 })
    edge.emit('runFinished', {
      runId: 'r',
      cell: 'c2',
      outcome: 'failed',
      fault: { kind: 'provider', code: 'keyRejected', message: 'No.' },
    })
    expect(book.cell('c2')!.live).toBeUndefined()
    expect(book.cell('c2')!.run).toMatchObject({ outcome: 'failed', fault: { code: 'keyRejected' }, model: 'm' })
  })

  it('keeps no bodies while no view shows the notebook, and fetches them when it is shown', async () => {
    book.need(['c2', 'c1'])
    delta(0, { text: 'so ' })
    frame()
    expect(answer()).toEqual(['so '])
    book.rest()
    delta(0, { text: 'far ' })
    frame()
    expect([book.cell('c1')!.loaded, book.cell('c2')!.loaded, book.cell('c2')!.live !== undefined]).toEqual([false, false, true])
    edge.bodies = { c1: body('one', 'first answer'), c2: body('two', 'so far ') }
    edge.bodySeq = edge.seq
    book.need(['c2', 'c1'])
    delta(0, { text: 'so good' })
    await eventually(() => expect(answer()).toEqual(['so far so good']))
    expect(answer('c1')).toEqual(['first answer'])
  })

  it('ignores old events and those of other notebooks', () => {
    book.apply({ seq: ++edge.seq, type: 'delta', data: { runId: 'r', path: 'b.mtm', cell: 'c2', index: 0, text: 'other' } })
    delta(0, { text: 'old' }, 'c2', 100)
    frame()
    expect(answer()).toEqual([])
  })

  it('reloads when an earlier message is missing', async () => {
    edge.view = {
      ...edge.view,
      seq: edge.seq + 1,
      cells: [edge.view.cells[0]!, head('c2', { body: body('two', 'a', 'b', 'c') })],
    } as notebook.View
    delta(2, { text: 'far' })
    frame()
    await until(() => answer().length === 3)
    expect(answer()).toEqual(['a', 'b', 'c'])
  })
})

describe('splices', () => {
  it('insert, replace and remove cells, and keep the state of the others', () => {
    const one = book.cell('c1')
    edge.splice(1, 0, [head('n', { body: body('new') })])
    expect(edge.texts).toEqual(['one', 'new', 'two'])
    expect(book.cell('c1')).toBe(one)
    edge.splice(0, 1, [head('c1', { rev: 2, body: body('ONE') })])
    expect(edge.texts).toEqual(['ONE', 'new', 'two'])
    expect(book.cell('c1')).toBe(one)
    edge.splice(1, 1, [])
    expect(edge.texts).toEqual(['ONE', 'two'])
  })

  it('cause a reload if one does not fit', async () => {
    edge.view = { ...edge.view, seq: 300, cells: [head('z', { body: body('all new') })] } as notebook.View
    edge.splice(5, 2, [])
    await until(() => book.cells.length === 1)
    expect(edge.texts).toEqual(['all new'])
  })

  it('fetch the bodies near the view without losing an event', async () => {
    edge.splice(0, 2, [head('c1', { rev: 7 }), head('c2', { rev: 9, chars: 3, messages: 1 })])
    expect(book.cell('c2')!.loaded).toBe(false)
    edge.bodies = { c1: body('one'), c2: body('two', 'abc') }
    edge.bodySeq = edge.seq + 1 // it already contains the first of the two deltas below
    let go = () => {}
    edge.hold = new Promise((resolve) => {
      go = resolve
    })
    book.need(['c2', 'c1'])
    delta(0, { text: 'c' })
    delta(0, { text: 'd' })
    frame()
    go()
    await until(() => book.cell('c2')!.loaded)
    expect(answer()).toEqual(['abcd'])
  })
})

describe('drafts', () => {
  it('are sent after a pause, once, and their own event changes nothing', async () => {
    const cell = book.cell('c2')!
    book.type(cell, 'two a')
    book.type(cell, 'two ab')
    expect(book.drafts.ids).toEqual(['c2'])
    expect(await book.flush()).toBe(true)
    expect(book.drafts.ids).toEqual([])
    expect(edge.edits).toEqual([{ kind: 'setText', cell: 'c2', text: 'two ab', seen: 100 }])
    book.type(cell, 'two abc')
    edge.splice(1, 1, [head('c2', { rev: 2, body: body('two ab') })], 'me')
    expect(cell.text).toBe('two abc')
    await book.flush()
    edge.splice(1, 1, [head('c2', { rev: 3, body: body('two abc') })], 'me')
    expect(cell.text).toBe('two abc')
  })

  it('their event, arriving after the answer, does not restore older text', async () => {
    const cell = book.cell('c2')!
    book.type(cell, 'a')
    await book.flush()
    book.type(cell, 'ab')
    await book.flush() // both are answered; their events, 101 and 102, arrive now
    edge.emit(
      'cellsSpliced',
      {
        rev: 2,
        origin: 'me',
        at: 1,
        remove: 1,
        cells: [head('c2', { rev: 2, body: body('a') })],
        state,
      } as unknown as Data<'cellsSpliced'>,
      101,
    )
    expect(cell.text).toBe('ab')
  })

  it('accept text from elsewhere if nothing is typed here', () => {
    edge.splice(1, 1, [head('c2', { rev: 2, body: body('from the other window') })], 'other')
    expect(book.cell('c2')!.text).toBe('from the other window')
  })

  it('say which event they take into account, so that the program sees what they would overwrite', async () => {
    const cell = book.cell('c2')!
    const elsewhere = (rev: number, text: string) => edge.splice(1, 1, [head('c2', { rev, body: body(text) })])
    const sends = async (text: string) => {
      book.type(cell, text)
      await book.flush()
      return edge.edits.at(-1)?.seen
    }
    elsewhere(2, 'theirs') // 101
    expect(await sends('theirs, mine')).toBe(101)
    expect(await sends('theirs, mine, more'), 'it has its own text').toBe(102)
    book.type(cell, 'typed before')
    elsewhere(4, 'theirs again')
    expect(await sends('typed before that came')).toBe(103)
  })

  it('survive a failure, report it, and are sent with the next try', async () => {
    edge.refuse = 'The disk is full.'
    book.type(book.cell('c2')!, 'precious')
    expect(await book.flush()).toBe(false)
    expect([book.saveFault?.message, book.drafts.ids]).toEqual(['The disk is full.', ['c2']])
    edge.splice(1, 1, [head('c2', { rev: 2, body: body('two') })], 'other')
    expect(book.cell('c2')!.text).toBe('precious')
    edge.refuse = undefined
    expect(await book.flush()).toBe(true)
    expect(book.saveFault).toBeUndefined()
    expect(edge.edits.at(-1)).toEqual({ kind: 'setText', cell: 'c2', text: 'precious', seen: 100 })
  })

  it('of a cell that was deleted elsewhere make it again', async () => {
    const cell = book.cell('c2')!
    book.type(cell, 'do not lose me')
    edge.splice(1, 1, [], 'other')
    expect(book.shown.map((c) => c.text)).toContain('do not lose me')
    expect(book.cell('c2')).toBe(cell)
    await book.flush()
    expect(edge.edits).toEqual([{ kind: 'insert', id: 'c2', text: 'do not lose me' }])
  })

  it('in the empty prompt make a cell, which stays the same on the screen', async () => {
    edge.splice(1, 1, [])
    const blank = book.shown.at(-1)!
    book.type(blank, 'hello')
    await book.flush()
    book.type(blank, 'hello world')
    await book.flush()
    expect(edge.edits).toEqual([
      { kind: 'insert', id: blank.id, text: 'hello' },
      { kind: 'setText', cell: blank.id, text: 'hello world', seen: 102 },
    ])
    edge.emit(
      'cellsSpliced',
      {
        rev: 2,
        origin: 'me',
        at: 1,
        remove: 0,
        cells: [head(blank.id, { body: body('hello') })],
        state,
      } as unknown as Data<'cellsSpliced'>,
      102,
    )
    expect(book.cells.at(-1)).toBe(blank)
    expect(blank.text).toBe('hello world')
  })
})

describe('intents', () => {
  it('a run sends the draft first, and is shown at once', async () => {
    const cell = book.cell('c2')!
    book.type(cell, 'two!')
    const running = book.intents.run(cell, 'cell')
    expect(cell.live).toBeDefined()
    expect(book.shown.at(-1)).not.toBe(cell)
    expect(await running).toBe(true)
    expect(edge.calls.map((c) => c.name)).toEqual(['Edit', 'Run'])
    expect(edge.calls[1]!.args).toEqual([PATH, 'c2', 'cell'])
  })

  it.each(['continue', 'resume'] as const)('%s is shown at once: a second press does nothing', async (go) => {
    const cell = book.cell('c1')!
    const running = book.intents[go](cell)
    expect(cell.live).toBeDefined()
    expect(await book.intents[go](cell)).toBe(false)
    expect(await running).toBe(true)
    expect(edge.calls.map((c) => c.name)).toEqual([go === 'continue' ? 'Continue' : 'Resume'])
  })

  it('a refused continuation is reverted with the reason', async () => {
    edge.refuse = 'Not now.'
    expect(await book.intents.continue(book.cell('c1')!)).toBe(false)
    expect(book.cell('c1')!.live).toBeUndefined()
    expect(book.notice?.message).toBe('Not now.')
  })

  it('a refused run is reverted with the reason', async () => {
    edge.refuse = 'Not now.'
    expect(await book.intents.run(book.cell('c2')!, 'cell')).toBe(false)
    expect(book.cell('c2')!.live).toBeUndefined()
    expect(book.notice?.message).toBe('Not now.')
  })

  it('text typed while a new cell is being sent follows it, and runs', async () => {
    edge.splice(1, 1, [])
    let release = () => {}
    edge.hold = new Promise((done) => (release = done))
    const blank = book.shown.at(-1)!
    book.type(blank, 'hello')
    const first = book.flush()
    book.type(blank, 'hello world')
    const run = book.intents.run(blank, 'cell')
    release()
    expect(await first).toBe(true)
    expect(await run).toBe(true)
    expect(edge.edits).toEqual([
      { kind: 'insert', id: blank.id, text: 'hello' },
      { kind: 'setText', cell: blank.id, text: 'hello world' },
    ])
    expect(edge.calls.at(-1)).toEqual({ name: 'Run', args: [PATH, blank.id, 'cell'] })
  })
  it('an inserted cell is shown before the backend answers, and accepts text', async () => {
    const id = book.intents.insert(book.cell('c2'))
    expect(book.shown.map((c) => c.id)).toEqual(['c1', id, 'c2'])
    book.type(book.cell(id)!, 'typed at once')
    await book.flush()
    expect(edge.edits).toEqual([
      { kind: 'insert', id, text: '', before: 'c2' },
      { kind: 'setText', cell: id, text: 'typed at once' },
    ])
    edge.emit(
      'cellsSpliced',
      { rev: 2, origin: 'me', at: 1, remove: 0, cells: [head(id, { body: body('') })], state } as unknown as Data<'cellsSpliced'>,
      101,
    )
    expect(edge.texts).toEqual(['one', 'typed at once', 'two'])
    expect(book.shown).toHaveLength(3)
  })

  it('moves name the next cell at the target', async () => {
    await book.intents.move(book.cell('c2')!, -1)
    await book.intents.move(book.cell('c1')!, 1)
    expect(await book.intents.move(book.cell('c1')!, -1)).toBe(false)
    expect(edge.edits).toEqual([
      { kind: 'move', cell: 'c2', before: 'c1' },
      { kind: 'move', cell: 'c1', before: '' },
    ])
  })
})

describe('typed text', () => {
  it('counts as typing until the backend has it, and as unsaved until the file does', async () => {
    const cell = book.cell('c2')!
    expect(book.typing).toBe(false)
    book.type(cell, 'two and more')
    expect([book.typing, book.doc.dirty]).toEqual([true, false])
    await book.flush()
    // The answer comes before the event: the text is never called saved in between.
    expect([book.typing, book.doc.dirty]).toEqual([false, true])
    edge.emit('notebookSaved', { atMs: 5 }, 102)
    expect(book.doc.dirty).toBe(false)
    // Text typed while a draft is being sent is another draft.
    book.type(cell, 'a')
    const sending = book.flush()
    book.type(cell, 'ab')
    await sending
    expect(book.typing).toBe(true)
    await book.flush()
    expect(book.typing).toBe(false)
  })

  it('counts as typing until it arrives', async () => {
    edge.refuse = 'Full.'
    book.type(book.cell('c2')!, 'x')
    expect(await book.flush()).toBe(false)
    expect([book.typing, book.saveFault?.message]).toEqual([true, 'Full.'])
    edge.refuse = undefined
    await book.flush()
    expect([book.typing, book.saveFault]).toEqual([false, undefined])
  })
})

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { cellActions, CellKeys, type CellHost } from './commands'
import { actions } from '$lib/actions/actions'
import { body, Edge, head } from './testing'
import { Insertion } from './insert.svelte'
import type { NotebookState } from './notebook.svelte'
import { eventually, until } from '$lib/testing/waits'

/* What happens between a request and its answer: slow, refused and lost calls. */

/** The time limit of each wait, in milliseconds: only a failure takes that long. */
const edge = new Edge()
let book: NotebookState
beforeAll(() => edge.listen())
afterAll(() => edge.close())
beforeEach(async () => (book = await edge.open()))
afterEach(async () => {
  vi.useRealTimers()
  edge.refuse = edge.hold = undefined
  await book.flush()
  await book.dispose()
})
const names = () => edge.calls.map((c) => c.name)
/** Lets everything happen that takes no time. */
const turn = async () => {
  for (let i = 0; i < 50; i++) await new Promise((done) => setImmediate(done))
}

describe('typed text', () => {
  it('has arrived only once its call has been answered', async () => {
    const release = edge.pause()
    book.type(book.cell('c2')!, 'precious')
    const first = book.flush()
    const second = book.flush()
    expect(await Promise.race([second, turn().then(() => 'waits')])).toBe('waits')
    release()
    expect(await Promise.all([first, second])).toEqual([true, true])
  })

  it('has not arrived if its call is refused', async () => {
    const release = edge.pause()
    edge.refuse = 'The disk is full.'
    book.type(book.cell('c2')!, 'precious')
    const both = [book.flush(), book.flush()]
    release()
    expect(await Promise.all(both)).toEqual([false, false])
    expect(book.drafts.unsaved).toEqual(['precious'])
  })

  it('is unsaved while its call is pending', async () => {
    const release = edge.pause()
    book.type(book.cell('c2')!, 'precious')
    const sent = book.flush()
    await turn()
    expect(book.drafts.unsaved).toEqual(['precious'])
    release()
    await sent
    expect(book.drafts.unsaved).toEqual([])
  })

  it('is sent once more when its notebook closes, but not forever; a failure is reported', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    edge.refuse = 'It is gone.'
    book.type(book.cell('c2')!, 'precious')
    expect(await book.dispose()).toEqual(['precious'])
    for (let i = 0; i < 5; i++) {
      await vi.advanceTimersByTimeAsync(2100)
      await turn()
    }
    expect(edge.edits).toHaveLength(1)
  })

  it('is sent within a second even without a pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    let text = ''
    for (let i = 0; i < 24; i++) {
      book.type(book.cell('c2')!, (text += 'x'))
      await vi.advanceTimersByTimeAsync(100)
      await turn()
    }
    expect(edge.edits.map((e) => e.text?.length)).toEqual([10, 20])
  })

  it('into a cell whose insertion was refused makes the cell again', async () => {
    edge.refuse = 'Not now.'
    const id = book.intents.insert(book.cell('c2'))
    book.type(book.cell(id)!, 'do not lose me')
    await book.flush()
    edge.refuse = undefined
    await until(() => book.flush())
    expect(edge.edits.at(-1)).toMatchObject({ kind: 'insert', id, text: 'do not lose me' })
  })

  it('reloads the notebook when its cell no longer exists', async () => {
    edge.refuse = 'The notebook has no cell c2.'
    edge.refuseKind = 'notFound'
    edge.view = { ...edge.view, seq: 200, cells: [head('x1', { body: body('one') }), head('x2', { body: body('two') })] }
    book.type(book.cell('c2')!, 'two and more')
    await book.flush()
    await until(() => book.cell('x1'))
    edge.refuse = undefined
    await book.flush()
    expect(edge.edits.at(-1)).toEqual({ kind: 'insert', id: 'c2', text: 'two and more' })
  })

  it('into a notebook whose file is gone is reported as only here until the file is back', async () => {
    edge.refuse = 'a.mtm is not there.'
    edge.refuseKind = 'notFound'
    edge.down = true
    book.type(book.cell('c2')!, 'precious')
    book.vanish()
    expect(book.missing).toBe(true)
    await book.flush()
    edge.refuse = undefined
    edge.down = false
    await until(() => book.flush())
    expect(book.missing).toBe(false)
  })

  it('is undone only after it has arrived, and undo does not wait for its event', async () => {
    book.type(book.cell('c2')!, 'two more')
    await book.intents.undo()
    expect([names(), book.notice]).toEqual([['Edit', 'Undo'], undefined])
  })

  it('having nothing to undo is not a failure', async () => {
    edge.refuse = 'There is nothing to undo.'
    await book.intents.undo()
    expect([names(), book.notice]).toEqual([['Undo'], undefined])
  })

  it('an undo that continues that of a prompt says whether it undid something: only then does redo restore it', async () => {
    const undone = book.intents.undoInPrompt()
    let ended = false
    void undone.then(() => (ended = true))
    await eventually(() => expect(names()).toEqual(['UndoIn']))
    await turn()
    expect(ended, 'before the change is here').toBe(false)
    edge.splice(0, 0, [])
    expect(await undone).toBe(true)
    edge.refuse = 'There is nothing to undo.'
    expect([await book.intents.undoInPrompt(), book.notice]).toEqual([false, undefined])
  })
})

describe('cells put aside', () => {
  it.each(['answer', 'event'])('leave the empty prompt to type in, if the %s comes first', async (first) => {
    const { selection } = book
    selection.command('c1')
    let before = book.shown
    const look = () => {
      selection.keepActive(before)
      before = book.shown
    }
    const release = edge.pause()
    const done = book.intents.forkBranch(book.cell('c1')!)
    await turn()
    if (first === 'event') edge.splice(1, 1, [])
    look()
    release()
    expect(await done).toBe(true)
    look()
    if (first === 'answer') edge.splice(1, 1, [])
    look()
    expect(book.shown).toHaveLength(2)
    expect([selection.active, selection.mode]).toEqual([book.shown[1]!.id, 'edit'])
  })
})

describe('a load that fails', () => {
  it('loses no event that arrives during it', async () => {
    const release = edge.pause()
    edge.down = true
    const loaded = book.load()
    edge.splice(0, 0, [head('n', { body: body('new') })])
    release()
    await loaded
    edge.down = false
    edge.splice(1, 1, [head('c1', { rev: 2, body: body('ONE') })])
    expect(edge.texts).toEqual(['new', 'ONE', 'two'])
  })

  it('applies no event to outdated cells, says so, and is retried', async () => {
    edge.down = true
    edge.view = { ...edge.view, cells: [head('n', { body: body('new') }), ...edge.view.cells] }
    edge.emit('notebookReloaded', {})
    await until(() => book.notice)
    expect(book.notice?.message).toMatch(/^Could not load the notebook again: .* tries again\.$/)
    // Of the current notebook, which has one more cell at its start.
    edge.splice(1, 1, [head('c1', { rev: 2, body: body('ONE') })])
    expect(edge.texts).toEqual(['one', 'two'])
    edge.view = {
      ...edge.view,
      seq: edge.seq,
      cells: [edge.view.cells[0]!, head('c1', { rev: 2, body: body('ONE') }), edge.view.cells[2]!],
    }
    edge.down = false
    await until(() => edge.texts.length === 3)
    expect([edge.texts, book.notice]).toEqual([['new', 'ONE', 'two'], undefined])
  })

  it('of bodies in view is retried', async () => {
    edge.splice(0, 2, [head('c1', { rev: 7 }), head('c2', { rev: 9, chars: 3, messages: 1 })])
    edge.bodies = { c1: body('one'), c2: body('two', 'abc') }
    edge.bodySeq = edge.seq
    edge.down = true
    book.need(['c2', 'c1'])
    await until(() => book.notice)
    edge.down = false
    await until(() => book.cell('c2')!.loaded)
    expect([edge.texts, book.notice]).toEqual([['one', 'two'], undefined])
  })
})

describe('a reference dropped on a prompt that is not loaded', () => {
  beforeEach(() => edge.splice(1, 1, [head('c9', { rev: 9, chars: 3 })]))
  const drop = () => {
    const insertion = new Insertion(book, book.cell('c9')!, () => undefined)
    insertion.text(' @[x.go]')
    return insertion
  }

  it('goes after the text of the prompt', async () => {
    edge.bodies = { c9: body('two') }
    edge.bodySeq = edge.seq
    drop()
    await until(() => book.cell('c9')!.dirty)
    await book.flush()
    expect(edge.edits).toEqual([{ kind: 'setText', cell: 'c9', text: 'two @[x.go]', seen: 101 }])
  })

  it('never replaces a prompt that cannot be loaded', async () => {
    edge.down = true
    const insertion = drop()
    await until(() => insertion.fault)
    expect(insertion.fault?.message).toMatch(/^Could not add/)
    edge.down = false
    await book.flush()
    expect(edge.edits).toEqual([])
  })
})

const host: CellHost = {
  back: () => undefined,
  compact: () => undefined,
  compacting: () => false,
  history: () => undefined,
  internalShown: () => false,
  show: () => undefined,
  showInternal: () => undefined,
}

describe('keys of a cell', () => {
  const press = (keys: CellKeys, key: string, timeStamp: number, more = {}) =>
    keys.key(
      {
        key,
        timeStamp,
        repeat: false,
        isComposing: false,
        keyCode: 0,
        ctrlKey: false,
        metaKey: false,
        altKey: false,
        shiftKey: false,
        ...more,
      } as KeyboardEvent,
      book.cell('c1')!,
    )

  it('when held do not delete or insert', () => {
    const keys = new CellKeys(book, host)
    const remove = vi.spyOn(book.intents, 'remove').mockResolvedValue(true)
    press(keys, 'd', 0)
    for (let t = 500; t < 1000; t += 33) press(keys, 'd', t, { repeat: true })
    for (let t = 500; t < 1000; t += 33) press(keys, 'b', t, { repeat: true })
    expect([remove.mock.calls.length, book.shown.length]).toEqual([0, 2])
    press(keys, 'd', 2000)
    press(keys, 'd', 2100)
    expect(remove).toHaveBeenCalledOnce()
  })

  it('of a composition have no effect', () => {
    const keys = new CellKeys(book, host)
    expect([press(keys, 'a', 0, { isComposing: true }), press(keys, 'Enter', 0, { keyCode: 229 })]).toEqual([false, false])
    expect(book.shown).toHaveLength(2)
  })
})

describe('actions of a cell', () => {
  it('all are implemented, and say when they are available', () => {
    const bound = cellActions(book, book.cell('c1')!, host)
    expect(Object.keys(bound).sort()).toEqual(Object.keys(actions.cell).sort())
    const not = Object.values(bound).filter((action) => !action.when())
    expect(not.map((action) => action.id)).toEqual(['history', 'moveUp', 'split', 'unfold', 'compactAbove', 'unqueue'])
  })
})

describe('stop', () => {
  it('comes after the run that was requested before it', async () => {
    const release = edge.pause()
    book.type(book.cell('c2')!, 'two!')
    const running = book.intents.run(book.cell('c2')!, 'cell')
    const stopping = book.backend.call.Stop(book.path)
    release()
    await Promise.all([running, stopping])
    expect(names()).toEqual(['Edit', 'Run', 'Stop'])
  })

  it('does not wait for a hanging call, and the run that waits behind it never begins', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const release = edge.pause()
    const cell = book.cell('c2')!
    book.type(cell, 'two!')
    const running = book.intents.run(cell, 'cell')
    await turn()
    edge.hold = undefined // only the edit hangs
    const stopping = book.backend.call.Stop(book.path)
    await vi.advanceTimersByTimeAsync(2100)
    await stopping
    expect(names()).toEqual(['Stop'])
    release()
    expect(await running).toBe(false)
    expect([names(), cell.live, book.notice]).toEqual([['Stop', 'Edit'], undefined, undefined])
  })

  it('that overtook a hanging run is sent again after it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const release = edge.pause()
    const running = book.intents.run(book.cell('c2')!, 'cell')
    await turn()
    edge.hold = undefined
    const stopping = book.backend.call.Stop(book.path)
    await vi.advanceTimersByTimeAsync(2100)
    await stopping
    release()
    await running
    await until(() => edge.calls.length === 3)
    expect(names()).toEqual(['Stop', 'Run', 'Stop'])
  })
})

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Backend, type notebook } from '$lib/backend/backend'
import type { NotebookEvent } from './notebookEvent'
import { Replica } from './replica.svelte'
import { body, Edge, head, PATH, state } from './testing'
import { until } from '$lib/testing/waits'

/** The time limit of each wait, in milliseconds: only a failure takes that long. */
const edge = new Edge()
let replica: Replica
let path = PATH
let said: (string | undefined)[], opened: string[], kept: string[]
beforeAll(() => edge.listen())
afterAll(() => edge.close())
beforeEach(async () => {
  edge.reset()
  path = PATH
  ;[said, opened, kept] = [[], [], []]
  replica = new Replica(new Backend(), () => path, {
    opened: (meta) => opened.push(meta.uuid),
    keeps: (cell) => kept.includes(cell.id),
    spliced: () => {},
    dropped: () => {},
    meanwhile: (text) => said.push(text),
  })
  await replica.load()
})
afterEach(() => replica.stop())

const splice = (seq: number, at: number, remove: number, ...cells: notebook.CellView[]) =>
  replica.apply({
    seq,
    type: 'cellsSpliced',
    data: { path: PATH, rev: seq, origin: '', at, remove, cells, state, meta: edge.view.meta },
  } as unknown as NotebookEvent)
const ids = () => replica.cells.all.map((c) => c.id)
const texts = () => replica.cells.all.map((c) => c.text)

test('opens once, however often it is loaded, and sends nothing', async () => {
  await replica.load()
  await replica.reload()
  expect([replica.status, texts(), opened, edge.calls]).toEqual(['ready', ['one', 'two'], ['u'], []])
})

test('a failed load keeps the events that arrived during it, and replays them in order', async () => {
  const release = edge.pause()
  edge.down = true
  const loading = replica.load()
  splice(101, 0, 0, head('c0', { body: body('new') }))
  splice(102, 1, 1, head('c1', { body: body('ONE') }))
  expect(texts(), 'nothing is applied before the answer arrives').toEqual(['one', 'two'])
  release()
  expect(await loading).toBe(102)
  expect([ids(), texts()]).toEqual([
    ['c0', 'c1', 'c2'],
    ['new', 'ONE', 'two'],
  ])
  expect(said.at(-1)).toContain('It is gone.')
  expect(replica.missing).toBe(true)
})

test('after a gap no event is applied to the outdated state; the next successful load contains them all', async () => {
  edge.down = true
  await replica.reload()
  splice(120, 2, 1) // refers to cells that were missed
  expect(texts()).toEqual(['one', 'two'])
  edge.down = false
  edge.view = { ...edge.view, seq: 120, cells: [head('c1', { body: body('one') }), head('c9', { body: body('nine') })] }
  await until(() => ids()[1] === 'c9')
  expect([texts(), replica.missing, said.at(-1)]).toEqual([['one', 'nine'], false, undefined])
})

test('an impossible splice reloads the notebook', async () => {
  edge.view = { ...edge.view, seq: 101, cells: [head('c9', { body: body('nine') })] }
  splice(101, 5, 1)
  await until(() => ids()[0] === 'c9')
})

test('a deleted cell stays while its host keeps it', () => {
  kept = ['c2']
  splice(101, 0, 2)
  expect([ids(), replica.cells.shown.map((c) => c.id)]).toEqual([[], ['c2']])
})

test('old events and those of other notebooks are ignored', () => {
  splice(100, 0, 1)
  replica.apply({ seq: 101, type: 'diskConflict', data: { path: 'other.mtm' } } as NotebookEvent)
  expect([ids(), replica.conflict]).toEqual([['c1', 'c2'], false])
})

/** An event of the text that streams into c2, or of its run. */
const streamed = (seq: number, type: NotebookEvent['type'], more: object) =>
  replica.apply({ seq, type, data: { path: PATH, cell: 'c2', runId: 'r', ...more } } as unknown as NotebookEvent)
const answer = () => replica.cells.get('c2')?.answer.map((m) => m.text)

test('text that streams in waits for its frame, also when another cell is edited or the file is saved', () => {
  streamed(101, 'delta', { index: 0, text: 'Half' })
  splice(102, 0, 1, head('c1', { body: body('typed') }))
  replica.apply({ seq: 103, type: 'notebookSaved', data: { path: PATH, atMs: 1 } } as NotebookEvent)
  expect([texts(), answer()]).toEqual([['typed', 'two'], []])
  streamed(104, 'delta', { index: 0, text: ' a word' })
  streamed(105, 'callProgress', { callId: 'none' })
  expect(answer(), 'an event of its cell comes after it').toEqual(['Half a word'])
})

test.each([
  ['is edited', () => splice(102, 1, 1, head('c2', { body: body('two', 'Half a word') })), ['c1', 'c2'], ['Half a word']],
  ['is moved', () => splice(102, 0, 2, head('c2', { body: body('two', 'Half a word') }), head('c1')), ['c2', 'c1'], ['Half a word']],
  ['is deleted', () => splice(102, 1, 1), ['c1'], undefined],
])('text that waits is not lost or doubled when its cell %s', (_, change, cells, text) => {
  streamed(101, 'delta', { index: 0, text: 'Half a word' })
  change()
  streamed(103, 'runFinished', {})
  expect([ids(), answer()]).toEqual([cells, text])
})

test('text that waits is not lost or doubled by a reload', async () => {
  streamed(101, 'delta', { index: 0, text: 'Half' })
  edge.view = { ...edge.view, seq: 102, cells: [head('c1', { body: body('one') }), head('c2', { body: body('two', 'Half a word') })] }
  replica.apply({ seq: 102, type: 'notebookReloaded', data: { path: PATH } } as NotebookEvent)
  streamed(103, 'delta', { index: 0, text: ', and more' })
  await until(() => answer()?.[0]?.includes('a word'))
  streamed(104, 'runFinished', {})
  expect(answer()).toEqual(['Half a word, and more'])
})

test('an event that waits for a load is not lost when the file is renamed', async () => {
  const release = edge.pause()
  const loading = replica.load()
  splice(101, 0, 1, head('c1', { body: body('ONE') }))
  path = '.mutsumi/z.mtm'
  splice(102, 1, 1, head('c2', { body: body('of another notebook') }))
  release()
  await loading
  expect(texts()).toEqual(['ONE', 'two'])
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Backend, type BackendEvent } from '$lib/backend/backend'
import { LazyModule } from '$lib/ui/lazy.svelte'
import { Serve } from '../app.testing'
import type { Group } from '../features/tabs/groups'
import type { lazyNotebook } from './lazyNotebook'
import { OpenBooks } from './openBooks'
import { Places } from './readingPositions'

let books: OpenBooks, edge: Serve, code: typeof lazyNotebook, lost: [string, readonly string[]][], places: Places

beforeEach(() => {
  edge = new Serve([], {})
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', edge.fetch)
  code = new LazyModule(() => import('../features/notebook/notebook.svelte'))
  lost = []
  places = new Places(() => undefined)
  const host = { lost: (path: string, texts: readonly string[]) => void lost.push([path, texts]), unsaved: () => undefined }
  books = new OpenBooks(new Backend(), places, host, code)
})
afterEach(() => {
  books.stop()
  vi.unstubAllGlobals()
})

const group = (id: number, paths: string[], active: string): Group => ({ id, paths, active }) as Group
const show = (...groups: Group[]) => books.follow({ groups, isBook: (tab) => !tab.includes(':'), front: 0 })
const asked = () => edge.asked.filter((line) => line.startsWith('notebook'))

test('without a notebook on view, no code of notebooks is loaded', () => {
  const load = vi.spyOn(code, 'load')
  show(group(0, ['a', 'deck:a'], 'deck:a'))
  expect(load).not.toHaveBeenCalled()
})

test('the first notebook opens once its code is loaded, and what was asked of it is done then', async () => {
  show(group(0, ['a', 'b'], 'b'))
  const done: string[] = []
  books.with('b', (book) => done.push(book.path))
  books.with('a', (book) => done.push(book.path)) // only in a tab: nothing is to be done with it
  expect([books.get('b'), done]).toEqual([undefined, []])
  await code.need()
  expect([books.get('a'), books.get('b')?.path, done]).toEqual([undefined, 'b', ['b']])
  expect(asked()).toEqual(['notebook b'])
  books.with('b', (book) => done.push(`${book.path} again`))
  expect(done).toEqual(['b', 'b again'])
})

test('a tab that was closed while the code was loading does not open, and loses what was asked of it', async () => {
  show(group(0, ['a'], 'a'))
  const done: string[] = []
  books.with('a', (book) => done.push(book.path))
  show(group(0, ['b'], 'b'), group(1, ['b', 'c'], 'c'))
  await code.need()
  expect([books.get('a'), books.get('b')?.path, books.get('c')?.path, done]).toEqual([undefined, 'b', 'c', []])
  expect(asked()).toEqual(['notebook b', 'notebook c'])
})

/** Opens notebooks of one prompt, each in a group of its own. */
async function openAll(...paths: string[]) {
  edge.cells = [{ id: 'c1', rev: 1, role: 'user', chars: 0, answer: 0, messages: 0 }]
  show(...paths.map((path, id) => group(id, [path], path)))
  await code.need()
  return Promise.all(
    paths.map(async (path) => {
      const book = books.get(path)!
      await book.load()
      return book
    }),
  )
}
const edits = () => edge.asked.filter((line) => line.startsWith('Edit'))

test('a notebook follows its renamed file as it is, with its draft, its caret and its events', async () => {
  const [book] = await openAll('a')
  const cell = book!.cells[0]!
  book!.selection.edit(cell.id)
  book!.type(cell, 'typed')
  books.rename('a', 'z')
  show(group(0, ['z'], 'z'))
  expect([books.get('a'), books.get('z') === book, book!.path, book!.selection.mode]).toEqual([undefined, true, 'z', 'edit'])
  await book!.flush()
  expect(edits()).toEqual([expect.stringMatching(/^Edit \["z",\[{"kind":"setText","cell":"c1","text":"typed"}\],/)])
  await book!.intents.run(cell, 'cell')
  expect(edge.asked.at(-1)).toBe('Run ["z","c1","cell"]')
  books.apply({ seq: 20, type: 'diskConflict', data: { path: 'z' } } as BackendEvent)
  expect([book!.conflict, edge.asked.filter((line) => line.startsWith('CloseNotebook'))]).toEqual([true, []])
})

test('each view of a notebook in two groups begins where it was left', async () => {
  const place = (key: string) => ({ key, index: 0, into: 0, way: '', top: 0, height: 0, atMs: 1 })
  places.load({ ui: { places: { u: place('left'), 'u 1': place('right') } } }, false)
  edge.cells = [{ id: 'c1', rev: 1, role: 'user', chars: 0, answer: 0, messages: 0 }]
  show(group(0, ['a', 'b'], 'b'), group(1, ['a'], 'a'))
  await code.need()
  await books.get('a')!.load()
  expect([0, 1].map((id) => books.get('a')!.view(id).memory.place?.key)).toEqual(['left', 'right'])
})

test('what was typed into a notebook that is gone is not sent to the file that gets its name', async () => {
  const [book, gone] = await openAll('a', 'z')
  gone!.type(gone!.cells[0]!, 'only here')
  books.rename('a', 'z')
  show(group(0, ['z'], 'z'))
  await gone!.flush()
  expect([books.get('z') === book, lost, edits()]).toEqual([true, [['z', ['only here']]], []])
})

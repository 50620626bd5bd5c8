import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { LazyModule } from '$lib/ui/lazy.svelte'
import { Serve } from '../app.testing'
import type { Group } from '../features/tabs/groups'
import type { lazyNotebook } from './lazyNotebook'
import { OpenBooks } from './openBooks'
import { Places } from './readingPositions'

let books: OpenBooks, edge: Serve, code: typeof lazyNotebook

beforeEach(() => {
  edge = new Serve([], {})
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', edge.fetch)
  code = new LazyModule(() => import('../features/notebook/notebook.svelte'))
  books = new OpenBooks(new Backend(), new Places(() => undefined), { lost: () => undefined, unsaved: () => undefined }, code)
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

import { expect, test } from 'vitest'
import { match, pieces, searched, wordsOf } from './score'

const marked = (text: string, query: string) => {
  const found = match(searched(text), wordsOf(query))
  return (
    found &&
    pieces(text, found.at)
      .map(({ text, hit }) => (hit ? `[${text}]` : text))
      .join('')
  )
}

test.each([
  ['Model…', 'mod', '[Mod]el…'],
  ['Move cell down', 'mod', '[Mo]ve cell [d]own'],
  ['Merge work tree into main, or discard it…', 'mod', '[M]erge work tree into main, [o]r [d]iscard it…'],
  ['Run this prompt with several models…', 'mod', 'Run this prompt with several [mod]els…'],
  ['pricing/model.go', 'mod', 'pricing/[mod]el.go'],
  ['internal/retry/mode_test.go', 'mote', 'internal/retry/[mo]de_[te]st.go'],
  ['Another window of this folder', 'fold win', 'Another [win]dow of this [fold]er'],
  ['缓存 mode 改成 write-through', '改成', '缓存 mode [改成] write-through'],
  ['缓存命中率', '缓中', '[缓]存命[中]率'],
  ['NotebookState', 'ns', '[N]otebook[S]tate'],
  ['İstanbul plan', 'plan', 'İstanbul [plan]'],
  ['😀 smile', 'smile', '😀 [smile]'],
  ['Model', '', 'Model'],
])('%s has “%s” as %s', (text, query, want) => expect(marked(text, query)).toBe(want))

test.each([
  ['Model', 'modx'],
  ['Settings', 'ting x'],
  ['Go to what waits for you', 'zz'],
  ['unmarked', 'nrd'], // its first letter does not begin a word
  ['', 'a'],
])('%s has no “%s”', (text, query) => expect(marked(text, query)).toBeUndefined())

test('the better fit comes first', () => {
  const order = (query: string, ...texts: string[]) =>
    texts
      .map((text) => ({ text, found: match(searched(text), wordsOf(query)) }))
      .filter(({ found }) => found)
      .sort((a, b) => b.found!.score - a.found!.score)
      .map(({ text }) => text)
  expect(order('mod', 'Move cell down', 'a module', 'commodity', 'Model', 'mod')).toEqual([
    'mod',
    'Model',
    'a module',
    'commodity',
    'Move cell down',
  ])
  expect(order('set', 'reset all', 'Settings', 'Show every tab')).toEqual(['Settings', 'reset all', 'Show every tab'])
})

test('typed text is not a pattern', () => {
  expect(marked('a.*(b)[c]\\', '.*(')).toBe('a[.*(]b)[c]\\')
  expect(marked('C++ and C#', '++')).toBe('C[++] and C#')
})

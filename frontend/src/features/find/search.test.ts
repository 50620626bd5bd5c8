import { expect, test, vi } from 'vitest'
import type { documents, textsearch } from '$lib/backend/backend'
import { FindState } from './find.svelte'
import type { SearchedView } from './reveal'
import { Search } from './search.svelte'
import type { SearchedBook } from './searched'

vi.mock('./reveal', () => ({ reveal: () => Promise.resolve(undefined) }))

/** A search in prompts, as the backend does it for a literal query. */
async function searching(...prompts: string[]) {
  const cells = prompts.map((_, i) => ({ id: `c${i}`, answer: [], compaction: undefined, live: undefined }))
  const FindText = (_: string, { text }: textsearch.Query) => {
    const texts = prompts.map((prompt, i) => ({
      cell: `c${i}`,
      kind: 'prompt',
      index: 0,
      matches: [...prompt.matchAll(new RegExp(text, 'g'))].map((m) => ({ at: m.index, line: 0, text, before: '', after: '' })),
    }))
    return Promise.resolve({ seq: 1, total: 0, partial: false, texts: texts.filter((t) => t.matches.length > 0) })
  }
  const replaceText = ({ query, with: put, cell, at = 0 }: documents.Replacement) => {
    const i = cells.findIndex((c) => c.id === cell)
    prompts[i] = prompts[i]!.slice(0, at) + put + prompts[i]!.slice(at + query.text.length)
    return Promise.resolve({ seq: 1, rev: 1, places: 1, left: 0, end: at + put.length })
  }
  const book = {
    path: 'a',
    cells,
    cell: (id: string) => cells.find((c) => c.id === id),
    backend: { call: { FindText } },
    intents: { replaceText },
    flush: () => Promise.resolve(true),
    say: (thrown: unknown) => expect.fail(String(thrown)),
  }
  const find = new FindState()
  find.text = 'needle'
  const search = new Search(find, book as unknown as SearchedBook, { painter: { show() {}, stop() {} } } as unknown as SearchedView, 'c0')
  search.typed()
  await search.step(1)
  return { find, search, prompts }
}

test('a replacement that contains the text is not replaced again before all others', async () => {
  const { find, search, prompts } = await searching('a needle and a needle', 'none', 'one more needle')
  find.with = 'the needles'
  const numbers = [search.number]
  for (let i = 0; i < 3; i++) {
    await search.replace()
    numbers.push(search.number)
  }
  expect(prompts).toEqual(['a the needles and a the needles', 'none', 'one more the needles'])
  // At the end it begins at the first one again.
  expect(numbers).toEqual([1, 2, 3, 1])
  search.stop()
})

test('the match after a replacement stays the current one as the notebook changes', async () => {
  vi.useFakeTimers()
  try {
    const { find, search } = await searching('a needle and a needle')
    find.with = 'needles'
    await search.replace()
    search.written()
    await vi.advanceTimersByTimeAsync(1000)
    expect([search.number, search.total]).toEqual([2, 2])
    search.stop()
  } finally {
    vi.useRealTimers()
  }
})

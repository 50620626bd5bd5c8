// @vitest-environment jsdom
import { fireEvent, render } from '@testing-library/svelte'
import { createRawSnippet } from 'svelte'
import { expect, test } from 'vitest'
import { domOfComponents } from './testing'
import VirtualList from './VirtualList.svelte'

domOfComponents()

test('a scroll updates no row that stays drawn', async () => {
  const updates = new Map<string, number>()
  const row = createRawSnippet((item: () => { id: string }, _index: () => number, height: () => number) => ({
    render: () => `<p>${item().id}</p>`,
    setup: () => {
      $effect(() => {
        void height()
        updates.set(item().id, (updates.get(item().id) ?? 0) + 1)
      })
    },
  }))
  const items = Array.from({ length: 30 }, (_, i) => ({ id: `r${i}` }))
  const { container } = render(VirtualList as never, { items, estimate: () => 100, label: 'Rows', row } as never)
  const scroller = container.querySelector('.virtual')!
  const scrollTo = async (top: number) => {
    scroller.scrollTop = top
    await fireEvent.scroll(scroller)
  }
  await scrollTo(2000)
  updates.clear()
  await scrollTo(1950)
  expect([...updates]).toEqual([['r12', 1]])
  expect(container.querySelectorAll('[data-row]')).toHaveLength(15)
})

// @vitest-environment jsdom
import { fireEvent, render } from '@testing-library/svelte'
import { createRawSnippet, flushSync } from 'svelte'
import { expect, test, vi } from 'vitest'
import { Frame } from './frame'
import { domOfComponents } from './testing'
import VirtualList from './VirtualList.svelte'

domOfComponents()

/** A list of 30 rows of 100 pixels; updates counts how often the content of each was updated, heights has what it was told last. */
function listOfRows() {
  const updates = new Map<string, number>()
  const heights = new Map<string, number>()
  const row = createRawSnippet((item: () => { id: string }, _index: () => number, height: () => number) => ({
    render: () => `<p>${item().id}</p>`,
    setup: () => {
      $effect(() => {
        updates.set(item().id, (updates.get(item().id) ?? 0) + 1)
      })
      $effect(() => {
        heights.set(item().id, height())
      })
    },
  }))
  const items = Array.from({ length: 30 }, (_, i) => ({ id: `r${i}` }))
  const { container } = render(VirtualList as never, { items, estimate: () => 100, label: 'Rows', row } as never)
  const scroller = container.querySelector('.virtual')!
  Object.defineProperty(scroller, 'scrollHeight', { value: 3000 }) // otherwise it would be at its end
  const scrollTo = async (top: number) => {
    scroller.scrollTop = top
    await fireEvent.scroll(scroller)
  }
  const rowOf = (id: string) => container.querySelector<HTMLElement>(`[data-row=${id}]`)!
  return { container, scrollTo, updates, heights, rowOf }
}

/** Gives an element a height; zoom: how many pixels of the screen each of its own takes. */
function setHeight(el: HTMLElement, height: number, zoom = 1) {
  Object.defineProperty(el, 'offsetHeight', { configurable: true, value: Math.round(height) })
  el.getBoundingClientRect = () => new DOMRect(0, 0, 0, height * zoom)
}

/** Takes the place of the browser's observer of sizes: returns a function that reports sizes to the list that is mounted next. */
function observer(): (entries: object[]) => void {
  let observed: (entries: object[]) => void = () => undefined
  vi.stubGlobal(
    'ResizeObserver',
    class extends ResizeObserver {
      constructor(callback: ResizeObserverCallback) {
        super(callback)
        observed = callback as never
      }
    },
  )
  return (entries) => observed(entries)
}

test('a scroll updates no row that stays drawn', async () => {
  const { container, scrollTo, updates } = listOfRows()
  await scrollTo(2000)
  updates.clear()
  await scrollTo(1950)
  expect([...updates]).toEqual([['r12', 1]])
  expect(container.querySelectorAll('[data-row]')).toHaveLength(15)
})

test('a row that grows moves those below, and updates the content of none', async () => {
  const observed = observer()
  const { scrollTo, updates, heights, rowOf } = listOfRows()
  await scrollTo(2000)
  updates.clear()
  observed([{ target: rowOf('r20'), borderBoxSize: [{ blockSize: 150.5 }] }])
  flushSync()
  expect(rowOf('r20').style.top).toBe('2000px')
  expect(rowOf('r21').style.top).toBe('2150.5px')
  expect(heights.get('r20')).toBe(150.5)
  expect([...updates]).toEqual([])
})

test('a scroll of somebody else is not taken back when a row grows before its event comes', async () => {
  const observed = observer()
  const { container, scrollTo, rowOf } = listOfRows()
  const scroller = container.querySelector('.virtual')!
  Object.defineProperty(scroller, 'clientHeight', { value: 500 })
  // The rows are where their style puts them, like the blocks in them.
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const row = this.closest<HTMLElement>('[data-row]')
    return row ? new DOMRect(0, parseFloat(row.style.top) - scroller.scrollTop, 300, 100) : new DOMRect(0, 0, 300, 500)
  })
  await scrollTo(1000)
  const onScreen = () => rowOf('r14').getBoundingClientRect().top
  expect(onScreen()).toBe(400)
  scroller.scrollTop = 1300
  observed([{ target: rowOf('r16'), borderBoxSize: [{ blockSize: 150 }] }])
  flushSync()
  expect(onScreen()).toBe(100)
  await fireEvent.scroll(scroller)
  expect(onScreen()).toBe(100)
})

test('text that streams in is measured in its turn, a zoomed list only by its observer', async () => {
  const { scrollTo, rowOf } = listOfRows()
  await scrollTo(2000)
  const turn = (height: number, zoom: number) =>
    new Promise<void>((done) =>
      new Frame(() => {
        setHeight(rowOf('r20'), height, zoom)
        done()
      }).ask(),
    )
  await turn(150.5, 1)
  expect(rowOf('r21').style.top).toBe('2150.5px')
  await turn(180.5, 1.1)
  expect(rowOf('r21').style.top).toBe('2150.5px')
})

// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet, tick } from 'svelte'
import { expect, test, vi } from 'vitest'
import type { Backend, timeline } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import { DeckState } from './deck.svelte'
import Graph from './Graph.svelte'
import Timeline from './Timeline.svelte'
import { until } from '$lib/testing/waits'

domOfComponents()

const described = new Map(
  ['a.mtm', 'b.mtm'].map((path) => [path, { path, name: path, dot: 'standby' as const, facts: '', node: undefined }]),
)

test('a box of the graph opens its agent, by a press or a mere click, only once', async () => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
  HTMLElement.prototype.setPointerCapture = () => {}
  const onopen = vi.fn()
  render(Graph, {
    nodes: [
      { path: 'a.mtm', depth: 0 },
      { path: 'b.mtm', depth: 1 },
    ],
    described,
    onopen,
  })
  await tick()
  const box = screen.getByRole('treeitem', { name: /b\.mtm/ })
  await fireEvent.click(box)
  expect(onopen.mock.calls).toEqual([['b.mtm']])
  await fireEvent.pointerDown(box, { button: 0, clientX: 5, clientY: 5 })
  await fireEvent.pointerUp(box)
  await fireEvent.click(box)
  expect(onopen.mock.calls).toEqual([['b.mtm'], ['b.mtm']])
  await fireEvent.pointerDown(box, { button: 0, clientX: 5, clientY: 5 })
  await fireEvent.pointerMove(box, { clientX: 90, clientY: 5 })
  await fireEvent.pointerUp(box)
  await fireEvent.click(box)
  expect(onopen, 'it was moved, not clicked').toHaveBeenCalledTimes(2)
  await fireEvent.click(box)
  expect(onopen).toHaveBeenCalledTimes(3)
  vi.restoreAllMocks()
})

/** The colours of the drawn bars. */
function colours() {
  const style = document.createElement('style')
  style.textContent = `* { ${['deck-model', 'deck-tool', 'deck-wait-ground', 'deck-report', 'ink', 'ink-on-accent'].map((name) => `--${name}: #123456;`).join('')} }`
  document.head.append(style)
}

test('a mere click opens the message of a step, and elsewhere in a lane its agent', async () => {
  colours()
  const span = (id: string, index: number): timeline.Span => ({
    id,
    agent: 'a',
    path: 'a.mtm',
    cell: 'c',
    index,
    kind: 'model',
    text: '',
    startMs: index * 100,
    endMs: index * 100 + 90,
    failed: false,
  })
  const view: timeline.View = {
    seq: 1,
    root: 'a',
    startMs: 0,
    lanes: [{ agent: 'a', path: 'a.mtm', depth: 0, spans: [span('1', 1), span('2', 2)], cut: false }],
    links: [],
  }
  const deck = new DeckState({ call: { Timeline: async () => view } as unknown as Backend['call'] }, { frame: (f) => f(), now: () => 1000 })
  deck.follow('a.mtm')
  await until(() => deck.lanes.length === 1)
  const onopen = vi.fn()
  const { container } = render(Timeline, { deck, described, onopen, before: createRawSnippet(() => ({ render: () => '<p></p>' })) })
  await tick()
  await fireEvent.click(container.querySelector('.strip')!)
  expect(onopen.mock.calls).toEqual([['a.mtm']])
  const grid = screen.getByRole('grid')
  grid.focus()
  await fireEvent.keyDown(grid, { key: 'ArrowRight' })
  await fireEvent.keyDown(grid, { key: 'ArrowRight' })
  const step = document.getElementById(grid.getAttribute('aria-activedescendant')!)!
  await fireEvent.click(step)
  expect(onopen.mock.calls.at(-1)).toEqual(['a.mtm', 'c', 2])
  await fireEvent.click(screen.getByRole('rowheader'))
  expect(onopen.mock.calls.at(-1)).toEqual(['a.mtm'])
  expect(onopen).toHaveBeenCalledTimes(3)
})

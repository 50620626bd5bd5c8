// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { beforeAll, expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import { NotebookState } from './notebook.svelte'
import { setNotebookHost, type NotebookHost } from './notebookHost'
import SummarySection from './SummarySection.svelte'
import { PATH } from './testing'
import { until } from '$lib/testing/waits'

domOfComponents()
beforeAll(() => {
  globalThis.IntersectionObserver = globalThis.ResizeObserver as unknown as typeof IntersectionObserver
})

/** A part of a summary whose text is being edited. Each saved text is answered by `answer`. */
async function typing(answer: () => Promise<boolean>) {
  const onsave = vi.fn(answer)
  const hosted = ((...args: Parameters<typeof SummarySection>) => {
    setNotebookHost({} as NotebookHost)
    return SummarySection(...args)
  }) as typeof SummarySection
  const book = new NotebookState(new Backend(), PATH, 'me')
  const props = { book, section: { name: 'Goal', text: 'old' }, tokens: 1, uncut: false, onsave, onleave: () => undefined }
  const { unmount } = render(hosted, { props, context: new Map() })
  await fireEvent.click(screen.getByRole('button', { name: 'Edit “Goal”' }))
  await fireEvent.input(screen.getByRole('textbox'), { target: { value: 'new' } })
  const text = () => screen.queryByRole<HTMLTextAreaElement>('textbox')?.value
  return { onsave, unmount, text, end: (key: string) => fireEvent.keyDown(screen.getByRole('textbox'), { key, ctrlKey: true }) }
}

test('a text that could not be saved stays in the field, and can be saved again', async () => {
  let works = false
  const { onsave, text, end } = await typing(() => Promise.resolve(works))
  await end('Enter')
  await tick()
  expect([onsave.mock.calls, text()]).toEqual([[['new']], 'new'])
  works = true
  await end('Enter')
  await tick()
  expect([onsave.mock.calls, text()]).toEqual([[['new'], ['new']], undefined])
})

test('the field stays until the text is saved, which is asked for once', async () => {
  let arrive = (_: boolean) => {}
  const { onsave, text, end } = await typing(() => new Promise((done) => (arrive = done)))
  await end('Enter')
  await fireEvent.blur(screen.getByRole('textbox'))
  expect([onsave.mock.calls.length, text()]).toEqual([1, 'new'])
  arrive(true)
  await until(() => text() === undefined)
})

test('Escape saves nothing', async () => {
  const { onsave, text, end } = await typing(() => Promise.resolve(true))
  await end('Escape')
  expect([onsave.mock.calls, text()]).toEqual([[], undefined])
})

test('a closing page and a notebook that goes out of view save it', async () => {
  for (const leave of ['page', 'view']) {
    const { onsave, unmount } = await typing(() => Promise.resolve(true))
    const event = Object.assign(new Event('pagehide'), { pending: [] as Promise<unknown>[] })
    if (leave === 'page') {
      window.dispatchEvent(event)
      expect(event.pending).toHaveLength(1)
      await Promise.all(event.pending)
    }
    unmount()
    expect(onsave.mock.calls).toEqual([['new']])
  }
})

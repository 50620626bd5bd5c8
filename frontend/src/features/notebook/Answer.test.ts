// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { beforeAll, expect, test } from 'vitest'
import { Backend, type notebook } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import Answer from './Answer.svelte'
import { CellState } from './cell.svelte'
import { NotebookState } from './notebook.svelte'
import { setNotebookHost, type NotebookHost } from './notebookHost'
import { Selection } from './selection.svelte'
import { body, head, PATH } from './testing'

domOfComponents()
beforeAll(() => {
  globalThis.IntersectionObserver = globalThis.ResizeObserver as unknown as typeof IntersectionObserver
})

const answer = (call: string, text: string) =>
  [
    { role: 'assistant', text: '', toolCalls: [{ id: call, name: 'read_file', arguments: '{"uri":"a.txt"}' }] },
    { role: 'tool', text, toolCallId: call },
  ] as notebook.MessageView[]

test('a call of another answer in the same place shows its own text', async () => {
  const book = new NotebookState(new Backend(), PATH, 'me')
  const cell = new CellState('c1')
  const put = (call: string, text: string) => cell.put(head('c1', { body: { ...body('one'), answer: answer(call, text) } }), 1)
  put('first', 'text of the first')
  const hosted = ((...args: Parameters<typeof Answer>) => {
    const host = { internalShown: () => false, waits: () => false, command: () => undefined }
    setNotebookHost(host as Partial<NotebookHost> as NotebookHost)
    return Answer(...args)
  }) as typeof Answer
  const { container } = render(hosted, { props: { book, cell, selection: new Selection(book) }, context: new Map() })
  await fireEvent.click(screen.getAllByRole('button')[0]!)
  expect(container.textContent).toContain('text of the first')
  put('second', 'text of the second')
  await tick()
  expect(screen.getAllByRole('button')[0]!.getAttribute('aria-expanded')).toBe('false')
})

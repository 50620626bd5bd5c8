// @vitest-environment jsdom
import { EditorView } from '@codemirror/view'
import { render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Backend, type notebook } from '$lib/backend/backend'
import { domOfComponents, enterOfComposition } from '$lib/ui/testing'
import { Insertion } from './insert.svelte'
import { NotebookState } from './notebook.svelte'
import { setNotebookHost, type NotebookHost } from './notebookHost'
import Prompt from './Prompt.svelte'
import { Selection } from './selection.svelte'
import { body, head, PATH, state } from './testing'
import { until } from '$lib/testing/waits'

domOfComponents()

const view = {
  seq: 1,
  path: PATH,
  rev: 1,
  state,
  conflict: false,
  running: [],
  meta: { uuid: 'u', name: 'A', createdAt: '', allowed: [], finished: false },
  cells: [head('c1', { body: body('one') })],
} as unknown as notebook.View

let book: NotebookState
beforeEach(async () => {
  vi.stubGlobal('fetch', (url: string) => Promise.resolve(Response.json(url.startsWith('/api/notebook') ? view : { seq: 2, rev: 2 })))
  book = new NotebookState(new Backend(), PATH, 'me')
  await book.load()
})
afterEach(async () => {
  await book.dispose()
  vi.unstubAllGlobals()
})

/** A prompt as a notebook shows it, with the actions that its keys request. */
async function prompt(editing: boolean, selection = new Selection(book)) {
  const run = vi.spyOn(book.intents, 'runAndAdvance').mockResolvedValue(undefined as never)
  const runAndInsert = vi.spyOn(book.intents, 'runAndInsert').mockResolvedValue(undefined as never)
  if (selection.active === 'c1') selection.refocus()
  else if (editing) selection.edit('c1')
  else selection.select('c1')
  const leave = vi.spyOn(selection, 'leave')
  const edit = vi.spyOn(selection, 'edit')
  const hosted = ((...args: Parameters<typeof Prompt>) => {
    setNotebookHost({ editor: () => [], keyboardStays: () => false } as Partial<NotebookHost> as NotebookHost)
    return Prompt(...args)
  }) as typeof Prompt
  const { container, unmount } = render(hosted, { props: { book, cell: book.cell('c1')!, selection, editing }, context: new Map() })
  await tick()
  const press = (init: KeyboardEventInit) =>
    screen.getByRole('textbox').dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }))
  const hints = () => container.querySelector('.hint')!.textContent
  return { container, unmount, run, runAndInsert, leave, edit, press, hints }
}

test('a prompt is drawn until it is edited, and shows its keys', async () => {
  const { container, hints } = await prompt(false)
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(container.textContent).toContain('one')
  expect(hints()).toContain('insert above')
})

test('typed text is the draft of its cell', async () => {
  const { container, hints } = await prompt(true)
  const editor = EditorView.findFromDOM(container)!
  editor.dispatch({ changes: { from: 3, insert: ' two' }, userEvent: 'input.type' })
  expect([book.cell('c1')!.text, book.typing]).toEqual(['one two', true])
  await tick()
  expect(EditorView.findFromDOM(container), 'the editor stays').toBe(editor)
  expect(hints()).toContain('preview what is sent')
})

test('an editor that comes back has the caret where it was, one of another prompt does not', async () => {
  const selection = new Selection(book)
  const first = await prompt(true, selection)
  EditorView.findFromDOM(first.container)!.dispatch({ selection: { anchor: 2 } })
  first.unmount()
  const second = await prompt(true, selection)
  const back = EditorView.findFromDOM(second.container)!
  expect([back.state.selection.main.anchor, back.hasFocus]).toEqual([2, true])
  second.unmount()
  book.type(book.cell('c1')!, 'o')
  expect(EditorView.findFromDOM((await prompt(true, selection)).container)!.state.selection.main.anchor).toBe(1)
  selection.command('c2')
  expect(selection.caretAt).toBe(0)
})

test('what is inserted late takes the focus only if nothing else has it', async () => {
  const { container } = await prompt(true)
  const editor = EditorView.findFromDOM(container)!
  const insertion = new Insertion(book, book.cell('c1')!, () => editor)
  const other = document.body.appendChild(document.createElement('input'))
  for (const [goes, gets] of [
    [() => other.focus(), other],
    [() => editor.contentDOM.blur(), editor.contentDOM],
    [() => undefined, editor.contentDOM],
  ] as const) {
    let arrive: ((answer: Response) => void) | undefined
    vi.stubGlobal('fetch', (url: string) =>
      url.endsWith('/InsertPaths') ? new Promise((done) => (arrive = done)) : Response.json({ seq: 2, rev: 2 }),
    )
    editor.focus()
    const inserted = insertion.paths(['/x.txt'])
    goes()
    await until(() => arrive)
    arrive!(Response.json({ text: '@[x.txt]', notes: [] }))
    expect(await inserted).toBe(true)
    expect(document.activeElement).toBe(gets)
  }
  expect(editor.state.doc.toString()).toBe('one @[x.txt] @[x.txt] @[x.txt] '.trimEnd())
  other.remove()
})

test('a press that is only a click opens the editor', async () => {
  const { container, edit } = await prompt(false)
  container.querySelector<HTMLElement>('.prompt')!.click()
  expect(edit.mock.calls).toEqual([['c1']])
})

test('a drag over a prompt opens no editor', async () => {
  const { container, edit } = await prompt(false)
  const node = container.querySelector('.prompt')!
  node.dispatchEvent(new MouseEvent('pointerdown', { bubbles: true, clientX: 10, clientY: 10 }))
  node.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1, clientX: 60, clientY: 10 }))
  node.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1, clientX: 60, clientY: 10 })) // begun elsewhere
  expect(edit.mock.calls).toEqual([])
  node.dispatchEvent(new MouseEvent('pointerdown', { bubbles: true, clientX: 60, clientY: 10 }))
  node.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1, clientX: 61, clientY: 10 }))
  expect(edit.mock.calls).toEqual([['c1', { x: 61, y: 10 }]])
})

test('a held key runs once', async () => {
  const { run, runAndInsert, press } = await prompt(true)
  for (const repeat of [false, true, true]) press({ key: 'Enter', code: 'Enter', keyCode: 13, shiftKey: true, repeat })
  for (const repeat of [false, true, true]) press({ key: 'Enter', code: 'Enter', keyCode: 13, ctrlKey: true, repeat })
  expect([run.mock.calls.length, runAndInsert.mock.calls.length]).toEqual([1, 1])
})

test.each(enterOfComposition)('a key of a composition neither runs nor leaves: %o', async (key) => {
  const { run, leave, press } = await prompt(true)
  if (key.isComposing) screen.getByRole('textbox').dispatchEvent(new CompositionEvent('compositionstart'))
  press({ ...key, shiftKey: true })
  press({ ...key, key: 'Escape' })
  expect([run.mock.calls, leave.mock.calls]).toEqual([[], []])
})

test('Escape leaves the text for commands', async () => {
  const { leave, press } = await prompt(true)
  press({ key: 'Escape', code: 'Escape', keyCode: 27 })
  expect(leave).toHaveBeenCalledExactlyOnceWith('c1')
})

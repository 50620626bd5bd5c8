// @vitest-environment jsdom
import { render, screen } from '@testing-library/svelte'
import { afterEach, expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import ConflictView from './ConflictView.svelte'
import type { NotebookState } from './notebook.svelte'

domOfComponents()
afterEach(() => vi.unstubAllGlobals())

/** The conflict view of a notebook, with the program's answer. */
function show(versions: { mine: string; disk: string; gone: boolean }) {
  vi.stubGlobal('fetch', async () => Response.json(versions))
  render(ConflictView, { book: { path: 'a.mtm', conflicts: 1, backend: new Backend() } as unknown as NotebookState })
}
const notebook = (prompt: string) => ['{', '  "context": [', '    {', `      "content": "${prompt}"`, '    }', '  ]', '}'].join('\n')

test('differences are shown side by side, and each version can be chosen', async () => {
  show({ mine: notebook('typed here'), disk: notebook('from elsewhere'), gone: false })
  await screen.findByRole('group', { name: /side by side$/ })
  const [here] = screen.getAllByText(/typed here/)
  expect(here!.closest('.add')).toBeTruthy()
  expect(screen.getAllByText(/from elsewhere/)[0]!.closest('.del')).toBeTruthy()
  expect(screen.getAllByRole('button', { name: /one$|both$/ }).map((b) => b.textContent)).toEqual([
    'Take this one',
    'Keep this one',
    'Keep both',
  ])
})

test('two long versions with the same beginning say so', async () => {
  show({ mine: notebook('the same'), disk: notebook('the same'), gone: false })
  await screen.findByText(/^The first 256 KB/)
})

test('if the file is gone, the version here is shown in full', async () => {
  show({ mine: notebook('typed here'), disk: '', gone: true })
  // The viewer is loaded on demand, which takes long on a busy machine.
  expect((await screen.findByRole('textbox', { name: 'Your version' })).textContent).toContain('typed here')
  expect(screen.getAllByRole('button', { name: /one$|both$/ }).map((b) => b.textContent)).toEqual(['Keep this one'])
  expect(screen.getByRole('alert').textContent).toMatch(/until you keep this version/)
  expect(screen.queryByText(/Whatever you choose/)).toBeNull()
})

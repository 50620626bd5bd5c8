// @vitest-environment jsdom
import { render, screen } from '@testing-library/svelte'
import { afterEach, expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import { Output } from './output.svelte'
import Terminal from './Terminal.svelte'

domOfComponents()
afterEach(() => vi.unstubAllGlobals())

test('what a command prints hides nothing and turns nothing round', async () => {
  const raw = 'ok \u202Egpj.exe\u202C end\u200B\n\x1b[31mred \u2066x\x1b[0m\n'
  vi.stubGlobal('fetch', async () => Response.json({ raw, begin: 0, next: raw.length }))
  const output = new Output(new Backend(), 't1')
  output.more()
  await vi.waitUntil(() => output.loaded)
  output.stop()
  const { container } = render(Terminal, { output, running: false })
  expect([...container.querySelectorAll('.line')].map((l) => l.textContent)).toEqual(['ok U+202Egpj.exeU+202C endU+200B', 'red U+2066x'])
  expect([...container.querySelectorAll('.unseen')].map((m) => m.textContent)).toEqual(['U+202E', 'U+202C', 'U+200B', 'U+2066'])
  expect(container.querySelector('.fg-red')!.textContent).toBe('red U+2066x')
  expect(screen.getByRole('region', { name: 'Output' }).textContent).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/)
})

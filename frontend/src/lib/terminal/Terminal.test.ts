// @vitest-environment jsdom
import { render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { printed } from './terminalOutput'
import Terminal from './Terminal.svelte'
import TerminalTail from './TerminalTail.svelte'
import { domOfComponents } from '$lib/ui/testing'

domOfComponents()

test('the output of a command shows hidden characters and ignores direction marks', () => {
  const raw = 'ok \u202Egpj.exe\u202C end\u200B\n\x1b[31mred \u2066x\x1b[0m\n'
  const { container } = render(Terminal, { output: printed(raw), running: false })
  expect([...container.querySelectorAll('.line')].map((l) => l.textContent)).toEqual(['ok U+202Egpj.exeU+202C endU+200B', 'red U+2066x'])
  expect([...container.querySelectorAll('.unseen')].map((m) => m.textContent)).toEqual(['U+202E', 'U+202C', 'U+200B', 'U+2066'])
  expect(container.querySelector('.fg-red')!.textContent).toBe('red U+2066x')
  expect(screen.getByRole('group', { name: 'Output' }).textContent).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/)
})

test('the tail shows the latest lines in colour, no wider than visible', () => {
  const { container } = render(TerminalTail, {
    output: printed(`${'old\n'.repeat(500)}\x1b[32mgreen\x1b[0m\n${'x'.repeat(2000)}\n`),
    rows: 3,
  })
  const lines = [...container.querySelectorAll('.line')]
  expect(lines.map((l) => l.textContent!.slice(0, 6))).toEqual(['old', 'green', 'xxxxxx'])
  expect(lines[2]!.textContent).toHaveLength(300)
  expect(container.querySelector('.fg-green')!.textContent).toBe('green')
})

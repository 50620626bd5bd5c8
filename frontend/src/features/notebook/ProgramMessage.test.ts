// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import type { notebook } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import { MessageState } from './message.svelte'
import ProgramMessage from './ProgramMessage.svelte'

domOfComponents()

const asked = () => MessageState.of({ role: 'user', text: 'Go on exactly where it ended.', internal: true } as notebook.MessageView)

test('a message of the program to the model is one line, which unfolds to its text', async () => {
  const { container } = render(ProgramMessage, { message: asked(), all: false })
  const line = screen.getByRole('button', { name: 'Mutsumi asked it to go on' })
  expect(line.getAttribute('aria-expanded')).toBe('false')
  expect(container.textContent).not.toContain('Go on exactly')
  await fireEvent.click(line)
  expect(container.querySelector('.text')!.textContent).toBe('Go on exactly where it ended.')
  await fireEvent.click(line)
  expect(container.querySelector('.text')).toBeNull()
})

test('one switch unfolds all of them, and each can still be folded', async () => {
  const { container, rerender } = render(ProgramMessage, { message: asked(), all: false })
  await rerender({ all: true })
  expect(container.querySelector('.text')).not.toBeNull()
  await fireEvent.click(screen.getByRole('button'))
  expect(container.querySelector('.text')).toBeNull()
  await rerender({ all: false })
  await rerender({ all: true })
  expect(container.querySelector('.text')).not.toBeNull()
})

test('an internal message of an assistant is folded as well', () => {
  const message = MessageState.of({ role: 'assistant', text: 'Plan', internal: true } as notebook.MessageView)
  const { container } = render(ProgramMessage, { message, all: false })
  expect(screen.getByRole('button', { name: 'Internal message' })).toBeTruthy()
  expect(container.textContent).not.toContain('Plan')
})

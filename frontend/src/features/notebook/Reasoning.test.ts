// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import type { notebook } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import { MessageState } from './message.svelte'
import Reasoning from './Reasoning.svelte'

domOfComponents()

test('reasoning shows hidden characters and ignores direction marks, and prose keeps its joiners', async () => {
  const message = MessageState.of({
    role: 'assistant',
    text: '',
    reasoning: 'run \u202Efr- mr\u202C then \u0645\u06CC\u200C\u0634\u0648\u062F',
  } as notebook.MessageView)
  const { container } = render(Reasoning, { message })
  await fireEvent.click(screen.getByRole('button'))
  expect(container.querySelector('.text')!.textContent).toBe('run U+202Efr- mrU+202C then \u0645\u06CC\u200C\u0634\u0648\u062F')
  expect([...container.querySelectorAll('.unseen')].map((m) => m.textContent)).toEqual(['U+202E', 'U+202C'])
})

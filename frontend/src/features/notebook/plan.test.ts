// @vitest-environment jsdom
import { render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { domOfComponents } from '$lib/ui/testing'
import { resultParts } from './acpResult'
import { MessageState } from './message.svelte'
import PlanCard from './PlanCard.svelte'
import { planOf, plansOf } from './plan'

domOfComponents()

const entries = (...states: string[]) => ({ entries: states.map((status, i) => ({ content: `step ${i}`, priority: 'high', status })) })
const message = (id: string, name: string, args: unknown) =>
  MessageState.of({ role: 'assistant', text: '', toolCalls: [{ id, name, arguments: JSON.stringify(args) }] })

test('an answer has one plan: at the first call, with the latest entries', () => {
  const answer = [
    message('a', 'acp_plan', entries('in_progress', 'pending')),
    message('b', 'acp_read', {}),
    message('c', 'acp_plan', entries('completed', 'in_progress')),
    message('d', 'acp_plan', 'broken'),
  ]
  expect(plansOf(answer)).toMatchObject({ first: 'a', changes: 1, entries: [{ status: 'completed' }, { status: 'in_progress' }] })
  expect(plansOf(answer.slice(1, 2))).toBeUndefined()
})

test.each(['', 'null', '[]', '{"entries":3}'])('%j is no plan', (text) => expect(planOf(text)).toBeUndefined())

test('an entry may be anything, and a plan has an end', () => {
  expect(planOf(JSON.stringify({ entries: [null, 3, { content: ' ' }, { content: 4 }, { content: 'x', status: '<b>' }] }))).toEqual([
    { content: 'x', status: 'pending' },
  ])
  expect(planOf(JSON.stringify(entries(...Array<string>(5000).fill('pending'))))).toHaveLength(200)
})

test('the card shows each entry with its state, as text', () => {
  const plan = planOf(
    JSON.stringify({
      entries: [
        { content: 'Find <b>callers</b>\u202e', status: 'completed' },
        { content: 'Change it', status: 'in_progress' },
        { content: 'Test it', status: 'pending' },
      ],
    }),
  )!
  render(PlanCard, { call: 'a', index: 0, entries: plan, changes: 2, running: true })
  expect(screen.getByRole('region', { name: 'Plan' }).textContent).toContain('1 of 3')
  expect(screen.getByText('changed 2 times')).toBeTruthy()
  expect(screen.getAllByRole('listitem').map((li) => li.textContent.replace(/\s+/g, ' ').trim())).toEqual([
    'Find <b>callers</b>U+202E done',
    'Change it in progress',
    'Test it to do',
  ])
  expect(document.querySelectorAll('.dot.running')).toHaveLength(1)
})

test('a step that was in progress when the agent stopped does not run any more', () => {
  render(PlanCard, { call: 'a', index: 0, entries: [{ content: 'x', status: 'in_progress' }], changes: 0, running: false })
  expect([document.querySelectorAll('.dot.running').length, document.querySelectorAll('.dot.interrupted').length]).toEqual([0, 1])
})

test('a result is split at its differences', () => {
  const diff = ['--- a.md', '+++ a.md', '@@ -1,2 +1,2 @@', ' ```diff', '-x', '+y'].join('\n')
  const text = `Changed.\n\n\`\`\`diff\n${diff}\n\`\`\`\nand\n\`\`\`\`diff\n--- /dev/null\n+++ new.go\n@@ -0,0 +1 @@\n+z\n\`\`\`\``
  expect(resultParts(text)).toEqual([
    { text: 'Changed.' },
    {
      path: 'a.md',
      lines: [
        { op: '@', text: '@@ -1,2 +1,2 @@' },
        { op: ' ', text: '```diff' },
        { op: '-', text: 'x' },
        { op: '+', text: 'y' },
      ],
    },
    { text: 'and' },
    {
      path: 'new.go',
      lines: [
        { op: '@', text: '@@ -0,0 +1 @@' },
        { op: '+', text: 'z' },
      ],
    },
  ])
})

test('a result without differences, or with one that is cut off, keeps its text', () => {
  expect(resultParts('```go\nx\n```')).toEqual([{ text: '```go\nx\n```' }])
  expect(resultParts('```diff\n--- a\n+++ a\n+x')).toEqual([{ path: 'a', lines: [{ op: '+', text: 'x' }] }])
  expect(resultParts('')).toEqual([])
})

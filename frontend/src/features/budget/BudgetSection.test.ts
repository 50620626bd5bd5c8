// @vitest-environment jsdom
import { render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import type { agenttree, notebook } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import BudgetSection from './BudgetSection.svelte'

domOfComponents()
const spent: notebook.Spent = {
  input: 1,
  cached: 0,
  output: 1,
  reasoning: 0,
  cost: '$0.04',
  requests: 4,
  unpriced: 0,
  counted: true,
  estimated: false,
  budget: 0,
  percent: 0,
}
const facts = () => Object.fromEntries(screen.getAllByRole('term').map((t) => [t.textContent, t.nextElementSibling!.textContent]))

test('the cost of an agent is shown with that of the agents below it, if any', async () => {
  const { rerender } = render(BudgetSection, { spent, onset: async () => {} })
  expect(facts()).toEqual({ Spent: '$0.04', Requests: '4' })
  const whole: agenttree.Total = { tokens: 9, input: 5, cached: 0, cost: 0.15e9, estimated: true }
  await rerender({ whole })
  expect(facts()).toEqual({ Spent: '$0.04', 'With the agents below': '~$0.15', Requests: '4' })
})

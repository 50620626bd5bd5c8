import { expect, test } from 'vitest'
import { MessageState } from './message.svelte'

test('the agents that a call started come with the finished message, and again once they exist', () => {
  const view = { role: 'assistant', text: 'I split this.', toolCalls: [{ id: 'x', name: 'self_fork', arguments: '{}' }] }
  const m = MessageState.of(view)
  expect(m.startedBy('x')).toEqual([])
  const children = [
    { uuid: '1', name: 'Same' },
    { uuid: '2', name: 'Same' },
  ]
  m.put({ ...view, forks: [{ call: 'x', children }] })
  expect([m.startedBy('x'), m.startedBy('y')]).toEqual([children, []])
})

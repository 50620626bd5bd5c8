import { expect, test } from 'vitest'
import { askedBy, askedFor, saidTo } from './agentCalls'

test('the agents of a fork, with the first line of their tasks', () => {
  expect(askedFor(JSON.stringify({ children: [{ name: ' A\n b ', prompt: 'do it\nwell' }, { prompt: 'x' }, 3, null] }))).toEqual([
    { name: 'A b', task: 'do it' },
    { name: 'Child 2', task: 'x' },
    { name: 'Child 3', task: '' },
    { name: 'Child 4', task: '' },
  ])
})
test.each(['', '{"children":[{"na', '{}', '[]', 'null', '{"children":{}}'])('%s asks for none', (args) =>
  expect(askedFor(args)).toEqual([]),
)

test('the question, and the answer', () => {
  expect(askedBy('{"question":"Which?","choices":["a",3]}')).toEqual({ question: 'Which?', choices: ['a'] })
  expect(askedBy('{"question":')).toEqual({ question: '', choices: [] })
  expect(saidTo({ text: 'for the model', facts: { answer: 'a\n\nand b' } })).toEqual({ kind: 'answer', text: 'a\n\nand b' })
  expect(saidTo({ text: 'for the model', facts: { declined: true, reason: 'busy' } })).toEqual({ kind: 'declined', text: 'busy' })
  expect(saidTo({ text: 'for the model', facts: { declined: true } })).toEqual({ kind: 'declined', text: '' })
  // A notebook of an earlier program has only the text.
  expect(saidTo({ text: 'The person answers: a' })).toEqual({ kind: 'text', text: 'The person answers: a' })
})

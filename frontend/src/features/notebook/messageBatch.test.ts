// @vitest-environment jsdom
import { describe, expect, test } from 'vitest'
import { CellState } from './cell.svelte'
import { MessageState } from './message.svelte'
import { guessHeight, Heights, BATCH, stays, batchStarts } from './messageBatch'

describe('batches of an answer', () => {
  test('every message is in a batch', () => {
    expect(batchStarts(0)).toEqual([])
    expect(batchStarts(1)).toEqual([0])
    expect(batchStarts(BATCH)).toEqual([0])
    expect(batchStarts(2 * BATCH + 1)).toEqual([0, BATCH, 2 * BATCH])
  })

  test('more text and more calls give a larger estimate, results take no room of their own', () => {
    const call = { id: 'a', name: 'ls', arguments: '{}' }
    const short = MessageState.of({ role: 'assistant', text: 'short', toolCalls: [call] })
    const long = MessageState.of({ role: 'assistant', text: 'long '.repeat(500), toolCalls: [call, call] })
    const result = MessageState.of({ role: 'tool', text: 'result '.repeat(500), toolCallId: 'a' })
    expect(guessHeight([short])).toBeGreaterThan(20)
    expect(guessHeight([long])).toBeGreaterThan(guessHeight([short]) + 500)
    expect(guessHeight([short, result])).toBe(guessHeight([short]))
  })

  test('a height is valid for its cell at the width of its measurement', () => {
    const cell = new CellState('a')
    Heights.of(cell).set(0, 700, 320)
    expect(Heights.of(cell).get(0, 700)).toBe(320)
    expect(Heights.of(cell).get(BATCH, 700)).toBeUndefined()
    expect(Heights.of(cell).get(0, 500)).toBeUndefined()
    expect(Heights.of(new CellState('a')).get(0, 700)).toBeUndefined()
    Heights.of(cell).set(BATCH, 500, 100)
    expect(Heights.of(cell).get(0, 500)).toBeUndefined()
  })

  test('a batch stays if something in it is unfolded or is a question', () => {
    const node = document.createElement('div')
    node.innerHTML = '<button aria-expanded="false"></button>'
    document.body.append(node)
    expect(stays(node)).toBe(false)
    node.querySelector('button')!.setAttribute('aria-expanded', 'true')
    expect(stays(node)).toBe(true)
    node.innerHTML = '<section data-approval="x"></section>'
    expect(stays(node)).toBe(true)
  })
})

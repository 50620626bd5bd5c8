import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MarkdownDoc } from './MarkdownDoc.svelte'
import './MarkdownParser'

describe('a streaming text', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  test('is cut as it arrives, and is complete at its end', () => {
    const doc = new MarkdownDoc()
    doc.show()
    let whole = ''
    for (const piece of ['first ', 'word', 's\n\nsec', 'ond']) {
      doc.append(piece)
      whole += piece
      vi.advanceTimersByTime(200)
      expect(doc.behind).toBe(false)
      expect([...doc.open, ...doc.tail].map((b) => b.src).join('')).toBe(whole)
    }
    doc.finish()
    expect(doc.text).toBe(whole)
    expect([...doc.open, ...doc.tail]).toHaveLength(2)
  })

  test('costs nothing while hidden, and is complete when shown', () => {
    const doc = new MarkdownDoc()
    doc.append('first ')
    const before = doc.tail
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(20)
      doc.append('word ')
    }
    expect(doc.tail).toBe(before)
    const hide = doc.show()
    expect(doc.tail.map((b) => b.src).join('')).toBe('first ' + 'word '.repeat(20))
    hide()
    doc.append('unseen')
    vi.advanceTimersByTime(500)
    expect(doc.behind).toBe(false)
    doc.append(' and more'.repeat(1000))
    expect(doc.behind).toBe(true)
    doc.show()
    expect(doc.tail.map((b) => b.src).join('')).toContain('unseen and more')
    expect(doc.behind).toBe(false)
  })

  test('is drawn to its end once it is complete, also where text that arrives would wait', () => {
    const doc = new MarkdownDoc()
    doc.show()
    let clock = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 10))
    doc.append('first ')
    doc.append('and second')
    expect(doc.tail.map((b) => b.src).join('')).toBe('first ')
    doc.finish()
    expect(doc.tail.map((b) => b.src).join('')).toBe('first and second')
  })

  test('makes no room below itself for the few words that wait while a long block is parsed', () => {
    const doc = new MarkdownDoc()
    doc.show()
    // Parsing takes as long as on a slow machine: text that arrives meanwhile waits.
    const now = vi.spyOn(performance, 'now')
    let clock = 0
    now.mockImplementation(() => (clock += 10))
    doc.append('first ')
    doc.append('and second')
    expect(doc.tail.map((b) => b.src).join('')).toBe('first ')
    expect(doc.behind).toBe(false)
    doc.append(' and much more'.repeat(1000))
    expect(doc.behind).toBe(true)
    vi.advanceTimersByTime(1000)
    expect(doc.behind).toBe(false)
    expect(doc.tail.map((b) => b.src).join('')).toBe('first and second' + ' and much more'.repeat(1000))
    now.mockRestore()
  })
})

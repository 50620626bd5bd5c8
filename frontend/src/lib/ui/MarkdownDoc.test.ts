import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MarkdownDoc } from './MarkdownDoc.svelte'

describe('a text that streams in', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  test('is cut twenty times a second, however many pieces come, and at once when it begins', () => {
    const doc = new MarkdownDoc()
    doc.show()
    const seen = new Set<unknown>()
    doc.append('first ')
    expect(doc.tail.map((b) => b.src).join('')).toBe('first ')
    for (let i = 0; i < 200; i++) {
      vi.advanceTimersByTime(5)
      doc.append('word ')
      seen.add(doc.tail)
    }
    expect(seen.size).toBeGreaterThan(10)
    expect(seen.size).toBeLessThan(23)
    vi.advanceTimersByTime(100)
    doc.finish()
    expect(doc.behind).toBe(false)
    expect(doc.tail.map((b) => b.src).join('')).toBe('first ' + 'word '.repeat(200))
  })

  test('costs nothing while nobody looks, and is all there when somebody does', () => {
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
    expect(doc.behind).toBe(true)
    doc.show()
    expect(doc.tail.map((b) => b.src).join('')).toContain('unseen')
  })
})

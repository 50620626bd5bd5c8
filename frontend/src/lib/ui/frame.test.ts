// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Frame } from './frame'

const FRAME_MS = 16

describe('frames', () => {
  let done: string[] = []
  /** The time that work took so far. */
  let worked = 0
  let FrameClass: typeof Frame
  let frame: (name: string, took?: number) => Frame
  beforeEach(async () => {
    vi.resetModules() // what a test leaves behind would count for the next
    FrameClass = (await import('./frame')).Frame
    frame = (name, took = 0) =>
      new FrameClass(() => {
        done.push(name)
        worked += took
      })
    done = []
    vi.useFakeTimers()
    worked = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + worked)
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
  const press = () => dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }))

  it('works once in the next frame, however often it was asked', () => {
    const one = frame('one')
    one.ask()
    one.ask()
    expect(done).toEqual([])
    vi.advanceTimersByTime(FRAME_MS)
    expect(done).toEqual(['one'])
    vi.advanceTimersByTime(200)
    expect(done).toEqual(['one'])
  })

  it('gives each frame of the screen to one of several that take long, the longest waiting first', () => {
    const [one, two] = [frame('one', 4), frame('two', 4)]
    one.ask()
    two.ask()
    vi.advanceTimersByTime(FRAME_MS)
    expect(done).toEqual(['one'])
    one.ask()
    vi.advanceTimersByTime(FRAME_MS)
    expect(done).toEqual(['one', 'two'])
    vi.advanceTimersByTime(FRAME_MS)
    expect(done).toEqual(['one', 'two', 'one'])
  })

  it('gives one frame to many that take no time, such as notebooks that are not shown', () => {
    const many = Array.from({ length: 20 }, (_, i) => frame(`${i}`))
    for (const one of many) one.ask()
    vi.advanceTimersByTime(FRAME_MS)
    expect(done).toHaveLength(20)
  })

  it('draws the other notebooks when one fails', () => {
    const fault = new FrameClass(() => {
      throw new Error('a notebook failed')
    })
    const other = frame('other')
    fault.ask()
    other.ask()
    expect(() => vi.advanceTimersByTime(FRAME_MS)).toThrow('a notebook failed')
    vi.advanceTimersByTime(2 * FRAME_MS)
    expect(done).toEqual(['other'])
  })

  it('rests after a drawing that took long', () => {
    const slow = frame('slow', 100) // a rest of three frames
    slow.ask()
    vi.advanceTimersByTime(FRAME_MS)
    slow.ask()
    vi.advanceTimersByTime(3 * FRAME_MS)
    expect(done).toEqual(['slow'])
    vi.advanceTimersByTime(2 * FRAME_MS)
    expect(done).toEqual(['slow', 'slow'])
  })

  it('leaves the frame after a key to what was typed, but not every frame to a key that is held', () => {
    const one = frame('one')
    one.ask()
    for (let i = 0; i < 4; i++) {
      press()
      vi.advanceTimersByTime(FRAME_MS)
      expect(done).toEqual([])
    }
    press()
    vi.advanceTimersByTime(FRAME_MS)
    expect(done).toEqual(['one'])
  })

  it('leaves the frame in which dots turn to them, where they turn in steps', () => {
    const one = frame('one')
    const drawnIn = (ms: number) => {
      done = []
      one.ask()
      vi.advanceTimersByTime(ms)
      return done
    }
    document.documentElement.dataset.engine = 'webkitgtk'
    try {
      vi.advanceTimersByTime(496 - (performance.now() % 500)) // the next frame is beyond the half second
      expect(drawnIn(FRAME_MS)).toEqual([])
      expect(drawnIn(FRAME_MS)).toEqual(['one'])
      vi.advanceTimersByTime(200)
      expect(drawnIn(FRAME_MS)).toEqual(['one'])
    } finally {
      delete document.documentElement.dataset.engine
    }
    vi.advanceTimersByTime(496 - (performance.now() % 500))
    expect(drawnIn(FRAME_MS)).toEqual(['one'])
  })

  it('works without frames when the window draws none', () => {
    vi.stubGlobal('requestAnimationFrame', () => 0)
    const [one, two] = [frame('one'), frame('two')]
    one.ask()
    two.ask()
    vi.advanceTimersByTime(90)
    expect(done).toEqual(['one', 'two'])
  })

  it('works at once, or never, where that is requested', () => {
    const [one, two] = [frame('one'), frame('two')]
    one.ask()
    two.ask()
    two.now()
    one.cancel()
    expect(done).toEqual(['two'])
    vi.advanceTimersByTime(200)
    expect(done).toEqual(['two'])
  })
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EventStream, LineSplitter, silenceMs, type BackendEvent, type Connection } from './events'
import { Fault } from './fault'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('LineSplitter', () => {
  const lines = ['{"a":"€ 漢字 🌿"}', '{"b":2}', '{"c":"\\n"}']
  const whole = bytes(lines.join('\n') + '\n')

  test('gives the same lines wherever the chunks are cut', () => {
    for (let cut = 0; cut <= whole.length; cut++) {
      const splitter = new LineSplitter()
      expect([...splitter.push(whole.subarray(0, cut)), ...splitter.push(whole.subarray(cut))]).toEqual(lines)
    }
  })
  test('gives the same lines byte by byte', () => {
    const splitter = new LineSplitter()
    expect([...whole].flatMap((b) => splitter.push(Uint8Array.of(b)))).toEqual(lines)
  })
  test('holds a line back until its newline, and drops empty ones', () => {
    const splitter = new LineSplitter()
    expect(splitter.push(bytes('\n\r\n{"a"'))).toEqual([])
    expect(splitter.push(bytes(':1}\r\n'))).toEqual(['{"a":1}'])
  })
})

/** A stream that the test feeds by hand, with the requests it received. */
class Line {
  readonly stream: ReadableStream<Uint8Array>
  #to!: ReadableStreamDefaultController<Uint8Array>
  constructor(
    readonly since: number,
    readonly signal: AbortSignal,
  ) {
    this.stream = new ReadableStream({ start: (c) => void (this.#to = c) })
  }
  send(...events: object[]) {
    this.#to.enqueue(bytes(events.map((e) => JSON.stringify(e) + '\n').join('')))
  }
  raw(text: string) {
    this.#to.enqueue(bytes(text))
  }
  close() {
    this.#to.close()
  }
}

const saved = (seq: number) => ({ seq, type: 'notebookSaved', data: { path: 'a.mtm', atMs: seq } })
const heartbeat = { seq: 0, type: 'heartbeat' }

describe('EventStream', () => {
  let lines: Line[], events: BackendEvent[], states: Connection[], loads: number, stream: EventStream
  let load: () => Promise<number>, open: ((n: number) => void) | undefined

  beforeEach(() => {
    vi.useFakeTimers()
    lines = []
    events = []
    states = []
    loads = 0
    open = undefined
    load = () => Promise.resolve(10 * ++loads)
    stream = new EventStream({
      load: () => load(),
      onEvent: (e) => void events.push(e),
      onConnection: (c) => void states.push(c),
      open: (since, signal) => {
        open?.(since)
        const line = new Line(since, signal)
        lines.push(line)
        return Promise.resolve(line.stream)
      },
    })
  })
  afterEach(() => {
    stream.stop()
    vi.useRealTimers()
  })
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

  test('loads the state before following', async () => {
    void stream.follow()
    await settle()
    expect(loads).toBe(1)
    expect(lines.map((l) => l.since)).toEqual([10])
    lines[0]!.send(heartbeat, saved(11), saved(12))
    await settle()
    expect(events.map((e) => e.seq)).toEqual([11, 12])
    expect(states.map((s) => s.state)).toEqual(['connecting', 'open'])
  })

  test('drops events that the state includes', async () => {
    void stream.follow()
    await settle()
    lines[0]!.send(saved(9), saved(10), saved(11), saved(11))
    await settle()
    expect(events.map((e) => e.seq)).toEqual([11])
  })

  test('resumes after the last event when the connection ends', async () => {
    void stream.follow()
    await settle()
    lines[0]!.send(saved(11))
    lines[0]!.close()
    await settle()
    expect(states.at(-1)).toMatchObject({ state: 'lost' })
    await settle(1000)
    expect(loads).toBe(1)
    expect(lines.map((l) => l.since)).toEqual([10, 11])
    lines[1]!.send(saved(12))
    await settle()
    expect(events.map((e) => e.seq)).toEqual([11, 12])
    expect(states.at(-1)).toEqual({ state: 'open' })
  })

  test.each([
    ['a gap', (l: Line) => l.send(saved(13))],
    ['a reset', (l: Line) => l.send({ seq: 99, type: 'reset' })],
    ['a line that is not JSON', (l: Line) => l.raw('{"seq":11,\n')],
  ])('%s loads everything again', async (_name, happen) => {
    void stream.follow()
    await settle()
    happen(lines[0]!)
    await settle()
    expect(events).toEqual([])
    expect(loads).toBe(2)
    expect(lines.map((l) => l.since)).toEqual([10, 20])
    expect(lines[0]!.signal.aborted).toBe(true)
  })

  test('a server that only resets is not flooded with requests', async () => {
    void stream.follow()
    for (let i = 0; i < 200; i++) {
      const line = lines.at(-1)
      if (line && !line.signal.aborted) line.send({ seq: 1, type: 'reset' })
      await settle(50)
    }
    expect(loads).toBeGreaterThan(2)
    expect(loads).toBeLessThan(12)
  })

  test('silence counts as a dead connection, heartbeats as life', async () => {
    void stream.follow()
    await settle()
    for (let i = 0; i < 5; i++) {
      lines[0]!.send(heartbeat)
      await settle(silenceMs - 1000)
    }
    expect(lines).toHaveLength(1)
    await settle(1001)
    expect(lines[0]!.signal.aborted).toBe(true)
    expect(states.at(-1)).toMatchObject({ state: 'lost', reason: expect.stringContaining('15 seconds') as string })
    await settle(1000)
    expect(lines).toHaveLength(2)
  })

  test('waits longer and longer, and retryNow ends the wait', async () => {
    open = () => {
      throw new Fault('internal', 'gone')
    }
    const attempts: number[] = []
    const start = Date.now()
    load = () => {
      attempts.push(Date.now() - start)
      return Promise.reject(new Fault('internal', 'gone'))
    }
    void stream.follow()
    await settle(20_000)
    const waits = attempts.slice(1).map((at, i) => at - attempts[i]!)
    expect(waits[0]).toBeLessThan(400)
    expect(Math.max(...waits)).toBeGreaterThan(3900)
    expect(Math.max(...waits)).toBeLessThan(6100)
    expect(states.at(-1)).toMatchObject({ state: 'lost', reason: 'gone', sinceMs: start })
    const before = attempts.length
    await settle(10)
    stream.retryNow()
    await settle()
    expect(attempts.length).toBe(before + 1)
  })

  test('an event that the page cannot apply reloads everything', async () => {
    const quiet = vi.spyOn(console, 'error').mockReturnValue()
    events.push = () => {
      throw new Error('no such cell')
    }
    void stream.follow()
    await settle()
    lines[0]!.send(saved(11))
    await settle()
    expect(loads).toBe(2)
    expect(quiet).toHaveBeenCalledOnce()
  })

  test('stop ends it, whatever it waits for', async () => {
    const ended = stream.follow()
    await settle()
    stream.stop()
    await ended
    expect(lines[0]!.signal.aborted).toBe(true)
    await settle(60_000)
    expect(lines).toHaveLength(1)
  })

  test('silence counts from the last piece that arrived, whatever it held', async () => {
    void stream.follow()
    await settle()
    for (let i = 0; i < 4; i++) {
      await settle(silenceMs - 1000)
      lines[0]!.raw(i % 2 ? '\n' : ' ')
      await settle()
    }
    expect(lines).toHaveLength(1)
    await settle(silenceMs - 1)
    expect(states.at(-1)).toEqual({ state: 'open' })
    await settle(1)
    expect(states.at(-1)).toMatchObject({ state: 'lost' })
    expect(lines[0]!.signal.aborted).toBe(true)
  })

  test('events of a connection that was given up are ignored', async () => {
    void stream.follow()
    await settle()
    await settle(silenceMs)
    // Its reader is cancelled: nothing can arrive from it any more.
    expect(() => lines[0]!.send(saved(11))).toThrow()
    await settle(1000)
    expect(lines.map((l) => l.since)).toEqual([10, 10])
    lines[1]!.send(saved(11), saved(12))
    await settle()
    expect(events.map((e) => e.seq)).toEqual([11, 12])
  })
})

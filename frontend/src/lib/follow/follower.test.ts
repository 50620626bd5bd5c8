import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Fault } from '$lib/backend/fault'
import { Follower } from './follower'

interface Question {
  of: string
  text: string
}

/** A follower whose answers the test controls. */
function held() {
  const asked: { question: Question; signal: AbortSignal; answer: (a: string) => void; fail: (f: Fault) => void }[] = []
  const told: string[] = []
  const follower = new Follower<Question, string>({
    ask: (question, signal) => new Promise((answer, fail) => asked.push({ question, signal, answer, fail })),
    subject: (q) => q.of,
    answered: (a, q) => told.push(`${q.of}/${q.text}: ${a}`),
    failed: (f, q) => told.push(`${q.of}/${q.text} failed: ${f.message}`),
  })
  return { follower, asked, told, texts: () => asked.map((a) => `${a.question.of}/${a.question.text}`) }
}
const settle = () => vi.advanceTimersByTimeAsync(0)

describe('Follower', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('typed text is requested when the typing rests', async () => {
    const { follower, asked, told, texts } = held()
    follower.ask({ of: 'a', text: '' }, 400)
    expect(texts()).toEqual(['a/'])
    asked[0]!.answer('0')
    await settle()
    for (const text of ['h', 'he', 'hey']) {
      follower.ask({ of: 'a', text }, 400)
      await vi.advanceTimersByTimeAsync(300)
    }
    expect(texts()).toEqual(['a/'])
    await vi.advanceTimersByTimeAsync(100)
    expect(texts()).toEqual(['a/', 'a/hey'])
    asked[1]!.answer('1')
    await settle()
    expect(told).toEqual(['a/: 0', 'a/hey: 1'])
  })

  test('a slow answer delays the next request, and only the newest is sent', async () => {
    const { follower, asked, told, texts } = held()
    follower.ask({ of: 'a', text: '1' })
    for (const text of ['2', '3']) {
      follower.ask({ of: 'a', text }, 10)
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(texts()).toEqual(['a/1'])
    asked[0]!.answer('one')
    await settle()
    expect(texts()).toEqual(['a/1', 'a/3'])
    asked[1]!.answer('three')
    await settle()
    expect(told).toEqual(['a/1: one', 'a/3: three'])
    expect(asked).toHaveLength(2)
  })

  test('another subject is requested at once, and the late answer is dropped', async () => {
    const { follower, asked, told, texts } = held()
    follower.ask({ of: 'a', text: 'x' })
    follower.ask({ of: 'b', text: 'y' }, 400)
    expect(texts()).toEqual(['a/x', 'b/y'])
    expect(asked[0]!.signal.aborted).toBe(true)
    asked[1]!.answer('new')
    asked[0]!.answer('old')
    await settle()
    expect(told).toEqual(['b/y: new'])
  })

  test('there and back: the first answer of the first visit stays dropped', async () => {
    const { follower, asked, told } = held()
    follower.ask({ of: 'a', text: '1' })
    follower.ask({ of: 'b', text: '1' })
    follower.ask({ of: 'a', text: '1' })
    asked[0]!.answer('first visit')
    asked[2]!.answer('second visit')
    await settle()
    expect(told).toEqual(['a/1: second visit'])
  })

  test('several changes in a row cause one request', async () => {
    const { follower, asked, texts } = held()
    follower.again()
    follower.ask({ of: 'a', text: '' })
    asked[0]!.answer('0')
    await settle()
    for (let i = 0; i < 5; i++) follower.again(50)
    await vi.advanceTimersByTimeAsync(50)
    expect(texts()).toEqual(['a/', 'a/'])
  })

  test('a failure is reported and does not end the following', async () => {
    const { follower, asked, told } = held()
    follower.ask({ of: 'a', text: '1' })
    asked[0]!.fail(new Fault('internal', 'no'))
    await settle()
    follower.again()
    await vi.advanceTimersByTimeAsync(0)
    asked[1]!.answer('yes')
    await settle()
    expect(told).toEqual(['a/1 failed: no', 'a/1: yes'])
  })

  test('after stop nothing is reported or requested', async () => {
    const { follower, asked, told } = held()
    follower.ask({ of: 'a', text: '1' })
    follower.ask({ of: 'a', text: '2' }, 10)
    follower.stop()
    asked[0]!.answer('late')
    await vi.advanceTimersByTimeAsync(1000)
    follower.again()
    await vi.advanceTimersByTimeAsync(1000)
    expect(told).toEqual([])
    expect(asked).toHaveLength(1)
  })
})

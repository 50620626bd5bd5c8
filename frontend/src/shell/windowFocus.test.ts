// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchFront } from './windowFocus'

let focus = true,
  visibility: DocumentVisibilityState = 'visible',
  said: boolean[],
  stop: () => void

const change = (to: { focus?: boolean; visibility?: DocumentVisibilityState }) => {
  focus = to.focus ?? focus
  visibility = to.visibility ?? visibility
  if (to.visibility) document.dispatchEvent(new Event('visibilitychange'))
  else window.dispatchEvent(new Event(focus ? 'focus' : 'blur'))
}

beforeEach(() => {
  vi.useFakeTimers()
  ;[focus, visibility, said] = [true, 'visible', []]
  vi.spyOn(document, 'hasFocus').mockImplementation(() => focus)
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility)
  stop = watchFront((front) => said.push(front))
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

test('reports the state once, and again only when it changes', () => {
  vi.advanceTimersByTime(1000)
  change({ focus: true })
  vi.advanceTimersByTime(1000)
  expect(said).toEqual([true])
  change({ focus: false })
  vi.advanceTimersByTime(1000)
  expect(said).toEqual([true, false])
})

test('a passing focus is not reported', () => {
  vi.advanceTimersByTime(1000)
  change({ focus: false })
  change({ focus: true })
  vi.advanceTimersByTime(1000)
  expect(said).toEqual([true])
})

test('leaving is reported before coming: of two windows the visible one has the last word', () => {
  vi.advanceTimersByTime(1000)
  change({ focus: false })
  vi.advanceTimersByTime(100)
  expect(said).toEqual([true, false])
  change({ focus: true })
  vi.advanceTimersByTime(100)
  expect(said).toEqual([true, false])
  vi.advanceTimersByTime(200)
  expect(said).toEqual([true, false, true])
})

test('a page that goes away reports it at once', () => {
  vi.advanceTimersByTime(1000)
  change({ visibility: 'hidden' })
  expect(said).toEqual([true, false])
})

test('nothing is reported after the end', () => {
  vi.advanceTimersByTime(1000)
  stop()
  change({ visibility: 'hidden' })
  expect(said).toEqual([true])
})

import { expect, test, vi } from 'vitest'
import { Thumbnails, type Picture } from './image'

test('recently drawn thumbnails are kept, the others are freed once they are no longer drawn', () => {
  vi.useFakeTimers()
  const freed: string[] = []
  const picture = (url: string): Picture => ({ url, width: 1, height: 1, free: () => freed.push(url) })
  const kept = new Thumbnails()
  kept.keep('a.mtm', 'x.png', picture('first'))
  kept.keep('b.mtm', 'x.png', picture('other'))
  kept.keep('a.mtm', 'x.png', picture('second'))
  expect([kept.get('a.mtm', 'x.png')?.url, kept.get('b.mtm', 'x.png')?.url, kept.get('a.mtm', 'y.png')]).toEqual([
    'second',
    'other',
    undefined,
  ])
  expect(freed).toEqual([])
  vi.runAllTimers()
  expect(freed).toEqual(['first'])
  for (let i = 0; i < 47; i++) kept.keep('a.mtm', `${i}.png`, picture(`${i}`))
  vi.runAllTimers()
  expect([kept.get('b.mtm', 'x.png'), kept.get('a.mtm', 'x.png')?.url, freed]).toEqual([undefined, 'second', ['first', 'other']])
  vi.useRealTimers()
})

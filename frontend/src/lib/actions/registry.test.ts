import { expect, test } from 'vitest'
import { actions, heardIn, type HeardOf } from './actions'
import { bind, type Meaning } from './registry'

test('a bound action keeps its name and keys, and does nothing while it cannot be done', () => {
  const done: string[] = []
  let open = false
  const ids = heardIn('deck')
  const deck = bind(
    'deck',
    Object.fromEntries(
      ids.map((id) => [id, { when: id === 'fit' ? () => open : undefined, run: () => done.push(id) }]),
    ) as unknown as Record<HeardOf<'deck'>, Meaning>,
  )
  expect(deck.fit).toMatchObject({ id: 'fit', name: actions.deck.fit.name, keys: actions.deck.fit.keys })
  deck.fit.run()
  deck.zoomIn.run()
  open = true
  deck.fit.run()
  expect([deck.zoomIn.when(), deck.fit.when(), done]).toEqual([true, true, ['zoomIn', 'fit']])
})

import { expect, test } from 'vitest'
import { actions, heardIn, type Action, type BindableOf, type Place } from './actions'
import { ActionRegistry, bind, itemOf, type Bound, type Meaning } from './registry'
import { readdirSync, readFileSync } from 'node:fs'

test('a bound action keeps its name and keys, and does nothing while unavailable', () => {
  const done: string[] = []
  let open = false
  const ids = heardIn('deck') as BindableOf<'deck'>[]
  const deck = bind(
    'deck',
    Object.fromEntries(
      ids.map((id) => [id, { when: id === 'fit' ? () => open : undefined, run: () => done.push(id) }]),
    ) as unknown as Record<BindableOf<'deck'>, Meaning>,
  )
  expect(deck.fit).toMatchObject({ id: 'fit', name: actions.deck.fit.name, keys: actions.deck.fit.keys })
  deck.fit.run()
  deck.zoomIn.run()
  open = true
  deck.fit.run()
  expect([deck.zoomIn.when(), deck.fit.when(), done]).toEqual([true, true, ['zoomIn', 'fit']])
})

const agents = (done: string[], possible: () => boolean) =>
  bind('agents', {
    stop: { when: possible, run: () => done.push('stop') },
    pin: { reversed: possible, run: () => done.push('pin') },
    move: { run: (key) => done.push(`move ${key}`) },
  }) as Bound<'agents'>

test('a menu shows the current effect of an action, and a key runs it even while unavailable', () => {
  const done: string[] = []
  let possible = false
  const { stop, pin, move } = agents(done, () => possible)
  expect([itemOf(stop), itemOf(pin)]).toMatchObject([
    { label: 'Stop', disabled: true },
    { label: 'Pin to the top', keys: 'Alt+P', disabled: false },
  ])
  possible = true
  expect([itemOf(stop), itemOf(pin)]).toMatchObject([{ disabled: false }, { label: 'Unpin', icon: actions.agents.pin.reverse.icon }])
  possible = false
  stop.run()
  stop.press('s')
  move.press('ArrowUp')
  expect(done).toEqual(['stop', 'move ArrowUp'])
})

test('the list of all actions has those of the existing places, for what is current in them', () => {
  const registry = new ActionRegistry()
  const done: string[] = []
  const names = () => registry.list().map(({ place, id }) => `${place}.${id}`)
  const leave = registry.offer('agents', () => agents(done, () => true))
  expect(names()).toEqual(['agents.stop', 'agents.pin']) // without those that only move in the list
  registry.list()[0]!.run()
  const leaveOther = registry.offer('agents', () => undefined) // nothing is current
  expect([names(), done]).toEqual([[], ['stop']])
  leave()
  leaveOther()
  expect(names()).toEqual([])
})

test('every action of every place is implemented', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (f) => /\.(svelte|ts)$/.test(f) && !/\.test\.ts$|^lib.actions./.test(f),
  )
  const sources = files.map((file) => readFileSync(`src/${file}`, 'utf8'))
  for (const place of Object.keys(actions) as Place[]) {
    const owners = sources
      .filter((source) => new RegExp(`(?:bind|Keyboard|entryOf|heardIn|registry\\.offer)\\('${place}'`).test(source))
      .join('\n')
    const without = Object.entries<Action>(actions[place]).filter(
      ([id, { native }]) => !native && !new RegExp(`'${id}'|^ +${id}(?:: \\{|: \\(|\\()`, 'm').test(owners),
    )
    expect(
      without.map(([id]) => id),
      place,
    ).toEqual([])
  }
})

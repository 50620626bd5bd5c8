import { expect, test } from 'vitest'
import { InOrder } from './order'
import { wait } from './wait'

/** An InOrder; the test answers its calls. */
function ordered() {
  const sent: { name: string; args: unknown[]; answer: (value: unknown) => void; fail: (thrown: unknown) => void }[] = []
  const page = { closes: false }
  const order = new InOrder(
    (name, args) => new Promise((answer, fail) => sent.push({ name, args, answer, fail })),
    () => page.closes,
  )
  return { order, sent, page, names: () => sent.map(({ name, args }) => `${name} ${JSON.stringify(args.slice(1))}`) }
}
const settle = () => wait(0)

test('calls about a notebook wait for the one before, in order', async () => {
  const { order, sent, names } = ordered()
  void order.call('Edit', ['a', ['1'], 'me'])
  void order.call('Run', ['a', 'cell'])
  void order.call('Edit', ['b', ['2'], 'me'])
  expect(names()).toEqual(['Edit [["1"],"me"]', 'Edit [["2"],"me"]'])
  sent[0]!.answer({ seq: 1 })
  await settle()
  expect(names().at(-1)).toBe('Run ["cell"]')
})

test('what only reads holds up no edit', () => {
  const { order, names } = ordered()
  for (const read of ['Compaction', 'ChildTrees', 'ACPSession']) void order.call(read, ['a'])
  void order.call('Edit', ['a', ['1'], 'me'])
  expect(names().at(-1)).toBe('Edit [["1"],"me"]')
})

test('the edits of a closing page do not wait for an answer, and keep their order', async () => {
  const { order, sent, page, names } = ordered()
  void order.call('Run', ['a', 'cell'])
  const first = order.call('Edit', ['a', ['1'], 'me'])
  void order.call('Continue', ['a', 'cell'])
  page.closes = true
  const last = order.call('Edit', ['a', ['2', '3'], 'me'])
  expect(names()).toEqual(['Run ["cell"]', 'Edit [["1","2","3"],"me"]'])
  sent[1]!.answer({ seq: 7 })
  expect(await Promise.all([first, last])).toEqual([{ seq: 7 }, { seq: 7 }])

  // If the page lives on after all, the other calls go on as usual.
  page.closes = false
  sent[0]!.answer(undefined)
  await settle()
  expect(names().slice(2)).toEqual(['Continue ["cell"]'])
})

test('a failure reaches every edit that was sent together', async () => {
  const { order, sent, page } = ordered()
  void order.call('Run', ['a', 'cell'])
  const first = order.call('Edit', ['a', ['1'], 'me'])
  page.closes = true
  const last = order.call('Edit', ['a', ['2'], 'me'])
  sent[1]!.fail(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  await expect(last).rejects.toThrow('gone')
})

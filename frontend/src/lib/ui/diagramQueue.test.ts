import { describe, expect, test } from 'vitest'
import type { Drawing } from './diagramClean'
import { DiagramQueue } from './diagramQueue'

const stays = new AbortController().signal

/** A queue whose drawings and idle moments the test controls. */
function queue(most?: number) {
  const asked: { source: string; done: (drawing: Drawing) => void; failed: (why: Error) => void }[] = []
  const idles: (() => void)[] = []
  const made = new DiagramQueue(
    (source) => new Promise((done, failed) => asked.push({ source, done, failed })),
    () => new Promise((resolve) => idles.push(resolve)),
    most,
  )
  const turn = async () => {
    await settled()
    idles.shift()?.()
    await settled()
  }
  return { made, asked, idles, turn, names: () => asked.map(({ source }) => source) }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))
const drawing = (svg: string): Drawing => ({ svg, width: 1, height: 1 })

describe('diagrams', () => {
  test('are drawn one after the other, each in an idle moment', async () => {
    const { made, asked, idles, turn, names } = queue()
    const first = made.ask('a', false, stays)
    const second = made.ask('b', false, stays)
    await settled()
    expect([names(), idles.length]).toEqual([[], 1])
    await turn()
    expect([names(), idles.length], 'the next waits for the first').toEqual([['a'], 0])
    asked[0]!.done(drawing('A'))
    await settled()
    expect([names(), idles.length], 'and for the window').toEqual([['a'], 1])
    await turn()
    asked[1]!.done(drawing('B'))
    expect([(await first).svg, (await second).svg]).toEqual(['A', 'B'])
  })

  test('that nobody waits for any longer are not drawn', async () => {
    const { made, asked, turn, names } = queue()
    const gone = new AbortController()
    const [a, b, c] = [made.ask('a', false, stays), made.ask('b', false, gone.signal), made.ask('c', false, stays)]
    const refused = expect(b).rejects.toThrow()
    await turn()
    gone.abort()
    asked[0]!.done(drawing('A'))
    await a
    await refused
    await turn()
    expect(names()).toEqual(['a', 'c'])
    asked[1]!.done(drawing('C'))
    expect((await c).svg).toBe('C')
  })

  test('are cached by source and theme, least recently used dropped first; an invalid one stops nothing', async () => {
    const { made, asked, idles, turn, names } = queue(10)
    const make = async (source: string, svg: string, dark = false) => {
      const asks = made.ask(source, dark, stays)
      await turn()
      asked.at(-1)!.done(drawing(svg))
      return asks
    }
    await make('a', '12345')
    await make('b', '1234')
    expect([made.drawn('a', false)?.svg, made.drawn('a', true)]).toEqual(['12345', undefined])
    await made.ask('a', false, stays)
    expect([names(), idles.length], 'nothing is drawn twice').toEqual([['a', 'b'], 0])
    await make('c', '123')
    expect([made.drawn('b', false), made.drawn('a', false)?.svg, made.drawn('c', false)?.svg]).toEqual([undefined, '12345', '123'])
    const wrong = made.ask('x', false, stays)
    const refused = expect(wrong).rejects.toThrow('no diagram')
    await turn()
    asked.at(-1)!.failed(new Error('no diagram'))
    await refused
    expect((await make('y', '1')).svg).toBe('1')
    await make('huge', '123456789012345')
    expect(made.drawn('huge', false), 'the newest stays, however large').toBeDefined()
  })
})

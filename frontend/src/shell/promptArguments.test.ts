import { expect, test, vi } from 'vitest'
import { argumentStep, quoted, written } from './promptArguments'

test('a value is quoted so that it stays one argument', () => {
  for (const [value, want] of [
    ['Ada', 'Ada'],
    ['Ada L', '"Ada L"'],
    ['艾达 你好', '"艾达 你好"'],
    ['艾达\u3000你好', '"艾达\u3000你好"'],
    ["it's", "it's"],
    ['"Ada"', '""Ada""'],
    ['say "hi" now', `'say "hi" now'`],
    [`say "hi" it's`, `'say "hi" it's'`],
    ['', '""'],
    [`say "hi" it' s`, undefined],
  ])
    expect(quoted(value!)).toBe(want)
  expect(written('demo:greet', ['', 'very kindly', ''])).toBe('/demo:greet "" "very kindly"')
  expect(written('demo:greet', ['', ''])).toBe('/demo:greet ')
})

test('each argument is asked for, required ones need a value, and the server proposes values', async () => {
  const ask = vi.fn(() => Promise.resolve(['Ada', `a "b" c' d`, ' Eve']))
  const done = vi.fn()
  const item = { label: 'demo:greet', arguments: [{ name: 'who', description: 'whom', required: true }, { name: 'how' }] }
  const first = argumentStep(item, ask, done)
  expect([first.crumb, first.search]).toEqual(['who', 'who, required'])
  expect(first.about(undefined)).toBe('Argument 1 of 2 of /demo:greet: whom')
  expect(first.typed!('  ')).toMatchObject({ off: 'it is required' })
  expect(first.typed!(`a "b" c' d`).off).toContain('quotes')
  expect((await first.ask!(' A')).map(({ label }) => label)).toEqual(['Ada'])
  expect(ask).toHaveBeenLastCalledWith('demo:greet', 'who', 'A', {})

  const second = first.typed!(' Ada L ').next!()
  await second.ask!('')
  expect(ask).toHaveBeenLastCalledWith('demo:greet', 'how', '', { who: 'Ada L' })
  second.typed!('').run!()
  expect(done).toHaveBeenLastCalledWith('/demo:greet "Ada L"')
  second.typed!('very kindly').run!()
  expect(done).toHaveBeenLastCalledWith('/demo:greet "Ada L" "very kindly"')
})

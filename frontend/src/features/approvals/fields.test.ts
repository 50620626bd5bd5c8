import { describe, expect, test, vi } from 'vitest'
import { formOf, retyped } from './field.svelte'
import { Fields, wordsOf } from './fields.svelte'
import { indented, spansOf } from './jsonSpans'
import type { Request } from './words'

const fieldsOf = (tool: string, args: string, described?: Record<string, string>) => {
  const onchange = vi.fn()
  return { fields: new Fields({ tool, arguments: args, described } as unknown as Request, onchange), onchange }
}
const shapes = (fields: Fields) => fields.groups.flatMap((g) => g.fields.map((f) => [g.title, f.place.label, f.form, f.text].join('|')))

describe('the arguments', () => {
  test('of edit_file: the file is shown, each replacement is a group, and edits are inserted in place', () => {
    const args = '{ "edits":[ {"old":"a\\u0062","new":"x"} ,{"all":true,"new":"two","old":"1"}], "uri" : "a.txt","k":1.50 }'
    const { fields, onchange } = fieldsOf('edit_file', args)
    expect(shapes(fields)).toEqual([
      '|File|shown|a.txt',
      '|K|number|1.50',
      'Replacement 1 of 2|Old text|text|ab',
      'Replacement 1 of 2|New text|text|x',
      'Replacement 2 of 2|Replace every occurrence|switch|true',
      'Replacement 2 of 2|New text|text|two',
      'Replacement 2 of 2|Old text|text|1',
    ])
    expect([fields.json, fields.changed]).toEqual([args, false])
    fields.groups[1]!.fields[1]!.text = 'y "z"\n'
    fields.groups[2]!.fields[0]!.text = 'false'
    expect(onchange).toHaveBeenCalledTimes(2)
    expect(fields.json).toBe(
      '{ "edits":[ {"old":"a\\u0062","new":"y \\"z\\"\\n"} ,{"all":false,"new":"two","old":"1"}], "uri" : "a.txt","k":1.50 }',
    )
    fields.reset()
    expect([fields.json, fields.changed]).toEqual([args, false])
  })

  test('retyping the original is not a change', () => {
    const { fields } = fieldsOf('mkdir', '{"uri":"a\\/b"}')
    fields.named('uri')!.text = 'c'
    fields.named('uri')!.text = 'a/b'
    expect([fields.changed, fields.json]).toEqual([false, '{"uri":"a\\/b"}'])
  })

  test('of any tool keep their types, and untouched ones their text: large numbers, escapes, spaces', () => {
    const args =
      '{"id":12345678901234567890,"ratio":1e-3,"deep":{"n":[1.50,12345678901234567890,{}]},"tags":["x","y"],"on":true,"none":null,"note":"caf\\u00e9"}'
    const { fields } = fieldsOf('mcp__do', args, { ratio: 'how much of it', tags: 'names\u202e' })
    expect(fields.all.map((f) => [f.place.label, f.form, f.place.hint].join('|'))).toEqual([
      'Id|number|',
      'Ratio|number|how much of it',
      'Deep, as JSON|json|',
      'Tags|lines|names⟨U+202E⟩',
      'On|switch|',
      'None, as JSON|json|',
      'Note|text|',
    ])
    expect(fields.named('deep')!.text).toBe('{\n  "n": [\n    1.50,\n    12345678901234567890,\n    {}\n  ]\n}')
    fields.named('ratio')!.text = ' 2.50 '
    fields.named('tags')!.text = 'x\nz w\n\n'
    fields.named('on')!.text = 'false'
    fields.named('deep')!.text = '{"n":[2,12345678901234567890]}'
    expect(fields.problem).toBe('')
    expect(fields.json).toBe(
      '{"id":12345678901234567890,"ratio":2.50,"deep":{"n":[2,12345678901234567890]},"tags":["x","z w"],"on":false,"none":null,"note":"caf\\u00e9"}',
    )
    fields.named('tags')!.text = ''
    expect(JSON.parse(fields.json)).toMatchObject({ tags: [] })
  })

  test('that are invalid say which and why', () => {
    const { fields } = fieldsOf('any', '{"max_depth":3,"options":{"a":1},"list":[[1]]}')
    const problem = (name: string, text: string) => {
      fields.reset()
      fields.named(name)!.text = text
      return fields.problem
    }
    for (const text of ['', 'x', '1,5', '01', '1e', 'NaN', '0x1'])
      expect(problem('max_depth', text)).toBe('Max depth: this is not a number.')
    for (const text of ['-4', '0.5', '1E6', ' 7 ']) expect(problem('max_depth', text)).toBe('')
    expect(problem('options', '{"a":')).toMatch(/^Options, as JSON: this is not JSON\. ./)
    expect(problem('options', '[1]')).toBe('Options, as JSON: this is not a JSON object.')
    expect(problem('list', '{}')).toBe('List, as JSON: this is not a JSON list.')
    expect(problem('list', '[]')).toBe('')
    const shell = fieldsOf('shell', '{"command":"ls"}').fields
    shell.named('command')!.text = ' \n'
    expect(shell.problem).toBe('There is no command left.')
  })

  test('the argument to edit first comes first, whatever order the agent used', () => {
    expect(shapes(fieldsOf('shell', '{"background":true,"timeout_seconds":5,"command":"ls"}').fields)).toEqual([
      '|The command|text|ls',
      '|Run in the background|switch|true',
      '|Timeout in seconds|number|5',
    ])
    expect(shapes(fieldsOf('write_file', '{"content":"c","uri":"u"}').fields)).toEqual(['|File|shown|u', '|The whole new content|text|c'])
  })

  test.each([
    ['no object', '[1]', '[1]'],
    ['no JSON', '{"a":', '{"a":'],
    ['none', '{}', '{}'],
    ['too many', JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 1]))), undefined],
  ])('%s are edited as one text', (_name, args, text) => {
    const { fields } = fieldsOf('any', args)
    expect(fields.all.map((f) => [f.place.label, f.form])).toEqual([['The arguments, as JSON', 'json']])
    if (text !== undefined) expect(fields.all[0]!.text).toBe(text)
    fields.all[0]!.text = '[]'
    expect(fields.problem).toMatch(/not a JSON object/)
    fields.all[0]!.text = '{"n": 2}'
    expect([fields.problem, fields.json]).toEqual(['', '{"n": 2}'])
  })

  test('that share a name are each edited in place', () => {
    const { fields } = fieldsOf('any', '{"a":"1","a":"2"}')
    fields.all[1]!.text = '3'
    expect(fields.json).toBe('{"a":"1","a":"3"}')
  })

  test('a list that is long or has nested objects stays JSON', () => {
    expect(shapes(fieldsOf('any', '{"l":[{"a":{"b":1}}]}').fields)[0]).toMatch(/^\|L, as JSON\|json/)
    expect(shapes(fieldsOf('any', '{"l":[{"a":null}]}').fields)).toEqual(['L|A, as JSON|json|null'])
    expect(fieldsOf('any', JSON.stringify({ l: Array.from({ length: 101 }, () => ({ a: 1 })) })).fields.all).toHaveLength(1)
  })
})

test('a list is edited as lines if each of its texts is one line', () => {
  expect([['a', 'b'], ['a', ''], ['a\nb'], [], ['a', 1]].map(formOf)).toEqual(['lines', 'json', 'json', 'json', 'json'])
})

test('untouched line endings stay', () => {
  expect(retyped('a\nb', 'a\nc\n')).toBe('a\nc\n')
  expect(retyped('a\r\nb\r\nc', 'a\nb2\nnew\nc')).toBe('a\r\nb2\r\nnew\r\nc')
  expect(retyped('a\r\nb\nc\r\n', 'a\nB\nc\n')).toBe('a\r\nB\nc\r\n')
  expect(retyped('a\rb\r\n', 'a\nb\nc\n')).toBe('a\rb\r\nc\r\n')
  expect(retyped('\r\n\r\n', '\n')).toBe('\r\n')
  expect(retyped('x\r\n', '')).toBe('')
})

test('positions and levels of JSON', () => {
  const json = ' { "a\\"}" : [1, {"b":"]"} ] ,"c":-1.5e3 } '
  expect(spansOf(json).map((s) => [s.name, json.slice(s.from, s.to)])).toEqual([
    ['a"}', '[1, {"b":"]"} ]'],
    ['c', '-1.5e3'],
  ])
  expect(spansOf('[]')).toEqual([])
  for (const value of [json, '[]', '{"a":{}}', '"x,:y"', '[[[]],{"a":[{}]}]']) {
    expect(indented(value)).toBe(JSON.stringify(JSON.parse(value), null, 2).replace('-1500', '-1.5e3'))
  }
})

test('names are read as words', () => {
  expect(['maxDepth', 'max_depth', 'URL', 'baseURL', 'a', 'file-name.now', '__', 'x\u202ey', 'größeMax'].map(wordsOf)).toEqual([
    'Max depth',
    'Max depth',
    'URL',
    'Base URL',
    'A',
    'File name now',
    '“__”',
    'X⟨U+202E⟩y',
    'Größe max',
  ])
})

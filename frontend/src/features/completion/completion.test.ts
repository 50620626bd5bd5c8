// @vitest-environment jsdom
import { CompletionContext, completionStatus } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { complete } from '$lib/backend/backend'
import { commandAt, completion, matchRanges, restOf, source, typedAt, type Ask } from './completion'
import { eventually } from '$lib/testing/waits'

describe('the typed text', () => {
  test.each<[string, ReturnType<typeof typedAt>]>([
    ['', undefined],
    ['see @', { kind: 'at', from: 4, query: '', digits: '' }],
    ['see @src/ma', { kind: 'at', from: 4, query: 'src/ma', digits: '' }],
    ['see @[src/my file', { kind: 'at', from: 4, query: 'src/my file', digits: '' }],
    ['(@文', { kind: 'at', from: 1, query: '文', digits: '' }],
    ['请看@src/a', { kind: 'at', from: 2, query: 'src/a', digits: '' }],
    ['見て@', { kind: 'at', from: 2, query: '', digits: '' }],
    ['请看{{REG', { kind: 'macro', from: 2, query: 'REG', digits: '' }],
    ['me@example', undefined],
    ['a.@b', undefined],
    ['@@', undefined],
    ['see @[done] and', undefined],
    ['see @done and', undefined],
    ['@[a.go:', { kind: 'range', from: 0, query: 'a.go', digits: '' }],
    ['@[a.go:10', { kind: 'range', from: 0, query: 'a.go', digits: '10' }],
    ['@[a.go:10:20', { kind: 'range', from: 0, query: 'a.go', digits: '10:20' }],
    ['@[a.go:1:2:3', { kind: 'range', from: 0, query: 'a.go:1', digits: '2:3' }],
    ['@[a.go:x', { kind: 'at', from: 0, query: 'a.go:x', digits: '' }],
    ['@[file://', { kind: 'at', from: 0, query: 'file://', digits: '' }],
    ['@[grep{"keyword":"', undefined],
    ['{{', { kind: 'macro', from: 0, query: '', digits: '' }],
    ['in {{REG', { kind: 'macro', from: 3, query: 'REG', digits: '' }],
    ['in {{REGION}}', undefined],
    ['@[{{DIR', { kind: 'macro', from: 2, query: 'DIR', digits: '' }],
    ['@{define', undefined],
  ])('%s', (line, want) => expect(typedAt(line)).toEqual(want))
})

test('a command is completed at the beginning of a prompt', () => {
  expect(['/', '/git:co', '/审', ' /a', '/a b', '/usr/bin', 'a/'].map((text) => commandAt(text)?.query)).toEqual([
    '',
    'git:co',
    '审',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(restOf('command', 'view src/a.go')).toBe(5)
})

test('text after the caret that belongs to it is replaced', () => {
  expect([
    restOf('at', 'in.go] and [x]'),
    restOf('at', ' and [x]'),
    restOf('at', ']'),
    restOf('macro', 'ION}} x'),
    restOf('macro', ' x}}'),
  ]).toEqual([6, 0, 1, 5, 0])
})

test('matched letters become ranges', () => {
  expect(matchRanges([0, 1, 2, 5, 7, 8])).toEqual([0, 3, 5, 6, 7, 9])
  expect(matchRanges([])).toEqual([])
})

describe('source', () => {
  const item = (more: Partial<complete.Item>): complete.Item => ({
    kind: 'file',
    label: 'a.go',
    detail: '',
    insert: '@[a.go]',
    match: [0],
    ...more,
  })
  const at = (doc: string) => new CompletionContext(EditorState.create({ doc }), doc.length, false)

  test('asks the backend with the typed text and keeps its order', async () => {
    const asked: string[] = []
    const ask: Ask = async (kind, query) => {
      asked.push(`${kind} ${query}`)
      return [item({ label: 'z.go' }), item({ label: 'a.go' })]
    }
    const result = await source(ask)(at('one\ntwo @go'))
    expect(asked).toEqual(['at go'])
    expect(result).toMatchObject({ from: 8, filter: false })
    expect(result!.options.map((o) => o.label)).toEqual(['z.go', 'a.go'])
    expect(result!.getMatch!(result!.options[0]!)).toEqual([0, 1])
  })

  test('commands are completed only on the first line, and show their arguments', async () => {
    const asked: string[] = []
    const ask: Ask = async (kind, query) => {
      asked.push(`${kind} ${query}`)
      return [item({ kind: 'command', label: 'git:review', detail: 'Reviews', hint: '[file]', insert: '/git:review ', match: [4, 5, 6] })]
    }
    const result = await source(ask)(at('/rev'))
    expect(result).toMatchObject({ from: 0 })
    expect(result!.options[0]).toMatchObject({ displayLabel: 'git:review [file]', detail: 'Reviews', type: 'command' })
    expect(await source(ask)(at('one\n/rev'))).toBeNull()
    expect(asked).toEqual(['command rev'])
  })

  test('typed lines are offered without a request', async () => {
    const ask: Ask = () => Promise.reject(new Error('unexpected request'))
    const result = await source(ask)(at('@[a.go:10:20'))
    expect(result!.options.map((o) => [o.label, o.detail])).toEqual([['a.go:10:20', 'lines 10 to 20']])
  })

  test('in a very long line only the text near the caret counts', async () => {
    const result = await source(async () => [item({})])(at(`${'x'.repeat(100_000)} @a`))
    expect(result!.from).toBe(100_001)
  })

  test('{{ in a notebook without macros explains how to make one', async () => {
    const none: Ask = async () => []
    const result = await source(none)(at('see {{'))
    expect(result!.from).toBe(4)
    expect(result!.options.map((o) => o.detail)).toEqual(['A line “#define NAME value” makes one'])
    expect(await source(none)(at('see {{NA'))).toBeNull()
  })

  test('plain text causes no request; an empty result and a failure show nothing', async () => {
    let calls = 0
    const none: Ask = async () => {
      calls++
      return []
    }
    expect(await source(none)(at('me@example.org'))).toBeNull()
    expect(calls).toBe(0)
    expect(await source(none)(at('@zzz'))).toBeNull()
    expect(await source(() => Promise.reject(new Error('gone')))(at('@a'))).toBeNull()
  })
})

test('a key in plain text starts no query; one behind an @ requests the list', async () => {
  const asked: string[] = []
  const view = new EditorView({
    parent: document.body,
    extensions: [
      completion(
        async (_, query) => {
          asked.push(query)
          return [{ kind: 'file', label: `${query}.go`, detail: '', insert: `@[${query}.go]`, match: [] }]
        },
        () => undefined,
      ),
    ],
  })
  onTestFinished(() => view.destroy())
  const type = (text: string) => {
    const { head } = view.state.selection.main
    view.dispatch({ changes: { from: head, insert: text }, selection: { anchor: head + text.length }, userEvent: 'input.type' })
    expect(view.contentDOM.getAttribute('aria-autocomplete')).toBe('list')
  }
  for (const letter of 'plain text ') {
    type(letter)
    expect(completionStatus(view.state)).toBe(null)
  }

  type('@')
  await eventually(() => expect(completionStatus(view.state)).toBe('active'))
  type('a')
  await eventually(() => expect(asked).toEqual(['', 'a']))
  await eventually(() => expect(completionStatus(view.state)).toBe('active'))
  type(' ') // the end of the reference
  expect(completionStatus(view.state)).toBe(null)
})

test('Enter takes the explanation of macros away, and the next one breaks the line', async () => {
  const view = new EditorView({
    parent: document.body,
    extensions: [
      completion(
        async () => [],
        () => undefined,
      ),
    ],
  })
  onTestFinished(() => view.destroy())
  view.dispatch({ changes: { from: 0, insert: '{{' }, selection: { anchor: 2 }, userEvent: 'input.type' })
  await eventually(() => expect(completionStatus(view.state)).toBe('active'))
  const enter = () => view.contentDOM.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true }))
  await eventually(() => {
    if (completionStatus(view.state)) enter()
    expect(completionStatus(view.state)).toBe(null)
  })
  expect(view.state.doc.toString()).toBe('{{')
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { actions, allKeysOf, ariaKeysOf, entryOf, heardIn, hintOf, keysOf, type Action, type Place } from './actions'
import { chordsOf, Keyboard } from './keyboard'

let time = 0
const press = (key: string, held = '', more: { code?: string; repeat?: boolean; after?: number } = {}) => ({
  key,
  code: more.code ?? '',
  ctrlKey: held.includes('c'),
  metaKey: held.includes('m'),
  shiftKey: held.includes('s'),
  altKey: held.includes('a'),
  repeat: more.repeat ?? false,
  timeStamp: (time += more.after ?? 100),
})
const inWindow = (e: ReturnType<typeof press>, editing = false) => new Keyboard('window').asked(e, editing)?.id ?? null

test.each([
  [press('n', 'c'), 'new'],
  [press('N', 'c'), 'new'], // Caps Lock
  [press('k', 'm'), 'find'],
  [press('b', 'c'), 'sidebar'],
  [press('b', 'ca'), 'inspector'],
  [press('”', 'ca', { code: 'KeyB' }), 'inspector'],
  [press('т', 'c', { code: 'KeyN' }), 'new'], // a Cyrillic layout
  [press('Tab', 'c'), 'nextTab'],
  [press('Tab', 'cs'), 'previousTab'],
  [press('Unidentified', 'cs', { code: 'Tab' }), 'previousTab'], // WebKitGTK
  [press('=', 'c'), 'zoomIn'],
  [press('+', 'cs'), 'zoomIn'],
  [press('-', 'c'), 'zoomOut'],
  [press('.', 'c'), 'stop'],
  [press('Z', 'cs'), 'redo'],
  [press('?', 's'), 'keys'],
])('%o means %s', (e, id) => expect(inWindow(e)).toBe(id))

test.each([press('n'), press('n', 'cs'), press('Tab'), press('b', 'a'), press('Enter', 's'), press('Escape')])(
  '%o means nothing in the window',
  (e) => expect(inWindow(e)).toBeNull(),
)

test('while text is edited, plain keys and undo belong to it', () => {
  expect([press('?', 's'), press('z', 'c'), press('Z', 'cs')].map((e) => inWindow(e, true))).toEqual([null, null, null])
  expect([press('k', 'c'), press('.', 'c')].map((e) => inWindow(e, true))).toEqual(['find', 'stop'])
})

test('two keys must follow each other immediately, and a held key does not count twice', () => {
  const cell = new Keyboard('cell')
  const twice = (...keys: ReturnType<typeof press>[]) => keys.map((e) => cell.asked(e)?.id ?? null).at(-1)
  expect(twice(press('d'), press('d'))).toBe('remove')
  expect(twice(press('d', '', { after: 2000 }), press('d', '', { after: 700 }))).toBeNull()
  expect(twice(press('Shift', '', { after: 2000 }), press('d'), press('Shift'), press('d'))).toBeNull()
  expect(twice(press('Shift', '', { after: 2000 }), press('d'), press('d', '', { repeat: true }))).toBeNull()
  expect(twice(press('Shift', '', { after: 2000 }), press('d'), press('d'), press('d'))).toBeNull() // the third one starts again
})

test('a key handled elsewhere interrupts a sequence of two', () => {
  const keyboard = new Keyboard('window')
  const esc = (taken = false) => {
    keyboard.pressed()
    return taken ? null : (keyboard.asked(press('Escape'))?.id ?? null)
  }
  expect([esc(), esc()]).toEqual([null, 'stop'])
  expect([esc(), esc(true), esc()]).toEqual([null, null, null])
  expect(esc()).toBe('stop')
  keyboard.pressed()
  expect(new Keyboard('window').asked(press('Escape'), true)).toBeNull()
})

test('a held key repeats only actions that may repeat, but is always handled', () => {
  const cell = new Keyboard('cell')
  expect(cell.asked(press('j', '', { repeat: true }))).toEqual({ id: 'next', held: false })
  expect(cell.asked(press('a', '', { repeat: true }))).toEqual({ id: 'insertAbove', held: true })
  expect(cell.asked(press('Enter', 's', { repeat: true }))).toEqual({ id: 'run', held: true })
})

test('a held key of the window acts once, except for actions that may repeat', () => {
  const again = ['findNext', 'findPrevious', 'nextTab', 'previousTab', 'undo', 'redo', 'zoomIn', 'zoomOut']
  for (const id of heardIn('window')) {
    const action: Action = actions.window[id]
    for (const keys of [...action.keys!, ...(action.also ?? [])]) {
      const chords = chordsOf(keys)
      const { key, ctrl, alt, shift } = chords[0]!
      const keyboard = new Keyboard('window')
      const down = (repeat: boolean) =>
        keyboard.asked(press(key, `${ctrl ? 'c' : ''}${alt ? 'a' : ''}${shift ? 's' : ''}`, { repeat, after: 10 }))
      if (chords.length > 1) expect([down(false), down(true), down(true)], `${id}: ${keys} is two presses`).toEqual([null, null, null])
      else expect([down(false)?.held, down(true)?.held], `${id}: ${keys}`).toEqual([false, !again.includes(id)])
    }
  }
})

test('no two actions of a place share a key', () => {
  for (const place of Object.keys(actions) as Place[]) {
    const keys = Object.values<Action>(actions[place]).flatMap((a) =>
      [...(a.keys ?? []), ...(a.also ?? [])].map((k) => JSON.stringify(chordsOf(k))),
    )
    expect(new Set(keys).size, place).toBe(keys.length)
  }
})

test('keys are written for people', () => {
  expect(keysOf('cell', 'moveUp')).toBe('Ctrl+Shift+↑')
  expect([
    allKeysOf(actions.window.stop),
    allKeysOf(actions.agents.move),
    allKeysOf(actions.cell.next),
    allKeysOf(actions.review.scope),
  ]).toEqual(['Ctrl+. or Esc Esc', '↑ ↓', '↓ or J', '1–4'])
})

/** The part of a source that a person can read: without comments, styles, imports and comparisons with pressed keys. */
function read(source: string): string {
  return source
    .replace(/<style[^]*?<\/style>|<!--[^]*?-->|\/\*[^]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/^\s*import .*$/gm, '')
    .replace(/\bkey\s*[!=]==?\s*'[^']*'|case '[^']*':/g, '')
    .replace(/\['Control', [^\]]*\]/g, '')
}
const byHand = [
  /\b(?:keys|aria-keyshortcuts)="[^"{]/, // also data-keys
  /\bkeys: '[^']/,
  /\b(?:Ctrl|Control|Shift|Alt|Cmd|⌘)(?:[+-][A-Z\d,.?↑↓←→−]| ?[+−-] )/,
  /\b(?:[Pp]ress|[Hh]it) (?:[A-Z]\b|Enter|Esc|Space|Tab|F\d)|\((?:Esc|Enter|Space|Del|F\d+|[A-Z])\)/,
  /\b(?:Esc|Escape|Enter|Space|Tab|Delete) (?:takes|leaves|closes|opens|breaks|saves|ends|and)\b/,
  /\b(?:Ctrl|Shift|Alt) (?:and|with) /,
]

test.each([
  '<IconButton icon={X} keys="Esc" />',
  '<button data-tip="Close" data-keys="Del">x</button>',
  "const entry = { label: 'Copy', keys: 'Ctrl+C', run }",
  '<button aria-keyshortcuts="Control+.">x</button>',
  '<p>Ctrl + and Ctrl − do the same.</p>',
  '<Button tip="All of it (Space)">More…</Button>',
  'const tip = `${text}\nEnter takes it, Shift+Enter breaks the line`',
  "const note = 'Esc leaves the text'",
  '<span>come closer with Ctrl and the wheel</span>',
])('a key that is written by hand is found: %s', (source) => {
  expect(byHand.some((pattern) => pattern.test(read(source)))).toBe(true)
})

test('no menu, button, tooltip or sheet hard-codes a key', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (f) => /\.(svelte|ts)$/.test(f) && !/\.(test|bench|testing)\.ts$|^lib.actions.|^lib.ui.keys\.ts$/.test(f),
  )
  const wrong = files.flatMap((file) =>
    read(readFileSync(`src/${file}`, 'utf8'))
      .split('\n')
      .filter((line) => byHand.some((pattern) => pattern.test(line)))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})

test('menus take the words, the icon and the key of an action from the registry', () => {
  expect([entryOf('agents', 'rename'), entryOf('agents', 'remove'), entryOf('agents', 'pin', true)]).toMatchObject([
    { label: 'Rename', keys: 'F2', icon: actions.agents.rename.icon },
    { label: 'Move to trash…', keys: 'Del' },
    { label: 'Unpin', keys: 'Alt+P', icon: actions.agents.pin.reverse.icon },
  ])
  expect(entryOf('agents', 'duplicate').keys).toBeUndefined()
  const menus = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) => /[mM]enu\.(svelte|ts)$|TabBar\.svelte$/.test(f))
  const ours = menus.filter((f) => /\b(?:entryOf|itemOf)\(/.test(readFileSync(`src/${f}`, 'utf8')))
  expect(ours.length).toBeGreaterThan(4)
  // A choice is named by its value, and has no icon or key.
  expect(
    ours.filter((f) => /\blabel: ['"]|\bicon: [A-Z]\w+, (?:run|keys|disabled)/.test(entriesOf(readFileSync(`src/${f}`, 'utf8')))),
  ).toEqual([])
})
/** The entries of menus in a source. A menu itself has a label and a place. */
const entriesOf = (source: string) => source.replace(/label: '[^']*',\s+place/g, '')

test('no tooltip, label or menu entry repeats the name of an action', () => {
  const names = new Map(
    (Object.keys(actions) as Place[]).flatMap((place) =>
      Object.values<Action>(actions[place]).flatMap(({ name, menu = name, icon, reverse }) =>
        icon ? [menu, reverse?.name ?? menu].map((words): [string, string] => [words, place]) : [],
      ),
    ),
  )
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) => /\.svelte$/.test(f) && !f.startsWith('lib'))
  const wrong = files.flatMap((file) =>
    [...readFileSync(`src/${file}`, 'utf8').matchAll(/<IconButton\b[^>]*?\blabel="([^"{]+)"|\bdata-tip="([^"{]+)"/g)]
      .map((m) => m[1] ?? m[2]!)
      .filter((words) => names.has(words))
      .map((words) => `${file}: ${words} (${names.get(words)})`),
  )
  expect(wrong).toEqual([])
})

test('keys are written for screen readers', () => {
  expect([ariaKeysOf('window', 'stop'), ariaKeysOf('review', 'approve', 'reject', 'edit', 'scope'), ariaKeysOf('tabs', 'close')]).toEqual([
    'Control+.',
    'Enter R E 1 2 3 4',
    'Delete',
  ])
  expect([hintOf('prompt', 'leave'), hintOf('review', 'scope')]).toEqual([
    { keys: 'Esc', name: 'commands' },
    { keys: '1–4', name: 'scope' },
  ])
})

test('a held key of a card decides once', () => {
  const review = new Keyboard('review')
  expect(
    [
      press('Enter'),
      press('Enter', '', { repeat: true }),
      press('R', 's'),
      press('к', '', { code: 'KeyR' }),
      press('2'),
      press('Enter', 'c'),
    ].map((e) => review.asked(e)),
  ).toEqual([
    { id: 'approve', held: false },
    { id: 'approve', held: true },
    { id: 'reject', held: false },
    { id: 'reject', held: false }, // a Cyrillic layout
    { id: 'scope', held: false },
    { id: 'answer', held: false },
  ])
})

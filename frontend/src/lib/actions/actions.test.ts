import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { actions, allKeysOf, entryOf, keysOf, type Action, type Place } from './actions'
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

test('while text is edited, plain keys and undo are left to it', () => {
  expect([press('?', 's'), press('z', 'c'), press('Z', 'cs')].map((e) => inWindow(e, true))).toEqual([null, null, null])
  expect([press('k', 'c'), press('.', 'c')].map((e) => inWindow(e, true))).toEqual(['find', 'stop'])
})

test('two keys have to follow each other at once, and a key held down is not pressed twice', () => {
  const cell = new Keyboard('cell')
  const twice = (...keys: ReturnType<typeof press>[]) => keys.map((e) => cell.asked(e)?.id ?? null).at(-1)
  expect(twice(press('d'), press('d'))).toBe('remove')
  expect(twice(press('d', '', { after: 2000 }), press('d', '', { after: 700 }))).toBeNull()
  expect(twice(press('Shift', '', { after: 2000 }), press('d'), press('Shift'), press('d'))).toBeNull()
  expect(twice(press('Shift', '', { after: 2000 }), press('d'), press('d', '', { repeat: true }))).toBeNull()
  expect(twice(press('Shift', '', { after: 2000 }), press('d'), press('d'), press('d'))).toBeNull() // the third begins anew
})

test('a key that somebody else took stands between two', () => {
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

test('a key that is held down does again what may be done again, and is taken all the same', () => {
  const cell = new Keyboard('cell')
  expect(cell.asked(press('j', '', { repeat: true }))).toEqual({ id: 'next', held: false })
  expect(cell.asked(press('a', '', { repeat: true }))).toEqual({ id: 'insertAbove', held: true })
  expect(cell.asked(press('Enter', 's', { repeat: true }))).toEqual({ id: 'run', held: true })
})

test('a key of the window that is held down acts once, but for what may be done again', () => {
  const again = ['nextTab', 'previousTab', 'undo', 'redo', 'zoomIn', 'zoomOut']
  for (const [id, action] of Object.entries<Action>(actions.window))
    for (const keys of [...action.keys, ...(action.also ?? [])]) {
      const chords = chordsOf(keys)
      const { key, ctrl, alt, shift } = chords[0]!
      const keyboard = new Keyboard('window')
      const down = (repeat: boolean) =>
        keyboard.asked(press(key, `${ctrl ? 'c' : ''}${alt ? 'a' : ''}${shift ? 's' : ''}`, { repeat, after: 10 }))
      if (chords.length > 1) expect([down(false), down(true), down(true)], `${id}: ${keys} is two presses`).toEqual([null, null, null])
      else expect([down(false)?.held, down(true)?.held], `${id}: ${keys}`).toEqual([false, !again.includes(id)])
    }
})

test('in one place no two actions share a key', () => {
  for (const place of Object.keys(actions) as Place[]) {
    const keys = Object.values<Action>(actions[place]).flatMap((a) =>
      [...a.keys, ...(a.also ?? [])].map((k) => JSON.stringify(chordsOf(k))),
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

test('no component writes the keys of an action by itself', () => {
  const known = new Set(
    Object.values(actions).flatMap((place) =>
      Object.values<Action>(place).flatMap((a) =>
        a.keys.filter((k) => k.includes('+') && k !== '+').map((k) => JSON.stringify(chordsOf(k))),
      ),
    ),
  )
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (f) => /\.(svelte|ts)$/.test(f) && !/\.test\.ts$|actions\.ts$|otherKeys\.ts$/.test(f),
  )
  const wrong = files.flatMap((file) =>
    [...readFileSync(`src/${file}`, 'utf8').matchAll(/keys="(.+?)"|keys: '(.+?)'/g)]
      .filter(([, attribute, field]) => known.has(JSON.stringify(chordsOf(attribute ?? field!))))
      .map(([all]) => `${file}: ${all}`),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})

test('a menu has the words and the key of an action from the registry', () => {
  expect([entryOf('agents', 'rename'), entryOf('agents', 'remove')]).toEqual([
    { label: 'Rename', keys: 'F2' },
    { label: 'Move to trash…', keys: 'Del' },
  ])
  const menus = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) => /[mM]enu\.(svelte|ts)$|TabBar\.svelte$/.test(f))
  expect(menus.length).toBeGreaterThan(4)
  expect(menus.filter((f) => /keys: keysOf\(/.test(readFileSync(`src/${f}`, 'utf8')))).toEqual([])
})

test('a key of a card that is held down decides once', () => {
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

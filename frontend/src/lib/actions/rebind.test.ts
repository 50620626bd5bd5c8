// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { find, heardIn, keysOf } from './actions'
import { changeKeys } from './chosenKeys.svelte'
import { Keyboard } from './keyboard'
import { holders, keysOfPress, refused, swapped, takenFrom, withKeys } from './rebind'

afterEach(() => changeKeys({}))

const press = (init: KeyboardEventInit) => new KeyboardEvent('keydown', init)

test.each([
  [{ key: 'p', code: 'KeyP', ctrlKey: true, shiftKey: true }, 'Ctrl+Shift+P'],
  [{ key: 'т', code: 'KeyN', ctrlKey: true }, 'Ctrl+N'],
  [{ key: 'π', code: 'KeyP', altKey: true }, 'Alt+P'],
  [{ key: '?', code: 'Slash', shiftKey: true }, '?'],
  [{ key: '+', code: 'Equal', shiftKey: true, ctrlKey: true }, 'Ctrl++'],
  [{ key: '-', code: 'Minus', ctrlKey: true }, 'Ctrl+−'],
  [{ key: 'ArrowUp', code: 'ArrowUp', ctrlKey: true, shiftKey: true }, 'Ctrl+Shift+↑'],
  [{ key: 'F4', code: 'F4' }, 'F4'],
  [{ key: ' ', code: 'Space', ctrlKey: true }, 'Ctrl+Space'],
  [{ key: 'k', code: 'KeyK', metaKey: true }, 'Ctrl+K'],
  [{ key: 'Unidentified', code: 'Tab', ctrlKey: true, shiftKey: true }, 'Ctrl+Shift+Tab'], // WebKitGTK
  // Presses that type, and presses that are not complete yet.
  [{ key: 'Control', ctrlKey: true }, null],
  [{ key: 'Process', keyCode: 229 }, null],
  [{ key: 'a', isComposing: true }, null],
  [{ key: 'Enter', keyCode: 229 }, null],
  [{ key: 'Dead', code: 'BracketLeft' }, null],
  [{ key: '@', code: 'KeyQ', ctrlKey: true, altKey: true, modifierAltGraph: true }, null],
  [{ key: '€', code: 'KeyE', modifierAltGraph: true }, null],
  [{ key: 'p', code: 'KeyP', ctrlKey: true, repeat: true }, null],
] as [KeyboardEventInit, string | null][])('%o is written %s', (init, keys) => expect(keysOfPress(press(init))).toBe(keys))

test('AltGr and Ctrl+Alt are distinguished', () => {
  const keyboard = new Keyboard('window')
  expect(keyboard.asked(press({ key: 'b', code: 'KeyB', ctrlKey: true, altKey: true }))?.id).toBe('inspector')
  expect(keyboard.asked(press({ key: '“', code: 'KeyB', ctrlKey: true, altKey: true, modifierAltGraph: true }))).toBeNull()
})

test.each([
  ['window', 'Ctrl+C'],
  ['window', 'F5'],
  ['window', 'Ctrl+R'],
  ['cell', 'F12'],
  ['window', 'Alt+F4'],
  ['tabs', 'Tab'],
  ['cell', 'Esc'],
  ['prompt', 'G'],
  ['prompt', 'Enter'],
  ['window', 'Space'],
] as const)('in %s, %s is refused with a reason', (place, keys) => expect(refused(place, keys)).toMatch(/^It |^The /))

test.each([
  ['window', 'Ctrl+P'],
  ['window', 'F9'],
  ['window', 'G'],
  ['cell', 'X'],
  ['prompt', 'Shift+Enter'],
  ['prompt', 'Alt+Enter'],
] as const)('in %s, %s can be chosen', (place, keys) => expect(refused(place, keys)).toBeNull())

test('the Windows key belongs to the system, the Command key of a Mac counts as Ctrl', () => {
  const e = { metaKey: true, ctrlKey: false }
  expect([refused('window', 'Ctrl+P', e), refused('window', 'Ctrl+P', e, true), refused('window', 'Ctrl+Q', e, true)]).toEqual([
    'The system keeps it for itself.',
    null,
    'The system keeps it for itself.',
  ])
})

test('keys in use are reported with their actions, in the place and in the window', () => {
  const names = (place: 'window' | 'cell' | 'prompt' | 'tabs', id: string, keys: string) =>
    holders({ place, id }, keys).map((h) => `${h.place}.${h.id}`)
  expect(names('window', 'find', 'Ctrl+N')).toEqual(['window.new'])
  expect(names('window', 'find', 'Ctrl+K')).toEqual([])
  expect(names('cell', 'pin', 'D')).toEqual(['cell.remove']) // the first of two
  expect(names('cell', 'pin', 'Ctrl+N')).toEqual(['window.new'])
  expect(names('cell', 'pin', 'Alt+P')).toEqual([]) // in the list of agents
  expect(names('window', 'find', 'Alt+P')).toEqual(['agents.pin'])
  expect(names('prompt', 'run', 'Ctrl+Enter')).toEqual(['prompt.runAndInsert'])
})

test('changed keys work and are shown at once, and can be reset', () => {
  const keyboard = new Keyboard('window')
  const asked = (key: string) => keyboard.asked(press({ key, ctrlKey: true }))?.id ?? null
  changeKeys(withKeys({ place: 'window', id: 'new' }, ['Ctrl+I']))
  expect([asked('i'), asked('n'), keysOf('window', 'new')]).toEqual(['new', null, 'Ctrl+I'])
  changeKeys(withKeys({ place: 'window', id: 'another' }, ['Ctrl+Y'])) // had none
  expect([asked('y'), heardIn('window').includes('another' as never)]).toEqual(['another', true])
  changeKeys(withKeys({ place: 'window', id: 'new' }, []))
  expect([asked('i'), keysOf('window', 'new')]).toEqual([null, ''])
  changeKeys(withKeys({ place: 'window', id: 'new' }, undefined))
  expect([asked('n'), keysOf('window', 'new')]).toEqual(['new', 'Ctrl+N'])
  expect(withKeys({ place: 'window', id: 'new' }, ['Ctrl+N'], {})).toEqual({})
})

test('an action whose keys mean something by themselves gets no others in return', () => {
  const at = { place: 'window', id: 'find' } as const
  const tabs = holders(at, 'Ctrl+1')
  expect([tabs.map((h) => h.id), swapped(tabs)]).toEqual([['tab'], undefined])
  expect(takenFrom(at, 'Ctrl+1', tabs, true)['window.tab']).not.toContain('Ctrl+K')
  const moved = [...tabs, ...holders(at, 'Ctrl+N')]
  expect(takenFrom(at, 'Ctrl+N', moved, true)['window.new']).toEqual(['Ctrl+K'])
})

test('keys are swapped with their action, or taken from it', () => {
  const at = { place: 'window', id: 'new' } as const
  const from = holders(at, 'Ctrl+.')
  expect(takenFrom(at, 'Ctrl+.', from, true)).toEqual({ 'window.new': ['Ctrl+.'], 'window.stop': ['Ctrl+N', 'Esc Esc'] })
  changeKeys(takenFrom(at, 'Ctrl+.', from, false))
  expect([find('window', 'new').keys, find('window', 'stop').keys]).toEqual([['Ctrl+.'], ['Esc Esc']])
})

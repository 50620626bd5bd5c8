// @vitest-environment jsdom
import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { expect, test, vi } from 'vitest'
import { domOfComponents, enterOfComposition } from '$lib/ui/testing'
import type { Choice, Entry, FoundEntries, Sources, Step } from './entry'
import { PaletteState } from './palette.svelte'
import PaletteDialog from './PaletteDialog.svelte'
import { eventually } from '$lib/testing/waits'

domOfComponents()
const of = (kind: Entry['kind'], label: string, more: Partial<Entry> = {}): Entry => ({
  id: `${kind} ${label}`,
  kind,
  label,
  look: () => ({ title: label, parts: [] }),
  ...more,
})

function sources(over: Partial<Sources> = {}): Sources & { runs: string[]; noted: string[] } {
  const runs: string[] = []
  const noted: string[] = []
  return {
    runs,
    noted,
    here: () => [
      of('command', 'Model…', {
        step: () => ({
          crumb: 'Model',
          search: 'Search models',
          of: 'for this notebook',
          columns: ['window'],
          choices: [
            { id: 'a', label: 'gpt-5.1', columns: ['400k'], run: () => runs.push('gpt') },
            { id: 'b', label: 'qwen3', now: true, run: () => runs.push('qwen') },
            { id: 'c', label: 'gemini', off: 'no key', run: () => runs.push('gemini') },
          ],
          about: () => 'Holds from the next request on.',
        }),
      }),
      of('command', 'Move cell down', { run: () => runs.push('move') }),
      of('command', 'Kind…', {
        off: 'no notebook is on view',
        step: () => {
          throw new Error('there is no notebook')
        },
      }),
      of('command', 'Stop', { off: 'nothing runs', run: () => runs.push('stop') }),
      of('agent', 'Rewrite modal dialogs', { run: () => runs.push('agent') }),
      of('setting', 'Theme', { words: 'dark mode', run: () => runs.push('theme') }),
    ],
    cells: () => Promise.resolve({ entries: [of('cell', 'which model')], total: 14 }),
    files: () => Promise.resolve({ entries: [of('file', 'go.mod')], total: 1 }),
    recent: () => [of('file', 'go.mod', { run: () => runs.push('go.mod') })],
    chosen: (entry) => noted.push(entry.id),
    ...over,
  }
}
const settle = async () => {
  for (let i = 0; i < 5; i++) await Promise.resolve()
  await tick()
}
const shape = (state: PaletteState) =>
  state.groups.map(({ name, lines, total }) => `${name} ${total}: ${lines.map(({ entry }) => entry.label).join(', ')}`)

test('recent entries come first and appear only once; each group shows its total', async () => {
  const state = new PaletteState(sources())
  state.text = 'mod'
  await settle()
  expect(shape(state)).toEqual([
    'Recent 1: go.mod',
    'Commands 2: Model…, Move cell down',
    'Agents 1: Rewrite modal dialogs',
    'Cells 14: which model',
    'Settings 1: Theme', // by its other words
  ])
  state.text = ''
  expect(shape(state)[0]).toBe('Recent 1: go.mod')
  state.text = '>mod'
  expect(shape(state)).toEqual(['Commands 2: Model…, Move cell down'])
  state.text = '@'
  expect(shape(state)).toEqual(['Agents 1: Rewrite modal dialogs'])
})

test('a late answer to an earlier key is dropped, and a failure leaves the rest', async () => {
  const answers: ((found: FoundEntries) => void)[] = []
  const state = new PaletteState(
    sources({
      cells: () => new Promise((done) => answers.push(done)),
      files: () => Promise.reject(new Error('broken')),
      recent: () => [],
    }),
  )
  state.text = 'm'
  state.text = 'mo'
  expect([answers.length, state.said]).toEqual([2, ''])
  answers[1]!({ entries: [of('cell', 'more')], total: 1 })
  answers[0]!({ entries: [of('cell', 'late')], total: 1 })
  await settle()
  expect(shape(state).filter((line) => line.startsWith('Cells'))).toEqual(['Cells 1: more'])
  expect(state.said).toMatch(/^\d+ results$/)
})

test('it asks again while notebooks are being read', async () => {
  vi.useFakeTimers()
  let asked = 0
  const state = new PaletteState(
    sources({
      cells: () => Promise.resolve(++asked < 3 ? { entries: [], total: 0, reading: true } : { entries: [of('cell', 'model')], total: 1 }),
    }),
  )
  state.text = 'model'
  await vi.advanceTimersByTimeAsync(1000)
  expect([asked, state.busy]).toEqual([3, false])
  state.stop()
  vi.useRealTimers()
})

test('recent entries that are gone are left out', async () => {
  const state = new PaletteState(
    sources({ recent: () => [Promise.resolve(null), Promise.reject(new Error('x')), of('agent', 'still there')] }),
  )
  await settle()
  expect(shape(state)[0]).toBe('Recent 1: still there')
})

function open(over: Partial<Sources> = {}) {
  const from = sources(over)
  const onclose = vi.fn((then?: () => void) => then?.())
  render(PaletteDialog, { sources: from, onclose })
  const field = screen.getByRole('combobox')
  const press = (key: string, init: KeyboardEventInit = {}) => fireEvent.keyDown(field, { key, ...init })
  const type = async (value: string) => {
    await fireEvent.input(field, { target: { value } })
    await settle()
  }
  const on = () => screen.queryByRole('option', { selected: true })?.textContent ?? ''
  return { from, onclose, field: field as HTMLInputElement, press, type, on }
}

test('arrows wrap around, Enter acts once the palette is closed, and the choice is remembered', async () => {
  const { from, onclose, press, type, on } = open()
  await type('>mod')
  expect(on()).toContain('Model…')
  await press('ArrowUp')
  expect(on()).toContain('Move cell down')
  await press('ArrowDown')
  await press('ArrowDown')
  await press('Enter', { repeat: true })
  expect(onclose).not.toHaveBeenCalled()
  await press('Enter')
  expect([from.runs, from.noted, onclose.mock.calls.length]).toEqual([['move'], ['command Move cell down'], 1])
})

test('Tab leads to the choices, Backspace and Escape lead back, and a disabled choice says why', async () => {
  const { from, press, type, on, field, onclose } = open()
  await type('model')
  await press('Tab')
  expect(on()).toContain('qwen3')
  await press('Backspace')
  expect(field.value).toBe('model')
  await press('Enter')
  await press('Escape')
  expect([field.value, onclose.mock.calls.length]).toEqual(['model', 0])
  await press('Tab')
  await press('ArrowDown')
  expect(on()).toContain('no key')
  await press('Enter')
  expect(from.runs).toEqual([])
  await type('gpt')
  await press('Enter')
  expect([from.runs, from.noted]).toEqual([['gpt'], ['command Model…', 'command Model…', 'command Model…']])
})

test('going back finds its line again among choices that cannot be made', async () => {
  const { press, type, on, field } = open()
  await type('>')
  await press('Tab')
  await press('Escape')
  expect([field.value, on().includes('Model…')]).toEqual(['>', true])
  await press('ArrowDown')
  await press('ArrowDown')
  await press('Tab')
  await press('Enter')
  expect([on().includes('Kind…'), on().includes('no notebook is on view')]).toEqual([true, true])
})

test('a plain click does all of this', async () => {
  const { from, type } = open()
  await type('>')
  await fireEvent.click(screen.getByRole('option', { name: /Stop/ }))
  expect(from.runs).toEqual([])
  await fireEvent.click(screen.getByRole('option', { name: /Model…/ }))
  await fireEvent.click(within(screen.getByRole('listbox', { name: 'Model' })).getByRole('option', { name: /gpt/ }))
  expect(from.runs).toEqual(['gpt'])
})

test('a choice on the right side is one click away', async () => {
  const { from, type } = open()
  await type('model')
  await fireEvent.click(screen.getByRole('button', { name: /gpt-5.1/ }))
  expect(from.runs).toEqual(['gpt'])
})

test.each(enterOfComposition)('a key of a composition acts on nothing: %o', async (key) => {
  const { from, onclose, field, press, type } = open()
  await type('move')
  for (const name of ['Enter', 'Escape', 'Tab', 'ArrowDown']) await press(name, { ...key, key: name })
  expect([from.runs, onclose.mock.calls, field.value]).toEqual([[], [], 'move'])
})

test('the number of results is announced once it rests', async () => {
  const { type } = open()
  const said = () => screen.getByRole('status').textContent
  await type('m')
  expect(said()).toBe('')
  await type('>mo')
  await eventually(() => expect(said()).toBe('2 results'))
})

test('steps that accept any text can follow each other, and going back restores the typed text and the choice', async () => {
  const asked: string[] = []
  const runs: string[][] = []
  const ask = (text: string) => {
    asked.push(text)
    return Promise.resolve(['艾达', 'Alan'].filter((name) => name.startsWith(text)).map((name) => choice([], name)))
  }
  const choice = (given: string[], value: string): Choice => ({
    id: value,
    label: value || 'Leave it empty',
    ...(given.length ? { run: () => runs.push([...given, value]) } : { next: () => step([...given, value]) }),
  })
  const step = (given: string[]): Step => ({
    crumb: given.length ? 'how' : 'who',
    search: given.length ? 'how, may stay empty' : 'who, required',
    of: '',
    columns: [],
    choices: [],
    typed: (text) =>
      text || given.length ? { ...choice(given, text), id: 'typed' } : { id: 'typed', label: 'Type a value', off: 'it is required' },
    ask,
    about: () => '',
  })
  const greet = of('command', 'Greet', { step: () => step([]) })
  const { press, type, on, field, onclose } = open({ here: () => [greet] })
  await type('greet')
  await press('Enter')
  await press('Enter')
  expect([on().includes('it is required'), field.getAttribute('aria-label')]).toEqual([true, 'who, required'])
  await screen.findByRole('option', { name: '艾达' })
  await type('艾')
  for (const key of enterOfComposition) await press('Enter', key)
  expect(field.getAttribute('aria-label')).toBe('who, required')
  await eventually(() => expect(asked.at(-1)).toBe('艾'))
  await eventually(() => expect(screen.getAllByRole('option').length).toBe(2))
  await press('ArrowDown')
  await press('Enter')
  expect([field.value, field.getAttribute('aria-label')]).toEqual(['', 'how, may stay empty'])
  await press('Escape')
  expect([field.value, field.getAttribute('aria-label')]).toEqual(['艾', 'who, required'])
  // So does the choice, at once and again after its step was requested.
  expect(on()).toContain('艾达')
  const before = asked.length
  await eventually(() => expect(asked.length).toBe(before + 1))
  await settle()
  expect(on()).toContain('艾达')
  await press('Enter')
  await press('Enter', { repeat: true })
  expect(runs).toEqual([])
  await press('Enter')
  expect([runs, onclose.mock.calls.length]).toEqual([[['艾达', '']], 1])
})

test('other sources keep the text, the step and the line of the cursor', async () => {
  const state = new PaletteState(sources())
  state.text = 'mod'
  await settle()
  state.move(2)
  const on = state.line!.entry.id
  const { here } = sources()
  state.use(sources({ here: () => [of('command', 'Model of a kind'), ...here()] }))
  expect(state.text).toBe('mod')
  expect(state.line!.entry.id).toBe(on)
  expect(shape(state).join()).toMatch(/Model of a kind/)

  state.text = 'kind'
  expect(state.enter(state.lines.find(({ entry }) => entry.label === 'Kind…'))).toBe(false)
  const step: Step = { crumb: 'Kind', search: 'Search', of: '', columns: [], choices: [{ id: 'a', label: 'a' }], about: () => '' }
  state.use(sources({ here: () => [of('command', 'Kind…', { step: () => step })] }))
  expect(state.enter()).toBe(true)
  state.use(sources())
  expect(state.step?.crumb).toBe('Kind')
})

test('an agent that appears above it does not take the cursor of the first line', async () => {
  const agent = (name: string) => of('agent', name)
  const state = new PaletteState(sources({ here: () => [agent('Second')], recent: () => [] }))
  state.text = '@'
  await settle()
  state.use(sources({ here: () => [agent('First'), agent('Second')], recent: () => [] }))
  expect(state.lines.map(({ entry }) => entry.label)).toEqual(['First', 'Second'])
  expect(state.line!.entry.label).toBe('Second')
  state.use(sources({ here: () => [agent('First')], recent: () => [] }))
  expect(state.line!.entry.label).toBe('First')
})

test('keeps what was typed while it was loading', () => {
  render(PaletteDialog, { sources: sources(), text: 'dark', onclose: vi.fn() })
  const field = screen.getByRole<HTMLInputElement>('combobox')
  expect([field.value, document.activeElement]).toEqual(['dark', field])
  expect(screen.getByRole('option', { selected: true }).textContent).toContain('Theme')
})

// @vitest-environment jsdom
import { tick } from 'svelte'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { heldKeys, keepFocus, pressKeepsFocus, takeFocus } from './focus'
import { eventually } from '$lib/testing/waits'

let end: () => void
const get = (id: string) => document.getElementById(id)!
beforeEach(() => {
  const page = document.createElement('div')
  const add = (parent: HTMLElement, tag: string, id: string, attributes: Record<string, string> = {}) => {
    const made = document.createElement(tag)
    made.id = id
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
    return parent.appendChild(made)
  }
  document.body.append(page)
  const side = add(page, 'aside', 'side')
  const tree = add(side, 'div', 'tree', { tabindex: '0' })
  add(tree, 'input', 'name')
  add(side, 'button', 'card')
  const main = add(page, 'main', 'main', { tabindex: '-1', 'data-focus': 'home' })
  const cell = add(main, 'article', 'cell', { tabindex: '0' })
  add(cell, 'button', 'run')
  add(main, 'button', 'latest')
  const inspector = add(page, 'aside', 'inspector', { 'data-focus': 'near' })
  const section = add(inspector, 'section', 'section')
  add(section, 'button', 'add')
  const form = add(section, 'form', 'form')
  add(form, 'input', 'field')
  add(inspector, 'section', 'other')
  end = keepFocus(() => get('main').focus())
})
afterEach(() => {
  end()
  document.body.replaceChildren()
})
const focused = () =>
  eventually(() => {
    const id = document.activeElement?.id
    expect(id).toBeTruthy()
    return id
  })

test.each([
  ['a field in a list goes back to the list', ['card', 'name'], 'name', 'tree'],
  ['what is gone from a cell leaves the cell', ['card', 'run'], 'run', 'cell'],
  ['what is gone from the notebook leaves it to the notebook', ['card', 'latest'], 'latest', 'main'],
  ['a whole cell too', ['card', 'run'], 'cell', 'main'],
  ['a form that is done leaves its section', ['cell', 'field'], 'form', 'add'],
  ['a section that is gone goes on in its pane', ['cell', 'field'], 'section', 'cell'],
  ['the last card goes where the keyboard was before', ['cell', 'card'], 'card', 'cell'],
  ['what was never anywhere else goes home', ['card'], 'card', 'main'],
])('%s', async (_, way, gone, to) => {
  for (const id of way) get(id).focus()
  get(gone).remove()
  expect(await focused()).toBe(to)
})

test('a disabled button or a covered part loses the focus to another place', async () => {
  get('cell').focus()
  get('card').focus()
  ;(get('card') as HTMLButtonElement).disabled = true
  await eventually(() => expect(document.activeElement?.id).toBe('cell'))
  get('main').setAttribute('inert', '')
  await eventually(() => expect(document.activeElement?.id).not.toBe('cell'))
})

test('code that removes an element may choose where the focus goes', async () => {
  vi.useFakeTimers()
  get('cell').focus()
  get('card').focus()
  get('card').remove()
  await Promise.resolve() // the observer runs
  expect(vi.getTimerCount()).toBeGreaterThan(0)
  get('add').focus()
  vi.runAllTimers()
  vi.useRealTimers()
  expect(document.activeElement?.id).toBe('add')
})

test('a field that releases the focus returns it', async () => {
  get('cell').focus()
  get('name').focus()
  get('name').blur()
  expect(await focused()).toBe('tree')
})

test('a held key does nothing in the place to which the focus has moved', () => {
  const held = heldKeys()
  document.addEventListener('keydown', held, true)
  const press = (id: string, key: string, repeat: boolean) => {
    const e = new KeyboardEvent('keydown', { key, repeat, bubbles: true, cancelable: true })
    get(id).dispatchEvent(e)
    return e.defaultPrevented
  }
  expect([
    press('name', 'Enter', false),
    press('name', 'Enter', true),
    press('cell', 'Enter', true),
    press('cell', 'Enter', false),
    press('cell', 'Enter', true),
  ]).toEqual([false, false, true, false, false])
  // Held arrow keys move the focus from card to card.
  expect([press('name', 'ArrowDown', false), press('cell', 'ArrowDown', true)]).toEqual([false, false])
  document.removeEventListener('keydown', held, true)
})

test('a click on empty space leaves the focus where it is; one on text may select', () => {
  const press = (id: string) => {
    const e = new MouseEvent('mousedown', { button: 0, bubbles: true, cancelable: true })
    get(id).dispatchEvent(e)
    return e.defaultPrevented
  }
  document.addEventListener('mousedown', pressKeepsFocus)
  get('side').style.userSelect = 'none'
  get('main').style.userSelect = 'none'
  get('other').style.userSelect = 'text'
  expect(['side', 'main', 'card', 'tree', 'cell', 'other'].map(press)).toEqual([true, true, false, false, false, false])
  document.removeEventListener('mousedown', pressKeepsFocus)
})

test('a view that comes to the front takes the focus before the next key', async () => {
  get('run').focus()
  get('main').setAttribute('inert', '')
  const view = document.createElement('div')
  view.tabIndex = -1
  document.body.append(view)
  const leave = takeFocus(view)
  await tick()
  expect(document.activeElement).toBe(view)
  leave()
})

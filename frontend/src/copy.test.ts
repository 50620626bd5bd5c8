// @vitest-environment jsdom
import { EditorView } from '@codemirror/view'
import { fireEvent, render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { beforeAll, expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import CodeText from '$lib/ui/CodeText.svelte'
import { Output } from './features/tasks/output.svelte'
import Terminal from '$lib/terminal/Terminal.svelte'
import Diff from '$lib/ui/Diff.svelte'
import { lazyViewer } from '$lib/ui/lazyViewer'
import { printed } from '$lib/terminal/terminalOutput'
import { domOfComponents } from '$lib/ui/testing'
import { lazyTextField } from './lib/ui/lazyTextField'
import TextMenu from './shell/TextMenu.svelte'
import { until } from '$lib/testing/waits'

domOfComponents()
beforeAll(() => lazyTextField.load())
beforeAll(() => lazyViewer.load())

const LINES = 3000
const texts = Array.from({ length: LINES }, (_, n) => `line ${n}${n % 7 === 0 ? '\u200b' : ''}`)

/** row returns the text of a drawn row. */
function row(box: Element, n: number): Node {
  const text = box.querySelector(`[data-row="${n}"] [data-text]`)
  if (!text) throw new Error(`row ${n} is not drawn`)
  return document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode()!
}

async function scrollTo(box: HTMLElement, top: number) {
  box.scrollTop = top
  await fireEvent.scroll(box)
  await tick()
}

/** select drags from one place to another one far below, which is drawn only after scrolling. */
async function select(box: HTMLElement, scrolled: HTMLElement, from: [number, number], to: [number, number], height: number, back = false) {
  const selection = getSelection()!
  selection.setBaseAndExtent(row(box, from[0]), from[1], row(box, from[0]), from[1] + 1)
  document.dispatchEvent(new Event('selectionchange'))
  await tick()
  await scrollTo(scrolled, to[0] * height)
  const [a, b] = [row(box, from[0]), row(box, to[0])] as const
  if (back) selection.setBaseAndExtent(b, to[1], a, from[1])
  else selection.setBaseAndExtent(a, from[1], b, to[1])
  document.dispatchEvent(new Event('selectionchange'))
  await tick()
}

/** copied returns what a copy puts on the clipboard; undefined: what the browser puts there. */
function copied(box: Element): string | undefined {
  let text: string | undefined
  const e = new Event('copy', { bubbles: true, cancelable: true })
  Object.assign(e, { clipboardData: { clearData: () => {}, setData: (_: string, value: string) => (text = value) } })
  box.dispatchEvent(e)
  expect(e.defaultPrevented).toBe(text !== undefined)
  return text
}

const between = (from: [number, number], to: [number, number]) =>
  [texts[from[0]]!.slice(from[1]), ...texts.slice(from[0] + 1, to[0]), texts[to[0]]!.slice(0, to[1])].join('\n')

async function everyWay(box: HTMLElement, height: number, scrolled = box) {
  await select(box, scrolled, [5, 2], [2400, 4], height)
  expect(box.querySelectorAll('[data-row]').length).toBeLessThan(200)
  expect(copied(box)).toBe(between([5, 2], [2400, 4]))
  await scrollTo(scrolled, 1200 * height)
  expect(copied(box), 'both ends scrolled away').toBe(between([5, 2], [2400, 4]))
  const tops = [...box.querySelectorAll<HTMLElement>('[data-row]')].map((r) => [
    Number(r.dataset.row),
    parseFloat(r.style.marginTop || '0') / height,
  ])
  let at = tops[0]![0]! - 1
  for (const [n, above] of tops) expect(n, 'a row is at its place').toBe((at += above! + 1))

  getSelection()!.removeAllRanges()
  document.dispatchEvent(new Event('selectionchange'))
  await tick()
  await scrollTo(scrolled, 0)
  expect(box.querySelector('[data-row="2400"]'), 'the end of a cleared selection').toBeNull()
  await select(box, scrolled, [8, 0], [900, 3], height, true)
  expect(copied(box), 'backwards').toBe(between([8, 0], [900, 3]))

  await fireEvent.keyDown(box, { key: 'a', ctrlKey: true })
  expect(copied(box), 'all of it').toBe(texts.join('\n'))
  getSelection()!.setBaseAndExtent(row(box, 900), 1, row(box, 900), 3)
  expect(copied(box), 'within a line').toBeUndefined()
  getSelection()!.removeAllRanges()
  expect(copied(box), 'nothing').toBeUndefined()
}

test('all of a long text can be selected and copied, and further text keeps the selection', async () => {
  const { rerender, container } = render(CodeText, { text: texts.slice(0, 2000).join('\r\n') + '\n', label: 'File', numbers: true })
  const box = screen.getByRole('textbox', { name: 'File' })
  expect(container.querySelectorAll('.cm-line').length).toBeLessThan(200)
  expect(container.querySelector('.unseen')?.textContent).toBe('U+200B')
  const view = EditorView.findFromDOM(box)!
  view.focus()
  await fireEvent.keyDown(box, { key: 'a', code: 'KeyA', keyCode: 65, ctrlKey: true })
  expect(copied(box)).toBe(texts.slice(0, 2000).join('\n'))
  view.dispatch({ selection: { anchor: 0, head: 12 } })
  await rerender({ text: texts.join('\n') + '\n' })
  expect(view.state.selection.main.head).toBe(12)
  expect(view.state.doc.lines).toBe(LINES)
  await fireEvent.keyDown(box, { key: 'f', code: 'KeyF', keyCode: 70, ctrlKey: true })
  expect(screen.getByRole('textbox', { name: 'Find' })).toBeTruthy()
})

test('the menu of a text also selects and copies lines that are not drawn', async () => {
  const oncopy = vi.fn()
  const raw = texts.join('\r\n')
  const output = printed(raw)
  render(Terminal, { output, running: false })
  render(CodeText, { text: raw, label: 'File' })
  render(TextMenu, { oncopy, clipboard: () => Promise.resolve('') })
  for (const at of [
    screen.getByRole('group', { name: 'Output' }).querySelector('[data-text]')!,
    screen.getByRole('textbox', { name: 'File' }),
  ]) {
    await fireEvent.contextMenu(at)
    expect(screen.queryByRole('menuitem', { name: /^Paste/ })).toBeNull()
    await fireEvent.click(screen.getByRole('menuitem', { name: /^Select all/ }))
    await fireEvent.contextMenu(at)
    await fireEvent.click(screen.getByRole('menuitem', { name: /^Copy/ }))
    expect(oncopy).toHaveBeenLastCalledWith(texts.join('\n'))
  }
})

test('the output of a command is copied with lines that are not drawn', async () => {
  const raw = texts.join('\r\n')
  vi.stubGlobal('fetch', async () => Response.json({ raw, begin: 0, next: raw.length }))
  const output = new Output(new Backend(), 't1')
  output.more()
  await until(() => output.loaded)
  output.stop()
  vi.unstubAllGlobals()
  render(Terminal, { output, running: false })
  await everyWay(screen.getByRole('group', { name: 'Output' }), 18)
})

test('a change is copied with lines that are not drawn, without signs and numbers', async () => {
  render(Diff, { path: 'a.unknown', lines: texts.map((text) => ({ op: '+', text })) })
  await everyWay(screen.getByRole('group', { name: /^Change of a.unknown/ }), 19)
})

test('of a change shown side by side one side is copied', async () => {
  render(Diff, {
    path: 'a.unknown',
    side: true,
    lines: texts.flatMap((text) => [
      { op: '-', text: 'old' },
      { op: '+', text },
    ]),
  })
  await everyWay(screen.getByRole('group', { name: 'After' }), 19, screen.getByRole('group', { name: /side by side/ }))
})

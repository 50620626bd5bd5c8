// Copying in the real window: its engine decides by itself where a selection ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notebookText, World } from '../lib/world.mjs'
import * as desktop from './desktop.mjs'
import { Window } from './window.mjs'

const all = 300
const upTo = (n) => Array.from({ length: n }, (_, i) => i)
const answer = upTo(all)
  .map((n) => `Sentence ${n} begins here. ${'It goes on and on. '.repeat(20)}`)
  .join('\n\n')
const sentences = (text) => [...text.matchAll(/Sentence (\d+) begins/g)].map((found) => Number(found[1]))

test('all of a cell is selected and copied, also what was not drawn at its end', { timeout: 300_000 }, async (t) => {
  const world = new World({
    '.mutsumi/a.mtm': notebookText('A', [['All?', answer], ...upTo(20).map((n) => [`Question ${n}`, 'An answer.'])]),
  })
  t.after(() => world.remove())
  const w = await Window.open(t, world)
  const { driver } = w
  const row = '[role="treeitem"][aria-label^="A,"]'
  await w.firstFrame(row)
  await w.toFront()
  desktop.press(await w.onScreen(row))
  const scroll = (top) =>
    w.until(
      () =>
        driver.run((top) => {
          const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
          list?.scrollTo(0, top)
          return [...document.querySelectorAll('.answer p')].some((p) => p.innerText.startsWith('Sentence 0 begins'))
        }, top),
      'the beginning of the answer',
    )
  const selected = () => driver.run(() => getSelection().toString())
  await driver.until(() => document.querySelector('.book .virtual') !== null, 'the notebook')
  await scroll(0)
  desktop.press(await w.onScreen('article[aria-label="Cell 1"] .answer'))
  await driver.until(() => document.activeElement?.ariaLabel === 'Cell 1', 'the cell to have the keyboard')
  desktop.pressKeys('ctrl+a')
  await w.until(async () => (await selected()).startsWith('All?'), 'the selection')
  assert.ok((await selected()).includes(`Sentence ${all - 1} begins`), 'the end of the answer is selected before it is drawn in the view')
  desktop.pressKeys('ctrl+c')
  const text = await w.until(async () => {
    const now = await driver.run(() => window.runtime.ClipboardGetText())
    return /^All\?\s+Sentence 0 begins/.test(now) && now
  }, 'the copy')
  assert.deepEqual(sentences(text), upTo(all))
  assert.match(text, /on\.\n\nSentence 1 begins/, 'an empty line between paragraphs')
})

test('a copy of nothing leaves the clipboard as it is', { timeout: 300_000 }, async (t) => {
  const world = new World({ '.mutsumi/a.mtm': notebookText('A', [['First', 'One.']]) })
  t.after(() => world.remove())
  const w = await Window.open(t, world)
  const { driver } = w
  const row = '[role="treeitem"][aria-label^="A,"]'
  await w.firstFrame(row)
  await w.toFront()
  const clipboard = () => driver.run(() => window.runtime.ClipboardGetText())
  const at = (label) => driver.until((label) => document.activeElement?.ariaLabel === label, `${label} to have the keyboard`, label)
  await driver.run(() => window.runtime.ClipboardSetText('kept'))
  desktop.press(await w.onScreen(row))
  await at('Agents')
  desktop.pressKeys('ctrl+c')
  await w.focusPrompt()
  assert.equal(await clipboard(), 'kept', 'in the list')
  desktop.pressKeys('ctrl+c', 'ctrl+x', 'Escape')
  await at('Cell 2')
  assert.equal(await clipboard(), 'kept', 'in an empty prompt')
  desktop.pressKeys('ctrl+c', 'k')
  await at('Cell 1')
  assert.equal(await clipboard(), 'kept', 'in a cell')
  desktop.pressKeys('ctrl+comma')
  await driver.until(() => document.querySelector('dialog:modal')?.contains(document.activeElement), 'the settings')
  await driver.run(() => document.querySelector('dialog:modal button').focus())
  desktop.pressKeys('ctrl+c', 'Escape')
  await driver.until(() => !document.querySelector('dialog:modal'), 'the settings to close')
  assert.equal(await clipboard(), 'kept', 'in a dialog')

  await w.type('words')
  desktop.pressKeys('ctrl+c')
  await w.until(async () => (await clipboard()) === 'words', 'the line to be copied')
})

// Everybody can use it: no finding of axe in any view, in light, dark and forced
// colours; everything fits at 200 %; and a whole session with the keyboard alone.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsForced, findingsInBoth, misfits, smallControls } from './lib/axe.mjs'
import { decode } from './lib/png.mjs'
import { mock } from './lib/provider.mjs'
import { started, views } from './lib/views.mjs'
import { notebookText, outFolder } from './lib/world.mjs'

describe('for everybody', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('no finding while making a notebook, asking and using a menu', async (t) => {
    const provider = await mock({
      table:
        '# Beds\n\n| bed | litres |\n| --- | ---: |\n| 1 | 35 |\n\n- [x] done\n\n```go\nfunc main() {}\n```\n\nA [link](http://example.com) and $a^2$.',
    })
    t.after(() => provider.stop())
    const app = await App.start(t, {
      env: provider.env,
      files: { '.mutsumi/one.mtm': notebookText('One', [['q', 'a']]), '.mutsumi/bad.mtm': '{"metadata": {' },
    })
    assert.deepEqual(await findingsInBoth(app.page), [], 'before anything is open')
    await app.newAgent()
    assert.deepEqual(await findingsInBoth(app.page), [], 'an empty notebook')
    await app.ask('table for @[x.md]')
    assert.deepEqual(await findingsInBoth(app.page), [], 'a notebook with an answer')
    await app.agent('One').click({ button: 'right' })
    await app.page.getByRole('menu').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [], 'a menu')
    await app.page.getByRole('menuitem', { name: 'Move to trash…' }).click()
    await app.page.getByRole('dialog').waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [], 'a dialog')
    await app.page.keyboard.press('Escape')
  })

  test('a press that is only a click opens a prompt, and takes the keyboard from the agents', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['q', 'a']]) } })
    await app.agent('One').click()
    await app.page.locator('[role=tree]:focus').waitFor()
    const prompt = app.prompt(1)
    await prompt.evaluate((node) => node.click())
    await prompt.locator('.cm-focused').waitFor()
    await app.page.keyboard.type('uick')
    assert.equal(await app.promptText(1), 'quick')
  })

  for (const [name, [open, shown, more]] of Object.entries(views))
    test(`${name}: no finding in light, dark and forced colours, controls of 24 px, and it fits at 200 %`, async (t) => {
      const app = await started(t, more)
      const { page } = app
      await open?.(page)
      await shown?.(page).waitFor()
      assert.deepEqual(await findingsInBoth(page), [])
      assert.deepEqual(await findingsForced(page), [])
      assert.deepEqual(await smallControls(page), [])
      // 200 % of 1280 x 840 is half of each.
      await page.setViewportSize({ width: 640, height: 420 })
      if (name === 'the context') {
        await shown(page).waitFor({ state: 'hidden' })
        await open(page)
        await shown(page).waitFor()
      }
      await page.screenshot({ path: path.join(outFolder, `at-200-${name.replace(/\W+/g, '-')}.png`) })
      await page.waitForTimeout(300) // panes take their new widths
      assert.deepEqual(await misfits(page), [])
    })

  test('forced colours: what is chosen has a line, and a legend its colours', async (t) => {
    const app = await started(t)
    const { page } = app
    await page.emulateMedia({ forcedColors: 'active' })
    await page.keyboard.press('Control+,')
    await page.getByRole('dialog').getByRole('tab', { name: 'Appearance' }).click()
    const lines = await page
      .getByRole('radiogroup', { name: 'Theme' })
      .evaluate((group) =>
        [...group.querySelectorAll('label')].map((label) => [label.control.checked, getComputedStyle(label).outlineStyle]),
      )
    assert.equal(lines.length, 3)
    for (const [checked, line] of lines) assert.equal(line, checked ? 'solid' : 'none')
    await page.keyboard.press('Escape')
    const colours = await page
      .locator('aside dl > div')
      .evaluateAll((parts) => parts.map((part) => getComputedStyle(part, '::before').backgroundColor))
    assert.equal(new Set(colours).size, colours.length)
    assert.ok(colours.length >= 3, `the parts of the context: ${colours}`)
  })

  test('forced colours: the current match of a search is seen among the others, in text and in an editor', async (t) => {
    const text = 'A needle and a needle'
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', [['A needle here', text], [text]]) } })
    const { page } = app
    await page.emulateMedia({ forcedColors: 'active' })
    await app.openAgent('One')
    await app.answers().first().waitFor()
    await app.prompt(1).click()
    await app.prompt(1).locator('.cm-focused').waitFor()
    await page.keyboard.press('ControlOrMeta+f')
    const bar = page.getByRole('search')
    await bar.getByRole('textbox', { name: 'Find', exact: true }).fill('needle')
    /** The colours at a corner of each match: of the current one, then of the others. */
    const colours = async () => {
      const corners = await page.evaluate(() => {
        const cornerOf = (thing) => {
          const { left, top } = thing.getBoundingClientRect()
          return [Math.ceil(left) + 1, Math.ceil(top) + 2]
        }
        const all = (name, inEditor) => [...(CSS.highlights.get(name) ?? []), ...document.querySelectorAll(inEditor)].map(cornerOf)
        return [...all('found-current', '.cm-editor .found-current'), ...all('found', '.cm-editor .found:not(.found-current)')]
      })
      const { at } = decode(await page.screenshot())
      return corners.map(([x, y]) => at(x, y).join())
    }
    await app.until(async () => (await bar.locator('.count').textContent()).endsWith(' of 5'), 'the matches')
    for (let n = 0; n < 5; n++) {
      await page.keyboard.press('Enter')
      await app.until(async () => {
        const [current, ...others] = await colours()
        return (
          others.length === 4 && new Set(others).size === 1 && ![others[0], '255,255,255'].includes(current) && others[0] !== '255,255,255'
        )
      }, `match ${n} to be seen`)
    }
  })

  test('Tab passes over no link: after the wheel was turned, into cells far away, and within a long answer', async (t) => {
    const cells = Array.from({ length: 40 }, (_, i) => [
      `Question ${i}`,
      `See [first ${i}](https://x.example/a). ${(i === 20 ? 'It goes on.\n\n' : 'It goes on. ').repeat(i === 20 ? 600 : 80)}\n\n[last ${i}](https://x.example/b)`,
    ])
    const app = await App.start(t, { files: { '.mutsumi/one.mtm': notebookText('One', cells) } })
    const { page } = app
    await app.openAgent('One')
    await app.answers().first().waitFor()
    const focused = (name) =>
      app.until(
        () =>
          page.evaluate((name) => {
            const el = document.activeElement
            const { top, bottom } = el.getBoundingClientRect()
            return (el.getAttribute('aria-label') ?? el.textContent) === name && top >= 0 && bottom <= innerHeight
          }, name),
        `${name} to have the keyboard, in view`,
      )
    const press = async (key, name) => {
      await page.keyboard.press(key)
      await focused(name)
    }
    await app.scrollTo(0)
    await page.getByRole('link', { name: 'last 1', exact: true }).focus()
    await app.scrollTo(1)
    await page.getByRole('link', { name: 'last 39', exact: true }).waitFor()
    await press('Tab', 'Run cell 3')
    await press('Tab', 'first 2')
    await app.scrollTo(1)
    await page.getByRole('link', { name: 'last 39', exact: true }).waitFor()
    for (const name of ['Run cell 3', 'last 1', 'first 1', 'Run cell 2']) await press('Shift+Tab', name)
    // From the cell above the long answer through it and back.
    await app.until(async () => {
      if (await page.getByRole('link', { name: 'last 19', exact: true }).count()) return true
      await page.locator('section.book:visible .virtual').evaluate((list) => list.scrollBy(0, 500))
      return false
    }, 'the cell above the long answer')
    await page.getByRole('link', { name: 'last 19', exact: true }).focus()
    for (const name of ['Run cell 21', 'first 20', 'last 20', 'Run cell 22']) await press('Tab', name)
    for (const name of ['last 20', 'first 20', 'Run cell 21', 'last 19']) await press('Shift+Tab', name)
  })

  test('a whole session with the keyboard alone', async (t) => {
    const provider = await mock({ keyboard: 'Typed, not clicked.' })
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    const { keyboard } = app.page
    const focused = () =>
      app.page.evaluate(() => [document.activeElement?.getAttribute('aria-label'), document.activeElement?.className].join(' '))
    // The button that makes an agent is on the way back from where the focus begins. The way on ends at the browser's own controls.
    await app.until(async () => {
      await keyboard.press('Shift+Tab')
      return (await focused()).startsWith('New agent')
    }, 'Shift+Tab to reach "New agent"')
    await keyboard.press('Enter')
    await app.until(() => app.world.notebooks().length === 1, 'the notebook')
    await app.until(async () => (await focused()).includes('cm-content'), 'the new prompt to have the focus')
    await keyboard.type('keyboard only')
    await keyboard.press('Shift+Enter')
    await app.waitIdle()
    assert.equal(await app.answerText(), 'Typed, not clicked.')
    // Away from the editor, to the tree, a new name, and back by Enter.
    await app.until(async () => {
      await keyboard.press('Shift+Tab')
      return (await app.page.evaluate(() => document.activeElement?.getAttribute('role'))) === 'tree'
    }, 'Shift+Tab to reach the tree')
    await keyboard.press('F2')
    await app.page.getByRole('textbox', { name: 'Name of the agent' }).waitFor()
    await keyboard.press('ControlOrMeta+a')
    await keyboard.type('By hand')
    await keyboard.press('Enter')
    await app.agent('By hand').waitFor()
    await keyboard.press('Enter')
    await app.until(() => app.world.notebook().metadata.name === 'By hand', 'the name on the disk')
  })
})

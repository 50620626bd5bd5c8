// Views that have nothing to show yet: each says in a sentence what would be there and how to get
// it, in both languages and both schemes.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { inBoth, misfits } from './lib/axe.mjs'
import { chinese } from './lib/chinese.mjs'
import { outFolder } from './lib/world.mjs'

const nothing = 'zzqqxx'

/** A text of the catalogue with its fields. */
const filled = (text, fields) => fields.reduce((said, field, n) => said.replace(`{${n}}`, field), text)

/** Reasons why a sentence cannot be read: cut off, out of the window, or covered. */
const unreadable = (sentence) =>
  sentence.evaluate((e) => {
    const box = e.getBoundingClientRect()
    if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline') return 'it is cut off'
    if (box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight) return `it is at ${JSON.stringify(box)}`
    const over = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    return over && (e.contains(over) || over.contains(e)) ? '' : `${over?.outerHTML.slice(0, 120)} lies over it`
  })

for (const locale of ['en-US', 'zh-CN'])
  describe(`empty views, ${locale}`, { timeout: 600_000 }, () => {
    after(closeBrowser)
    const words = (text) => (locale === 'zh-CN' ? chinese(text) : text)

    test('each says what would be here and how to get it', async (t) => {
      const app = await App.start(t, { locale })
      const { page } = app
      const dialog = () => page.getByRole('dialog')

      /** Looks for sentences; parts: the text between keys and names of files, in the order of the catalogue. */
      async function says(view, text, ...fields) {
        const wanted = filled(words(text), fields)
        if (locale === 'zh-CN') assert.notEqual(words(text), text, `${text} has no Chinese`)
        const sentence = page.getByText(wanted).filter({ visible: true }).first()
        await sentence.waitFor()
        await sentence.scrollIntoViewIfNeeded()
        await inBoth(page, async (scheme) => {
          await page.screenshot({ path: path.join(outFolder, `empty-${view}-${locale}-${scheme}.png`) })
          assert.equal(await unreadable(sentence), '', `${view}: “${wanted}” in ${scheme}`)
          assert.deepEqual(await misfits(page), [], `${view} in ${scheme}`)
        })
      }
      const leave = async () => {
        for (let n = 0; n < 3 && (await dialog().count()) > 0; n++) {
          await page.keyboard.press('Escape')
          await page.waitForTimeout(150)
        }
        await dialog().waitFor({ state: 'detached' })
      }

      // The folder.
      await says('agents', 'No agents in this folder yet. “New agent” above makes one; it is listed here.')
      await says('start', 'An agent is a notebook of prompts and answers, kept as a plain file in this folder.')

      // The palette.
      await page.keyboard.press('Control+k')
      const field = page.locator('dialog input').first()
      for (const [view, typed, text, ...fields] of [
        ['palette-agents', '@', 'No agents in this folder yet. The command “New agent” makes one.'],
        ['palette-cells', '#', 'No cells yet. Prompts and answers of all agents are found here once they are written.'],
        ['palette-files', '/', 'No files in this folder yet. What you or an agent puts there is found here.'],
        [
          'palette',
          nothing,
          '{0} Agents, cells, files, commands and settings are searched: with fewer letters there is more.',
          filled(words('Nothing matches “{0}”.'), [nothing]),
        ],
        [
          'palette-kind',
          `>${nothing}`,
          '{0} Without the first sign everything is searched.',
          filled(words('Nothing matches “{0}”.'), [nothing]),
        ],
      ]) {
        await field.fill(typed)
        await says(view, text, ...fields)
      }
      await field.fill('')
      await leave()

      // The settings.
      await page.keyboard.press('Control+,')
      await page.locator('dialog input[type=search], dialog input').first().fill(nothing)
      await says('settings', 'No setting is called that. Empty the field to see all of them by section.')
      await page.keyboard.press('Escape')
      await dialog().getByRole('tab', { name: 'Approvals' }).click()
      await says('rules', 'No rules yet: every change asks first. What you always allow or deny when you are asked is listed here.')
      await dialog().getByRole('tab', { name: 'MCP servers' }).click()
      await says('servers', 'Tools from other programs.')
      await dialog().getByRole('button', { name: 'Import…' }).click()
      await says(
        'servers-import',
        'No servers of Claude, Cursor, VS Code, Codex or Zed were found. Those in their settings files can be imported here.',
      )
      await leave()

      // A notebook without a prompt.
      await page.getByRole('button', { name: 'New agent' }).first().click()
      await page.locator('article.cell .prompt').first().waitFor()
      await says('notebook', 'Ask, or tell what to do')
      await says('skills', 'None. Put a folder with')
      await says('files', 'in the prompt to choose a file, or drop files and paste pictures into it.')
      await says('macros', 'in a prompt stands for the value of a macro; “Add a macro” above makes one.')
      const pane = page.locator('aside.right')
      await pane.getByText(words('Changes'), { exact: true }).first().click()
      await says('changes', 'Nothing yet. Files that this agent writes, edits or removes are listed here, with their earlier content.')
      await says('file-use', 'Nothing yet. Files that this agent reads or writes are listed here, with the other agents that wrote them.')
      await page.keyboard.press('Control+f')
      await page.getByRole('search').first().locator('input').first().fill(nothing)
      await says('find', 'Not in this notebook. “{0}” searches all agents and files.', words('Find anything'))
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+Shift+D')
      await says(
        'deck',
        "{0} What it does appears here as it happens: the model's time, its tools, and what waits for you.",
        words('This agent has not run yet.'),
      )
      await page.keyboard.press('Control+Shift+B')
      await says(
        'lab',
        'Nothing was forked from this notebook, and nothing in it was put aside. “Fork into a new agent” in the menu of a cell makes a notebook that ends there; an answer that runs again is kept as a branch.',
      )
      await page.locator('aside.left input').first().fill(nothing)
      await says('agents-search', 'No {0} is called “{1}”.', words('agent'), nothing)
    })
  })

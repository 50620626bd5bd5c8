// Input methods: the keys of a composition belong to it, in every field of every view, whether the
// web view reports it (isComposing) or only the key's number does (WebKit's 229). And completion
// works after text without spaces.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { closeBrowser } from './lib/app.mjs'
import { started, views } from './lib/views.mjs'

/** Effects that a key could have: close or open something, move the focus, change a text, call the program. */
const state = (page) =>
  page.evaluate(() => ({
    dialogs: document.querySelectorAll('dialog[open]').length,
    menus: document.querySelectorAll('[role="menu"], [role="listbox"]').length,
    tabs: document.querySelectorAll('[role="tab"]').length,
    cells: document.querySelectorAll('article.cell').length,
    searches: document.querySelectorAll('[role="search"]').length,
    keyboard: document.activeElement?.dataset.composed ?? document.activeElement?.className,
    texts: [...document.querySelectorAll(':is(input, textarea)[data-composed]')].map((e) => e.value),
  }))

describe('input methods', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  for (const [name, [open, shown, more]] of Object.entries(views))
    test(`${name}: no key of a composition acts`, async (t) => {
      const app = await started(t, more)
      const { page } = app
      await open?.(page)
      await shown?.(page).waitFor()
      const calls = []
      page.on('request', (request) => {
        const call = /\/api\/call\/(\w+)/.exec(request.url())?.[1]
        // What any focus or pause may ask for, and what a view that was just opened reads.
        if (
          call &&
          !/^(?:ACPAgents|ACPSession|ApprovalRules|Cells|Compaction|Complete|Context|Family|Glimpse|Looks?|Notebook|Presence|Preview|Remembered|SaveUI|Servers|SetInFront|Tasks|Timeline|Tree)/.test(
            call,
          )
        )
          calls.push(call)
      })
      const fields = await page.evaluate(() => {
        const dialog = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document
        const all = [
          ...dialog.querySelectorAll(
            'input:not([type="checkbox"], [type="radio"]), textarea, .cm-content, article.cell, [role="tree"], dialog button',
          ),
        ]
        const seen = all.filter((e) => e.checkVisibility() && !e.closest('[inert]') && !e.disabled)
        seen.forEach((e, i) => (e.dataset.composed = String(i)))
        return seen.length
      })
      assert.ok(fields > 0, 'something has the keyboard')
      for (let i = 0; i < fields; i++) {
        const field = page.locator(`[data-composed="${i}"]`)
        if ((await field.count()) === 0) continue // its list removed it
        await field.evaluate((e) => e.focus())
        const before = await state(page)
        // Keys that change a text are the editor's.
        const text = await field.evaluate((e) => e.matches('.cm-content'))
        for (const key of ['Enter', 'Escape', ...(text ? [] : ['a', 'd', 'z', 'Delete', 'Backspace', 'ArrowDown', 'Tab'])])
          for (const composition of [
            { isComposing: true, keyCode: 229 },
            { isComposing: false, keyCode: 229 },
          ])
            await page.evaluate(
              ([k, c]) =>
                document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true, cancelable: true, ...c })),
              [key, composition],
            )
        assert.deepEqual(await state(page), before, `in field ${i} of ${fields}`)
      }
      assert.deepEqual(calls, [])
    })

  test('a composition ends in the prompt, and only the Enter after it runs', async (t) => {
    const app = await started(t)
    const { page } = app
    await app.editPrompt(-1)
    const session = await page.context().newCDPSession(page)
    await session.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
    await page.keyboard.press('Escape') // of the list of candidates, in a browser that passes it on
    await session.send('Input.insertText', { text: '日本' })
    assert.match(await app.promptText(-1), /日本/)
  })

  test('completion behind Chinese and Japanese words', async (t) => {
    const app = await started(t)
    const { page } = app
    for (const words of ['请看', '見て']) {
      await app.writePrompt(words, -1)
      await page.keyboard.type('@note')
      await page
        .getByRole('option', { name: /notes\.md/ })
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
      await app.until(
        async () =>
          (await app.promptText(-1)).startsWith(`${words}@[notes.md`) || (await app.promptText(-1)).startsWith(`${words}notes.md`),
        'the reference',
      )
      await app.writePrompt(words, -1)
      await page.keyboard.type('{{')
      await page.getByRole('option').first().waitFor()
      await page.keyboard.press('Escape')
    }
  })
})

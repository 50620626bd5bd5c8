// The window in Simplified Chinese: chosen in the settings, kept, whole and fitting in every view.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { misfits } from './lib/axe.mjs'
import { chinese, englishIn, spacesIn } from './lib/chinese.mjs'
import { familyFiles } from './lib/family.mjs'
import { started, views } from './lib/views.mjs'
import { notebookText, outFolder, World } from './lib/world.mjs'

/** Texts of the notebooks of `started`, and names of servers and models. */
const content = [
  'How much',
  'how much',
  'And in June',
  'offline guide',
  'Offline guide',
  'JetBrains Mono',
  'Chat Completions',
  'go test ./... && git push',
  'thinking aloud',
  'demo stall',
  'demo tool shell',
  'git push && rm -rf build',
  'Offline model, no language model',
  'calling shell',
]

describe('languages', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('a language is chosen in the settings: the window loads again, with everything kept', async (t) => {
    const app = await started(t)
    app.expectProblem(/none\.mtm/) // the page's console names the call that was refused
    const { page } = app
    await app.prompt(-1).click()
    await page.keyboard.type('typed before')
    await page.keyboard.press('Control+,')
    await page.getByRole('dialog').getByRole('tab', { name: 'Appearance' }).click()
    await page.getByRole('combobox', { name: 'Language' }).selectOption('简体中文')
    await page
      .getByRole('button', { name: chinese('New agent') })
      .first()
      .waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN')
    await page.getByText('typed before').waitFor()
    const { preferences } = await app.call('Settings')
    assert.equal(preferences.language, 'zh-CN')
    // A fault of the program is shown in Chinese, with its fields.
    const said = await page.evaluate(async () => {
      const answer = await window.fetchAsPage('./api/notebook?path=.mutsumi/none.mtm')
      return answer.json()
    })
    assert.ok(said.said?.[0]?.fields?.length > 0, JSON.stringify(said))
    // The answer may not arrive: the page loads again as soon as it hears of the change.
    await app.call('ChangePreferences', preferences, { ...preferences, language: 'en' }).catch((error) => {
      assert.match(error.message, /Execution context was destroyed/)
    })
    await page.getByRole('button', { name: 'New agent' }).first().waitFor()
  })

  test('the settings stay open at the language that was chosen, and earlier choices can still be undone', async (t) => {
    const app = await App.start(t)
    const { page } = app
    await page.keyboard.press('Control+,')
    let dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByRole('tab', { name: 'Appearance' }).click()
    await dialog.getByText('Dark', { exact: true }).click()
    await page.locator('html[data-theme="dark"]').waitFor()
    const choice = (name) => dialog.getByRole('combobox', { name })
    const focused = (field) => app.until(() => field.evaluate((e) => e === document.activeElement), 'the focus on the language')
    await choice('Language').focus()
    await choice('Language').selectOption('简体中文')
    dialog = page.getByRole('dialog', { name: chinese('Settings') })
    await dialog.getByRole('tab', { name: chinese('Appearance'), selected: true }).waitFor()
    await focused(choice(chinese('Language')))
    assert.equal(await choice(chinese('Language')).inputValue(), 'zh-CN')
    await page.screenshot({ path: path.join(outFolder, 'language-chosen.png') })
    // Undo takes the language back first, then what was chosen before it.
    await dialog.getByRole('button', { name: chinese('Undo {0}').replace('{0}', chinese('Language')) }).click()
    dialog = page.getByRole('dialog', { name: 'Settings' })
    await focused(choice('Language'))
    await dialog.getByRole('button', { name: 'Undo Theme' }).click()
    await page.locator('html[data-theme="light"]').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    // A reload by hand opens nothing.
    await app.reload()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('in Chinese too, a key that the keyring refuses can be kept for the session', async (t) => {
    const app = await App.start(t, { locale: 'zh-CN' })
    app.expectProblem(/SetKey/)
    const { page } = app
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    const address = dialog.getByRole('textbox', { name: 'Address' })
    await address.fill('')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText('Enter an address, such as https://api.example.com/v1.').waitFor()
    await address.fill('http://127.0.0.1:9/v1')
    await dialog.getByRole('textbox', { name: 'Key', exact: true }).fill('k')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByRole('button', { name: 'Keep it for this session only' }).click()
    await dialog.getByText('key for this session only').waitFor()
    await dialog.locator('.item').first().locator('.actions button').last().click()
    await page.getByRole('dialog', { name: 'Delete provider' }).getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.locator('.item').nth(1).waitFor({ state: 'detached' })
  })

  test('the language of the system is used, by the browser’s request', async (t) => {
    const world = new World()
    const app = await App.start(t, { world, locale: 'zh-CN' })
    assert.equal(await app.page.evaluate(() => document.documentElement.lang), 'zh-CN')
    assert.deepEqual(await englishIn(app.page, content), [])
    await app.page.screenshot({ path: path.join(outFolder, 'zh-empty.png') })

    // The sample is in it too, although the program's environment names no language.
    app.expectProblem(/^popup: /)
    const [tour] = await Promise.all([app.context.waitForEvent('page'), app.page.getByRole('button', { name: 'Take the tour' }).click()])
    await tour.getByRole('heading', { name: '两分钟导览' }).waitFor()
  })

  test("the program's own sentences: why a command asks, what it risks, what a provider answers", async (t) => {
    const app = await App.start(t, { locale: 'zh-CN' })
    const { page } = app
    await app.newAgent()
    await app.writePrompt('/demo tool shell {"command": "cat /etc/passwd > copy.txt; rm copy.txt"}')
    await app.run()
    await page
      .getByText(/在允许的文件夹之外/)
      .first()
      .waitFor()
    await page.screenshot({ path: path.join(outFolder, 'zh-approval.png') })
    assert.match(await page.locator('body').innerText(), /rm 会删除内容/i)
    assert.deepEqual(await misfits(page), [])
    assert.deepEqual(
      await englishIn(page, [
        ...content,
        'demo tool shell',
        'cat /etc/passwd > copy.txt; rm copy.txt',
        'Offline model, no language model',
        'calling shell',
      ]),
      [],
    )
    // An expression that cannot be read: its part stays, the rest is a sentence of ours.
    app.expectProblem(/400 .*\/api\/call\/FindText/) // the page's console names the call that was refused
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+f')
    await page.keyboard.press('Alt+r')
    await app.typeInField('demo(x')
    await page.getByRole('search').getByText('“demo(x”中有一个“(”没有闭合').waitFor()
  })

  test('a picture that is not drawn is named in the language of the window', async (t) => {
    const app = await App.start(t, {
      locale: 'zh-CN',
      files: { '.mutsumi/one.mtm': notebookText('One', [['?', '![garden](https://x.example/a.png) ![](https://x.example/b.png)']]) },
    })
    await app.openAgent('One')
    const links = app.page.locator('.image-link')
    await links.nth(1).waitFor()
    const labels = await links.evaluateAll((links) => links.map((link) => getComputedStyle(link, '::before').content + link.textContent))
    assert.deepEqual(labels, ['"图像："garden', '"图像："图像'])
  })

  test('the words of states and measures: the branch lab with answers, and agents that are damaged', async (t) => {
    const app = await App.start(t, {
      locale: 'zh-CN',
      viewport: { width: 1440, height: 900 },
      files: { ...familyFiles, '.mutsumi/broken.mtm': '{"metadata": {' },
    })
    const { page } = app
    await app.openAgent('Checkout latency regression')
    await app.cells().nth(3).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+Shift+B')
    const lab = page.getByRole('region', { name: 'Branch lab' })
    await lab.getByRole('columnheader').nth(2).waitFor()
    assert.match(await page.locator('body').innerText(), /已损坏[\s\S]*已完成[\s\S]*最少/)
    for (const view of ['Overview', 'Answers', 'Files', 'What was sent']) {
      await lab.getByRole('button', { name: view }).click()
      await page.screenshot({ path: path.join(outFolder, `zh-lab-${view.replace(/\W+/g, '-')}.png`) })
      assert.deepEqual(await misfits(page), [], view)
      // The notebooks are in English: only texts of the catalogue count.
      const left = (await englishIn(page)).map((found) => found.replace(/^[\w-]+: /, '')).filter((text) => chinese(text) !== text)
      assert.deepEqual(left, [], view)
    }
  })

  for (const [name, [open, shown, more]] of Object.entries(views))
    test(`in Chinese: ${name}`, async (t) => {
      const app = await started(t, { locale: 'zh-CN', ...more })
      const { page } = app
      await open?.(page)
      await shown?.(page).waitFor()
      await page.waitForTimeout(300) // for late content
      await page.screenshot({ path: path.join(outFolder, `zh-${name.replace(/\W+/g, '-')}.png`) })
      assert.deepEqual(await misfits(page), [])
      assert.deepEqual(await englishIn(page, content), [])
      assert.deepEqual(await spacesIn(page), [])
    })
})

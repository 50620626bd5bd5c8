// Answers drawn under the page's real policy: diagrams, alerts and footnotes, and the actions on a
// block of code.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

const fence = (lang, code) => `~~~${lang}\n${code}\n~~~\n\n`

/** Sources that try to run, to load or to leave their place. */
const attacks = [
  'graph TD\n  A["<img src=x onerror=\'window.__owned=1\'>"] --> B["<script>window.__owned=1</script>"]',
  'graph TD\n  A --> B\n  click A "javascript:window.__owned=1"\n  click B call alert(1)',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "body{display:none}"}}%%\ngraph TD\n  A["<b onclick=alert(1)>x</b>"]',
  '---\nconfig:\n  securityLevel: loose\n  themeCSS: "body{display:none}"\n---\ngraph TD\n  A --> B',
  'graph TD\n  A@{ img: "https://evil.example/a.png", label: "x" }',
  'graph TD\n  A:::x\n  classDef x fill:url(https://evil.example/a.svg)',
  'graph TD\n  A:::x\n  classDef x fill:red;} body{display:none',
  'sequenceDiagram\n  A->>B: <iframe srcdoc="<script>alert(1)</script>"></iframe>\n  link A: x @ javascript:alert(1)',
  'graph TD\n  A["$$\\\\href{javascript:alert(1)}{x}$$"]',
]

const flow = 'graph LR\n  A[Start] --> B{天气好吗？}\n  B -->|是| C[出去散步]\n  B -->|No| D[Stay]'
const answer = `Rain fell[^1].

> [!NOTE]
> 这是一个**说明**，有很长的一行文字，应当在框内换行而不是被切断。

> [!WARNING]
> Mind *this*.

${fence('mermaid', flow)}${fence('mermaid', 'graph TD\n  A --')}${fence('js', 'const long = "' + 'word '.repeat(60) + '"\nconsole.log(long)')}${fence('', 'line\n'.repeat(1500).trimEnd())}[^1]: Measured by hand.
`

describe('markdown', { timeout: 900_000 }, () => {
  after(closeBrowser)

  for (const colorScheme of ['light', 'dark'])
    test(`diagrams, alerts and footnotes, ${colorScheme}`, async (t) => {
      const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', [['What?', answer]]) }, colorScheme })
      const { page } = app
      await app.openAgent('A')
      const text = app.answers().first()
      await app.scrollTo(0)
      const drawing = text.getByRole('group', { name: 'Diagram' }).getByRole('img')
      await drawing.waitFor()
      await app.until(() => drawing.evaluate((img) => img.complete && img.naturalWidth > 50 && img.naturalHeight > 20), 'the drawing')
      await text.getByText('Could not draw this diagram.').waitFor()
      await text
        .locator('.md-code')
        .filter({ hasText: /graph TD\s+A --/ })
        .waitFor()
      // The keyboard goes from the button that is pressed to the one back.
      const focused = (button) => app.until(() => button.evaluate((b) => b === document.activeElement), 'the keyboard on the button back')
      await text.getByRole('button', { name: 'Show the source' }).focus()
      await page.keyboard.press('Enter')
      await text.getByText('A[Start] --> B').waitFor()
      await focused(text.getByRole('button', { name: 'Show the diagram' }))
      await page.keyboard.press('Enter')
      await drawing.waitFor()
      await focused(text.getByRole('button', { name: 'Show the source' }))
      assert.deepEqual(await text.locator('.alert-title').allInnerTexts(), ['Note', 'Warning'])

      await text.getByRole('link', { name: 'Footnote 1' }).click()
      await app.until(
        () => text.getByRole('link', { name: 'Back to footnote mark 1' }).evaluate((a) => a === document.activeElement),
        'the note',
      )
      await page.keyboard.press('Enter')
      await app.until(() => text.getByRole('link', { name: 'Footnote 1' }).evaluate((a) => a === document.activeElement), 'the mark')
    })

  test('a footnote and its mark are found from each other, in both groups, over much that was never drawn', async (t) => {
    const words = `${'Words between. '.repeat(80)}\n\n`.repeat(30)
    const noted = (name) => `${name} has a mark[^1].\n\n${words}[^1]: The note of ${name}.\n`
    const cells = ['Rain', 'Sun'].map((name) => [name, noted(name)])
    const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', cells) } })
    const { page } = app
    await app.openAgent('A')
    await app.scrollTo(0)
    await page.keyboard.press('Control+\\')
    const groups = page.locator('[data-group]')
    await app.until(async () => (await groups.count()) === 2, 'the second group')
    // The one that has the keyboard, once nothing moves it any more.
    const arrived = (group, text) =>
      app.until(
        () =>
          group.evaluate(async (g, text) => {
            const there = () => {
              const at = document.activeElement
              const { top, bottom } = at.getBoundingClientRect()
              const list = g.querySelector('.virtual').getBoundingClientRect()
              return g.contains(at) && at.closest('p')?.innerText.includes(text) && top >= list.top && bottom <= list.bottom
            }
            const first = there()
            for (let n = 0; n < 20; n++) await new Promise(requestAnimationFrame)
            return first && there()
          }, text),
        text,
      )
    for (const group of [groups.nth(0), groups.nth(1), groups.nth(0)]) {
      await group.locator('.virtual').evaluate((list) => (list.scrollTop = 0))
      await group.getByRole('link', { name: 'Footnote 1' }).first().click()
      await arrived(group, 'The note of Rain')
      await page.keyboard.press('Enter')
      await arrived(group, 'Rain has a mark')
    }
  })

  test('a link to a file without an ending opens it at its line', async (t) => {
    const rules = Array.from({ length: 300 }, (_, i) => `rule${i + 1}:`).join('\n')
    const said = 'See [the rule](Makefile:200), not [the server](localhost:8080).'
    const app = await App.start(t, { files: { Makefile: rules, '.mutsumi/a.mtm': notebookText('A', [['Where?', said]]) } })
    await app.openAgent('A')
    const { page } = app
    await page.getByRole('link', { name: 'the rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'Makefile:200' })
    await dialog.getByText('rule200:', { exact: true }).waitFor()
    await dialog.getByText('Line 200').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await page.getByRole('link', { name: 'the server' }).count(), 0)
  })

  test('code is copied, saved, wrapped and opened with the keyboard', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', [['What?', answer]]) } })
    const { page } = app
    await app.openAgent('A')
    const code = app.answers().first().locator('.md-code').filter({ hasText: 'console.log' })
    await code.scrollIntoViewIfNeeded()
    const press = async (name) => {
      await code.getByRole('button', { name }).focus()
      await page.keyboard.press('Enter')
    }
    const pre = code.locator('pre')
    const wide = () => pre.evaluate((e) => e.scrollWidth > e.clientWidth + 1)
    assert.equal(await wide(), true)
    await press('Wrap lines')
    await app.until(async () => !(await wide()), 'wrapped lines')
    await press('Line numbers')
    await app.until(async () => (await code.locator('.numbered').count()) === 2, 'numbers')
    await press('Copy code')
    await code.getByRole('button', { name: 'Copied' }).waitFor()
    const whole = 'const long = "' + 'word '.repeat(60) + '"\nconsole.log(long)'
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), whole)
    const download = page.waitForEvent('download')
    await press('Save as file')
    const saved = await download
    assert.equal(saved.suggestedFilename(), 'code.js')
    assert.equal(readFileSync(await saved.path(), 'utf8'), whole + '\n')

    const long = app.answers().first().locator('.md-code.long')
    await long.scrollIntoViewIfNeeded()
    assert.ok((await long.evaluate((e) => e.offsetHeight)) < 540)
    await long.getByRole('button', { name: 'Open in a viewer' }).click()
    await page.getByRole('dialog', { name: 'Code' }).locator('.cm-content').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('a diagram runs nothing, loads nothing and changes nothing around it', async (t) => {
    const files = { '.mutsumi/a.mtm': notebookText('A', [['What?', attacks.map((a) => fence('mermaid', a)).join('') + 'The end.']]) }
    const app = await App.start(t, { files })
    const { page } = app
    await app.openAgent('A')
    const text = app.answers().first()
    await text.getByText('The end.').waitFor()
    const settled = text.locator('.md-diagram, .md-diagram-fault')
    await app.until(async () => (await settled.count()) === attacks.length, 'all sources to be drawn or refused')
    assert.equal(await page.evaluate(() => window.__owned), undefined)
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).display === 'none'), false)
    const found = await text.locator('.md-diagram img').evaluateAll((all) =>
      all.flatMap((img) => {
        const svg = new DOMParser().parseFromString(decodeURIComponent(img.src.slice(img.src.indexOf(',') + 1)), 'image/svg+xml')
        const elements = [...svg.querySelectorAll('script, foreignObject, iframe, a, image, use, parsererror')].map((e) => e.tagName)
        const attributes = [...svg.querySelectorAll('*')].flatMap((e) => [...e.attributes]).filter((a) => /^on|href$|^src$/i.test(a.name))
        const loads = /@import|url\(["']?[^#"']|evil\.example|body\s*\{/i.exec(
          [...svg.querySelectorAll('style')].map((e) => e.textContent).join(),
        )
        return [...elements, ...attributes.map((a) => `${a.name}=${a.value}`), ...(loads ?? [])]
      }),
    )
    assert.deepEqual(found, [])
  })

  test('words and formulas of the list that streams in stay as they are: selected and copied, drawn once', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env, files: { '.mutsumi/a.mtm': notebookText('A', []) } })
    const { page } = app
    await app.openAgent('A')
    await app.typePrompt('List')
    await app.run()
    const exchange = await provider.next()
    exchange.text('Words first.\n\n- rain falls\n- as $x^2$ says\n- water runs')
    const items = app.answers().locator('li')
    await items.nth(1).locator('.katex').waitFor()
    await items.nth(2).getByText('water runs').waitFor()
    await items
      .nth(1)
      .locator('.katex')
      .first()
      .evaluate((el) => (el.dataset.once = 'yes'))
    await items.nth(2).evaluate((item) => {
      const walk = document.createTreeWalker(item, NodeFilter.SHOW_TEXT)
      const text = walk.nextNode()
      const at = text.data.indexOf('water')
      getSelection().setBaseAndExtent(text, at, text, at + 5)
    })
    for (const [more, shown] of [
      [' down', 'water runs down'],
      [' the hill\n- **and', 'and'],
      [' more**\n\nThe end.', 'The end.'],
    ]) {
      exchange.text(more)
      await app.answers().getByText(shown, { exact: true }).waitFor()
      assert.equal(await page.evaluate(() => String(getSelection())), 'water', `after ${JSON.stringify(more)}`)
    }
    exchange.end()
    await app.waitIdle()
    assert.equal(await page.evaluate(() => String(getSelection())), 'water')
    assert.equal(await items.nth(1).locator('[data-once]').count(), 1)
    assert.deepEqual(await items.allInnerTexts().then((all) => all.map((text) => text.trim()).toSpliced(1, 1)), [
      'rain falls',
      'water runs down the hill',
      'and more',
    ])
  })
})

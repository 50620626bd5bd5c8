// The measurable look of the window: elements on one line, elements at one edge, menus and tooltips
// that inherit nothing.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { smallControls } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

const answer = 'A sentence before the code.\n\n```js\nlet a = 1\n```\n\nA sentence after it with $E = \\sqrt{x}$ in a line.\n\n'

describe('the look', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  /** A notebook with a thought, a call, an answer with code and a formula, and a prompt below. */
  async function start(t, options = {}) {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env, files: { 'notes.md': '# Notes\n' }, ...options })
    await app.newAgent()
    await app.typePrompt('Look at the notes')
    await app.run()
    const first = await provider.next()
    first.reasoning('I read them first.')
    first.text(answer)
    first.call('read_file', { uri: 'notes.md' })
    first.end({ input: 10, output: 10 })
    const second = await provider.next()
    second.text('There is one line.')
    second.end({ input: 20, output: 5 })
    await app.waitIdle()
    await app.page.locator('.katex').first().waitFor()
    return app
  }

  /** The position of the words of elements: the left edge of the first, and their line. */
  const words = (page, selectors) =>
    page.evaluate((list) => {
      const probe = (element) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (n) =>
          n.data.trim() && n.parentElement.checkVisibility() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP,
        )
        const text = walker.nextNode()
        const range = document.createRange()
        const from = text.data.search(/\S/)
        range.setStart(text, from)
        range.setEnd(text, from + 1)
        const box = range.getBoundingClientRect()
        const context = document.createElement('canvas').getContext('2d')
        const style = getComputedStyle(text.parentElement)
        context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
        const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText('x')
        return { left: box.left, baseline: box.top + (box.height * up) / (up + down) }
      }
      return Object.fromEntries(
        Object.entries(list).map(([name, css]) => [name, probe([...document.querySelectorAll(css)].find((e) => e.checkVisibility()))]),
      )
    }, selectors)

  const near = (a, b, by, what) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a.toFixed(2)} and ${b.toFixed(2)}`)

  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 900, height: 600 },
  ]) {
    test(`heads are on one line, panes have one margin, answers one edge, at ${viewport.width} pixels`, async (t) => {
      const app = await start(t, { viewport })
      const { page } = app
      const inspector = page.getByRole('complementary', { name: 'Context' })
      if (!(await inspector.isVisible())) await page.keyboard.press('Control+Alt+b')
      await inspector.getByRole('heading').nth(3).waitFor()

      const heads = await words(page, {
        folder: '.workspace strong',
        tab: '[role=tab] .name',
        kind: '.after button[aria-label^="Kind of agent"]',
        model: '.after button[aria-label^="Model"]',
        segment: 'aside.right .segment',
      })
      for (const [name, head] of Object.entries(heads))
        near(head.baseline, heads.folder.baseline, 0.75, `the line of ${name} and of the folder`)

      const texts = await words(page, { prompt: 'article .prompt', prose: '.answer p', cost: '.usage' })
      for (const [name, text] of Object.entries(texts)) near(text.left, texts.prompt.left, 1, `the edge of ${name} and of the prompt`)
      const rows = await words(page, { thought: '.disclosure', call: '.tool .what' })
      near(rows.thought.left, rows.call.left, 1, 'the edge of a thought and of a call')

      const edges = await page.evaluate(() => {
        const pane = document.querySelector('aside.right').getBoundingClientRect()
        const side = document.querySelector('aside.left').getBoundingClientRect()
        return {
          sections: [...document.querySelectorAll('aside.right h3')].map((e) => [
            e.textContent.trim(),
            e.getBoundingClientRect().left - pane.left - 1,
          ]),
          side: [...document.querySelectorAll('aside.left .leaf, aside.left .find, aside.left h2')].map((e) => [
            e.className || e.textContent,
            e.getBoundingClientRect().left - side.left,
          ]),
          folds: [...document.querySelectorAll('aside.left .fold svg')].map((e) => e.getBoundingClientRect().left - side.left),
        }
      })
      assert.ok(edges.sections.length > 3 && edges.side.length === 3, JSON.stringify(edges))
      for (const [name, left] of [...edges.sections, ...edges.side]) near(left, 16, 1, `the margin of ${name}`)

      const gutter = await page.evaluate(() => {
        const middle = (css) => {
          const r = document.querySelector(css).getBoundingClientRect()
          return (r.top + r.bottom) / 2
        }
        const line = document.querySelector('article .prompt .cm-line, article .prompt-text')
        const box = line.getBoundingClientRect()
        return { run: middle('.gutter .go'), number: middle('.gutter .number'), line: box.top + Math.min(box.height, 24) / 2 }
      })
      near(gutter.run, gutter.number, 1, 'the run button and the number of a cell')
      near(gutter.run, gutter.line, 2, 'the run button and the first line')

      const air = await page.evaluate(() => {
        const code = document.querySelector('.answer .md-code').getBoundingClientRect()
        const texts = [...document.querySelectorAll('.answer p')].map((p) => p.getBoundingClientRect())
        return {
          above: code.top - Math.max(...texts.filter((r) => r.bottom <= code.top).map((r) => r.bottom)),
          below: Math.min(...texts.filter((r) => r.top >= code.bottom).map((r) => r.top)) - code.bottom,
        }
      })
      near(air.above, air.below, 1, 'the air above and below code')

      const formula = await page.evaluate(() => {
        const katex = document.querySelector('.answer .katex')
        return {
          size: parseFloat(getComputedStyle(katex).fontSize) / parseFloat(getComputedStyle(katex.closest('p')).fontSize),
          lines: katex.closest('p').getClientRects().length,
          high: katex.closest('p').getBoundingClientRect().height,
        }
      })
      near(formula.size, 1.05, 0.01, 'a formula and the prose')
      assert.ok(formula.high < 30 || viewport.width < 1000, `a formula in a line stays in it: ${formula.high}`)
    })
  }

  test('long lists have the colour of what they are on, opaque: otherwise each scrolled pixel paints them again', async (t) => {
    const app = await start(t)
    const lists = () =>
      app.page.evaluate(() =>
        [...document.querySelectorAll('.virtual')]
          .filter((e) => e.checkVisibility())
          .map((list) => {
            const colour = (e) => getComputedStyle(e).backgroundColor
            let below = list.parentElement
            while (colour(below) === 'rgba(0, 0, 0, 0)') below = below.parentElement
            return { name: list.querySelector('[role=list]').ariaLabel, own: colour(list), below: colour(below) }
          }),
      )
    const found = await lists()
    await app.page.getByRole('complementary').last().getByRole('button', { name: 'Tools', exact: true }).click()
    await app.page.getByRole('list', { name: 'Tools' }).waitFor()
    found.push(...(await lists()))
    await app.page.keyboard.press('Control+Shift+P')
    await app.page.getByRole('list', { name: 'Messages' }).waitFor()
    found.push(...(await lists()))
    assert.deepEqual([...new Set(found.map((list) => list.name))].sort(), ['Cells', 'Messages', 'Tools'])
    for (const { name, own, below } of found) assert.equal(own, below, `the list ${name}`)
  })

  test('a menu inherits nothing from its owner', async (t) => {
    const app = await start(t)
    const { page } = app
    const faceOf = () =>
      page.evaluate(() => {
        const menu = document.querySelector('[role=menu]')
        const style = (e) =>
          (({ fontFamily, fontSize, fontWeight, color }) => ({ fontFamily, fontSize, fontWeight, color }))(getComputedStyle(e))
        return {
          ...style(menu.querySelector('[role=menuitem]:not([aria-disabled]) .label')),
          off: [...menu.querySelectorAll('[aria-disabled] .label')].map((e) => getComputedStyle(e).color)[0],
          parent: menu.closest('.veil').parentElement.id,
          labels: [...new Set([...menu.querySelectorAll('.label')].map((e) => Math.round(e.getBoundingClientRect().left)))],
        }
      })
    await app.cell(1).hover()
    await page.getByRole('button', { name: 'Cell menu' }).first().click()
    const cell = await faceOf()
    await page.keyboard.press('Escape')
    await page.getByRole('treeitem').first().click({ button: 'right' })
    const agent = await faceOf()
    await page.keyboard.press('Escape')
    const { off, labels, ...face } = cell
    const { off: agentOff, labels: agentLabels, ...agentFace } = agent
    assert.deepEqual(face, agentFace, 'the same face')
    assert.match(face.fontFamily, /^"Inter/)
    assert.equal(face.parent, 'app')
    assert.notEqual(off, face.color, 'what cannot be used looks different')
    assert.equal(off, agentOff)
    assert.deepEqual([labels.length, agentLabels.length], [1, 1], 'all labels at one edge')
  })

  test('a long name of a model leaves room for the words beside it', async (t) => {
    const provider = await Paced.start({ model: `organisation/${'model-with-a-long-name-'.repeat(5)}preview` })
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    const { page } = app
    await app.newAgent()
    await page.getByRole('button', { name: /^(Model|Who answers): / }).click()
    const menu = page.getByRole('menu')
    await menu.locator('em').first().waitFor()
    const { out, cut } = await menu.evaluate((menu) => ({
      out: menu.querySelector('.list').scrollWidth - menu.querySelector('.list').clientWidth,
      cut: [...menu.querySelectorAll('.item:has(em) .label')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent),
    }))
    assert.deepEqual({ out, cut }, { out: 0, cut: [] })
  })

  test('a tooltip appears by pointer and by keyboard, over dialogs, not over typed text, and is not read twice', async (t) => {
    const app = await start(t)
    const { page } = app
    const tip = page.locator('#tip')
    const shown = () => tip.evaluate((e) => (e.matches(':popover-open.shown') ? e.textContent.replace(/\s+/g, ' ').trim() : ''))
    const says = (text) => app.until(async () => (await shown()).startsWith(text), `the tooltip ${text}`)
    const gone = () => app.until(async () => (await shown()) === '', 'no tooltip')

    const settings = page.getByRole('button', { name: 'Settings' }).first()
    await settings.hover()
    await says('Settings')
    assert.deepEqual(await tip.locator('kbd').allTextContents(), ['Ctrl', ','])
    assert.equal(await settings.getAttribute('aria-describedby'), null)
    assert.equal(await tip.getAttribute('aria-hidden'), 'true', 'the name is said by the button')
    const box = await tip.boundingBox()
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1280, JSON.stringify(box))
    await page.keyboard.press('Shift')
    await gone()

    // By keyboard; the description has more than the name.
    await page.mouse.move(640, 600)
    await page
      .getByRole('combobox')
      .or(page.getByRole('textbox', { name: 'Search agents' }))
      .first()
      .focus()
    await page.keyboard.press('Tab')
    await app.until(shown, 'a tooltip of what has the focus')
    const focused = await page.evaluate(() => document.activeElement.dataset.tip)
    assert.ok((await shown()).startsWith(focused), focused)
    await page.keyboard.press('Escape')
    await gone()

    // Over a dialog, which is above all of the page.
    await page.keyboard.press('Control+,')
    const close = page.getByRole('dialog').getByRole('button', { name: 'Close' })
    await close.hover()
    await says('Close')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    // Not over typed text: the prompt is right below the tab.
    await app.editPrompt(1)
    const field = await page.locator('.cm-focused').boundingBox()
    await page.getByRole('tab').first().hover()
    await app.until(shown, 'the tooltip of the tab')
    const over = await tip.boundingBox()
    assert.ok(
      over.y + over.height <= field.y ||
        over.y >= field.y + field.height ||
        over.x >= field.x + field.width ||
        over.x + over.width <= field.x,
      JSON.stringify([over, field]),
    )
    await page.keyboard.type('x')
    await gone()

    // Nothing of the page has a tooltip of the system.
    const titled = await page.evaluate(() => [...document.body.querySelectorAll('[title]')].map((e) => e.outerHTML.slice(0, 120)))
    assert.deepEqual(titled, [])
  })

  test('in a small window the kind of an agent is an icon, and while all are paused every control has 24 pixels', async (t) => {
    const app = await App.start(t, {
      viewport: { width: 1280, height: 420 },
      files: { '.mutsumi/one.mtm': notebookText('One with a long name', [['q', 'a']], { agentType: 'orchestrator' }) },
    })
    const { page } = app
    await app.openAgent('One with a long name')
    await app.call('SetPaused', true)
    await page.getByRole('button', { name: 'Continue' }).waitFor()
    const kind = page.getByRole('button', { name: 'Kind of agent: orchestrator' })
    const shown = () =>
      kind.evaluate((e) => ({
        icon: e.querySelector('svg').checkVisibility(),
        name: e.querySelector('span').checkVisibility(),
        cut: e.querySelector('span').scrollWidth > e.querySelector('span').clientWidth,
      }))
    assert.deepEqual(await shown(), { icon: false, name: true, cut: false })
    assert.deepEqual(await smallControls(page), [])
    await page.setViewportSize({ width: 640, height: 420 })
    await app.until(async () => (await shown()).icon, 'the icon')
    assert.equal((await shown()).name, false)
    assert.match(await kind.getAttribute('data-tip'), /^orchestrator\n/)
    assert.deepEqual(await smallControls(page), [])
  })

  test('in a small window the state of a run stays on its line, and its model keeps room for a name', async (t) => {
    const app = await App.start(t, { viewport: { width: 640, height: 420 }, files: { '.mutsumi/one.mtm': notebookText('One', []) } })
    const { page } = app
    await app.openAgent('One')
    await app.writePrompt('/demo tool shell {"command": "git push"}')
    await app.run()
    const line = page.getByRole('status', { name: 'Running' }).filter({ hasText: 'Waiting for you' })
    await line.waitFor()
    const edges = await line.evaluate((status) => {
      const right = status.closest('article').querySelector('.prompt').getBoundingClientRect().right
      const seen = [...status.children].filter((e) => e.getBoundingClientRect().top < status.getBoundingClientRect().bottom)
      return {
        out: seen.filter((e) => e.getBoundingClientRect().right > right + 1).map((e) => e.textContent),
        lines: seen.filter((e) => e.getBoundingClientRect().height > 30).map((e) => e.textContent),
      }
    })
    assert.deepEqual(edges, { out: [], lines: [] })
    const name = page.getByRole('button', { name: /^(Model|Who answers): / }).locator('span')
    const { width } = await name.boundingBox()
    assert.ok(width > 45, `the name of the model has ${width} pixels`)
    assert.ok((await page.getByRole('button', { name: 'Stop', exact: true }).count()) > 0)
    assert.deepEqual(await smallControls(page), [])
  })

  test('segments, chevrons and keys look the same everywhere', async (t) => {
    const app = await start(t)
    const { page } = app
    const looks = (css) =>
      page
        .locator(css)
        .evaluateAll((all) => [
          ...new Set(
            all
              .filter((e) => e.checkVisibility())
              .map((e) =>
                (({ height, fontSize, borderRadius, backgroundColor }) => [height, fontSize, borderRadius, backgroundColor].join(' '))(
                  getComputedStyle(e),
                ),
              ),
          ),
        ])
    const segments = new Set(await looks('.segments'))
    assert.equal(segments.size, 1)
    await page.keyboard.press('Control+Shift+D')
    await page.getByRole('button', { name: 'Timeline', pressed: true }).waitFor()
    for (const look of await looks('.segments')) segments.add(look)
    await page.keyboard.press('Control+,')
    await page.getByRole('tab', { name: 'Appearance' }).click()
    for (const look of await looks('dialog .segments')) segments.add(look)
    assert.equal(segments.size, 1, [...segments].join('\n'))
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('summary').count(), 0)
    const keys = await page
      .locator('kbd')
      .evaluateAll((all) => all.map((e) => e.textContent).filter((k) => /[⇧⌃⌥]|^Control|^Escape/.test(k)))
    assert.deepEqual(keys, [])
  })
})

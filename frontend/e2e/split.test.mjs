// Groups of tabs side by side: by key, menu, drag and palette; one document in two groups; which
// group gets the focus; what is restored; little space.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { closeBrowser } from './lib/app.mjs'
import { findings, inBoth } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'
import { Split, wide } from './lib/split.mjs'
import { notebookText, outFolder } from './lib/world.mjs'

describe('groups of tabs beside each other', { timeout: 900_000 }, () => {
  after(closeBrowser)

  test('one document in two groups: two places, two carets, one text and one undo', async (t) => {
    const split = await Split.start(t, ['Garden'])
    const { app, page, left, right } = split
    app.expectProblem(/409 .*UndoIn/) // an undo that was pressed before the last one had arrived
    await page.keyboard.press('Control+\\')
    await split.are('[Garden]', '[Garden]')
    await split.used(1)

    // Scrolled apart: each stays where it is.
    await right.locator('article.cell').last().waitFor()
    await split.top(left)
    const before = await split.scrolled(left)
    await right.hover()
    await page.mouse.wheel(0, -6000)
    await app.until(async () => (await split.scrolled(right)) < before - 3000, 'the right view to scroll')
    assert.equal(await split.scrolled(left), before)
    const there = await split.top(right)

    // Text typed on one side appears on the other; the focus stays.
    await left.locator('.prompt').last().click()
    await split.used(0)
    await page.keyboard.type('Typed at the left')
    await app.waitIdle()
    assert.equal(await split.top(right), there, 'typing scrolls the other view')
    await right
      .locator('article.cell')
      .first()
      .click({ position: { x: 4, y: 4 } })
    await split.used(1)
    await page.keyboard.press('End')
    await right.locator('.prompt', { hasText: 'Typed at the left' }).waitFor()
    await right.locator('.prompt', { hasText: 'Typed at the left' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(', and at the right')
    await left.locator('.prompt', { hasText: 'Typed at the left, and at the right' }).waitFor()
    await split.used(1)

    // Undo on the left reverts the document's last change, wherever it was typed.
    await app.waitIdle()
    await left.locator('.prompt', { hasText: 'Typed at the left' }).click()
    await split.used(0)
    const rev = async () => (await app.notebook('.mutsumi/garden.mtm')).rev
    const shown = (group) => group.locator('.prompt', { hasText: 'at the right' }).count()
    await app.until(async () => {
      if ((await shown(left)) === 0) return true
      const before = await rev()
      await page.keyboard.press('Control+z')
      await app.until(async () => (await rev()) !== before, 'a step back')
      return false
    }, 'the text at the right to be undone')
    await app.until(async () => (await shown(right)) === 0, 'the other group to show it')

    // The command's keys act in the group that has the keyboard.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Home')
    await left.locator('article.cell[aria-current="true"]', { hasText: 'Garden question 0' }).waitFor()
    assert.equal(await right.locator('article.cell[aria-current="true"]', { hasText: 'Garden question 0' }).count(), 0)
  })

  test('undo in a prompt takes its text back, then what was typed in the other group', async (t) => {
    const apples = notebookText('Cellar', [
      ['What is down there?', 'Apples.'],
      ['And beside them?', 'Pears.'],
    ])
    const split = await Split.start(t, ['Cellar'], { files: { '.mutsumi/cellar.mtm': apples } })
    const { app, page, left, right } = split
    app.expectProblem(/409 .*UndoIn/) // an undo that was pressed before the last one had arrived
    await page.keyboard.press('Control+\\')
    await split.are('[Cellar]', '[Cellar]')
    const prompt = (group, n) => group.locator(`article.cell[aria-label="Cell ${n}"] .prompt`)
    const type = async (group, place, n, text) => {
      await prompt(group, n).click()
      await split.used(place)
      await page.keyboard.press('Control+End')
      await page.keyboard.insertText(text)
      await app.waitIdle()
    }
    await type(left, 0, 1, ' Tell.')
    await type(right, 1, 2, ' Tell too.')
    await prompt(left, 1).click()
    await split.used(0)
    const says = async (...texts) => {
      for (const group of [left, right])
        for (const [n, text] of texts.entries())
          await app.until(async () => (await prompt(group, n + 1).innerText()).trim() === text, `"${text}" in cell ${n + 1}`)
      await app.waitIdle()
    }
    await says('What is down there? Tell.', 'And beside them? Tell too.')
    await page.keyboard.press('Control+z')
    await says('What is down there?', 'And beside them? Tell too.')
    await page.keyboard.press('Control+z')
    await says('What is down there?', 'And beside them?')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Shift+z')
    await says('What is down there?', 'And beside them? Tell too.')
    await page.keyboard.press('Shift+z')
    await says('What is down there? Tell.', 'And beside them? Tell too.')
  })

  test('what undo took out of a text that was typed in both groups, redo puts back in its place', async (t) => {
    const split = await Split.start(t, ['Cellar'])
    const { app, page, left, right } = split
    app.expectProblem(/409 .*(UndoIn|Redo)/) // each is pressed once more than there is to do
    await page.keyboard.press('Control+\\')
    await split.are('[Cellar]', '[Cellar]')
    const prompt = (group) => group.locator('article.cell[aria-label="Cell 1"] .prompt')
    const says = async (text) => {
      for (const group of [left, right])
        await app.until(async () => (await prompt(group).locator('.prompt-text').innerText()) === text, `“${text}”`)
    }
    const types = async (group, place, text) => {
      await prompt(group).click()
      await split.used(place)
      await page.keyboard.press('Control+End')
      await page.keyboard.insertText(text)
    }
    await types(left, 0, ' left')
    await types(right, 1, ' right')
    await says('What is down there? left right')
    await prompt(left).click()
    await split.used(0)
    const goes = async (key, text) => {
      await page.keyboard.press(key)
      await says(text)
    }
    await goes('Control+z', 'What is down there? right')
    await goes('Control+z', 'What is down there?')
    await goes('Control+Shift+Z', 'What is down there? right')
    await goes('Control+Shift+Z', 'What is down there? left right')
    for (const key of ['z', 'z', 'z', 'Shift+Z', 'Shift+Z', 'Shift+Z']) await page.keyboard.press(`Control+${key}`)
    await says('What is down there? left right')
    await app.until(() => app.world.read('.mutsumi/cellar.mtm').includes('there? left right"'), 'the text in the file')
  })

  test('what the other group shows is drawn only there, and comes back at its place', async (t) => {
    const split = await Split.start(t, ['Garden'])
    const { app, page, right } = split
    await page.keyboard.press('Control+\\')
    await split.are('[Garden]', '[Garden]')
    await split.used(1)
    await right.locator('article.cell').last().waitFor()
    await right.hover()
    const end = await split.scrolled(right)
    await page.mouse.wheel(0, -6000)
    await app.until(async () => (await split.scrolled(right)) < end - 3000, 'the right view to scroll')
    const place = await split.top(right)
    await app.openAgent('Cellar')
    await split.are('[Garden]', 'Garden [Cellar]')
    await right.locator('section.book[aria-busy="false"]', { hasText: 'Cellar' }).waitFor()
    assert.equal(await right.locator('section.book').count(), 1)
    await split.tab(right, 'Garden').click()
    await split.are('[Garden]', '[Garden] Cellar')
    assert.equal(await split.top(right), place)
  })

  test('keys, the menu of a tab, that of an agent and the palette act on the group in use', async (t) => {
    const split = await Split.start(t, ['Garden', 'Kitchen'])
    const { page, app, left, right } = split
    await app.agentMenu('Cellar', /Open at the side/)
    await split.are('Garden [Kitchen]', '[Cellar]')
    await split.front(1)
    await page.keyboard.press('F6')
    await split.used(0)
    await page.keyboard.press('Control+1')
    await split.are('[Garden] Kitchen', '[Cellar]')
    await page.keyboard.press('Shift+F6')
    await split.are('[Kitchen]', 'Cellar [Garden]')
    await split.used(1)

    // The palette opens its choice in the focused group; its separate step opens it at the side.
    await page.keyboard.press('Control+k')
    await app.typeInField('Kitchen')
    await page
      .getByRole('option', { name: /Kitchen/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await split.are('[Kitchen]', 'Cellar Garden [Kitchen]')
    await page.keyboard.press('Control+k')
    await app.typeInField('Open at the side')
    await page
      .getByRole('option', { name: /Open at the side/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Cellar')
    await page
      .getByRole('option', { name: /Cellar/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await split.are('Kitchen [Cellar]', 'Cellar Garden [Kitchen]')
    await split.used(0)

    // A tab is closed in the group of the command; the last one closes its group.
    await page.keyboard.press('Control+w')
    await split.are('[Kitchen]', 'Cellar Garden [Kitchen]')
    await split.tab(right, 'Cellar').click({ button: 'right' })
    await page.getByRole('menuitem', { name: /Move the tab to the other side/ }).click()
    await split.are('Kitchen [Cellar]', 'Garden [Kitchen]')
    await split.tab(right, 'Garden').click({ button: 'right' })
    await page.getByRole('menuitem', { name: /Close the group/ }).click()
    await split.are('Kitchen [Cellar]')
    await split.tab(left, 'Kitchen').click({ button: 'right' })
    await page.getByRole('menuitem', { name: /Split right/ }).click()
    await split.are('Kitchen [Cellar]', '[Kitchen]')
    await page.getByRole('tree').focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Alt+Enter')
    await split.are('Kitchen [Cellar]', '[Kitchen]')
    await split.used(0)
  })

  test('a tab is dragged to the right edge, into the other bar and back; elsewhere nothing happens', async (t) => {
    const split = await Split.start(t, ['Garden', 'Kitchen', 'Cellar'])
    const { page, left, right } = split
    await split.drag(split.tab(left, 'Kitchen'), 700, 500) // the middle of the only group
    assert.equal(await page.locator('.drop').count(), 0)
    await page.mouse.up()
    await split.are('Garden [Kitchen] Cellar')
    const one = await left.boundingBox()
    await split.drag(split.tab(left, 'Kitchen'), one.x + one.width - 40, 500)
    await page.locator('.drop.right').waitFor()
    await page.mouse.up()
    await split.are('Garden [Cellar]', '[Kitchen]')
    await split.used(1)
    const bar = await split.tab(right, 'Kitchen').boundingBox()
    await split.drag(split.tab(left, 'Garden'), bar.x + 4, bar.y + 10) // before it
    await page.mouse.up()
    await split.are('[Cellar]', '[Garden] Kitchen')
    const view = await left.boundingBox()
    await split.drag(split.tab(right, 'Kitchen'), view.x + 200, view.y + 400)
    await page.locator('.drop').waitFor()
    await page.mouse.up()
    await split.are('Cellar [Kitchen]', '[Garden]')
    await split.drag(split.tab(right, 'Garden'), view.x + 200, view.y + 400)
    await page.mouse.up()
    await split.are('Cellar Kitchen [Garden]')
    assert.equal(await page.locator('.drop').count(), 0)
  })

  test('both groups, their widths and places are restored', async (t) => {
    const split = await Split.start(t, ['Garden', 'Cellar'])
    const { app, page } = split
    await app.agentMenu('Kitchen', /Open at the side/)
    await split.are('Garden [Cellar]', '[Kitchen]')
    await split.right
      .locator('article.cell')
      .last()
      .click({ position: { x: 4, y: 4 } })
    await page.keyboard.press('Home')
    await split.right.locator('article.cell[aria-current="true"]', { hasText: 'Kitchen question 0' }).waitFor()
    const splitter = page.getByRole('separator', { name: 'Width of the tabs at the left' })
    await splitter.focus()
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowLeft')
    const width = (await split.left.boundingBox()).width
    const right = (await split.right.boundingBox()).width
    assert.ok(width < right - 200, 'the splitter moves')
    await app.layoutSaved(new RegExp(`"share":\\s*${Math.round((100 * width) / (width + right))}\\b`))
    await app.restart()
    const again = new Split(app)
    await again.are('Garden [Cellar]', '[Kitchen]')
    await again.right.locator('article.cell', { hasText: 'Kitchen question 0' }).waitFor()
    await again.used(1) // the notebook at the left is drawn too, and takes no keyboard
    assert.ok(Math.abs((await again.left.boundingBox()).width - width) < 4, 'the width is restored')
  })

  test('after a reload one document in two groups has its two places again', async (t) => {
    const split = await Split.start(t, ['Garden'])
    const { app, page } = split
    await page.keyboard.press('Control+\\')
    await split.are('[Garden]', '[Garden]')
    await split.used(1)
    for (const [group, by] of [
      [split.right, -3000],
      [split.left, -9000],
    ]) {
      await split.top(group)
      await group.hover()
      await page.mouse.wheel(0, by)
    }
    const tops = async () => [await split.top(split.left), await split.top(split.right)]
    const before = await tops()
    assert.notEqual(before[0], before[1])
    const { uuid } = app.world.notebook('.mutsumi/garden.mtm').metadata
    await app.until(async () => {
      const { places } = (await app.call('Snapshot')).ui
      return [uuid, `${uuid} 1`].every((name, i) => `Cell ${places?.[name]?.index + 1}` === before[i])
    }, 'both places to be kept')
    await app.reload()
    await split.are('[Garden]', '[Garden]')
    assert.deepEqual(await tops(), before)
  })

  test('with less than 900 px only the group in use is shown; the others return with more space', async (t) => {
    const split = await Split.start(t, ['Garden'])
    const { page, app } = split
    await app.agentMenu('Kitchen', /Open at the side/)
    await split.are('[Garden]', '[Kitchen]')
    await page.setViewportSize({ width: 900, height: 700 })
    await split.are('[Kitchen]')
    await page.keyboard.press('F6')
    await split.are('[Garden]')
    await split.used(0)
    await page
      .getByRole('button', { name: 'Go to the other group of tabs' })
      .or(page.getByRole('button', { name: 'Other group' }))
      .click()
    await split.are('[Kitchen]')
    const cut = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.ok(cut <= 0, 'nothing is wider than the window')
    await page.screenshot({ path: path.join(outFolder, 'split-900.png') })
    await page.setViewportSize(wide)
    await split.are('[Garden]', '[Kitchen]')
    // The space of the agents and of the context counts too.
    await page.setViewportSize({ width: 1120, height: 800 })
    await split.are('[Kitchen]')
    await page.keyboard.press('Control+b')
    await split.are('[Garden]', '[Kitchen]')
  })

  test('two answers stream side by side; the one that ends takes no focus; find stays in its group', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const split = await Split.start(t, ['Cellar'], { env: provider.env })
    const { page, app, left, right } = split
    await left.locator('.prompt').last().click()
    await page.keyboard.type('At the left')
    await app.run()
    const first = await provider.next()
    await app.agentMenu('Garden', /Open at the side/)
    await split.are('[Cellar]', '[Garden]')
    await right.locator('.prompt').last().click()
    await page.keyboard.type('At the right')
    await app.run()
    const second = await provider.next()
    first.text('Streaming at the left.')
    second.text('Streaming at the right.')
    await left.getByText('Streaming at the left.').waitFor()
    await right.getByText('Streaming at the right.').waitFor()
    // Each bar stops the run of its own group; the key is shown where it works.
    const stops = await page
      .locator('nav')
      .getByRole('button', { name: /^Stop/ })
      .evaluateAll((all) => all.map((stop) => stop.hasAttribute('aria-keyshortcuts')))
    assert.deepEqual(stops, [false, true])
    // The buttons of a run leave less room than a tab has otherwise; one that is alone is not cut off.
    await page.setViewportSize({ width: 1240, height: 800 })
    await app.until(
      () =>
        page.locator('[role=tablist]').evaluateAll((bars) => bars.length === 2 && bars.every((bar) => bar.scrollWidth <= bar.clientWidth)),
      'each tab to be as narrow as its bar',
    )
    assert.equal(await page.getByRole('button', { name: 'All open agents' }).count(), 0)
    await page.screenshot({ path: path.join(outFolder, 'split-narrow-tab.png') })
    await page.setViewportSize(wide)
    await right.locator('.prompt').last().click()
    await page.keyboard.type('What is typed meanwhile')
    await split.used(1)
    first.end({ input: 1, output: 1 })
    await left.locator('.stop').first().waitFor({ state: 'detached' })
    await page.keyboard.type(' stays')
    await right.locator('.prompt', { hasText: 'What is typed meanwhile stays' }).waitFor()
    second.end({ input: 1, output: 1 })
    await app.waitIdle()

    await page.keyboard.press('Control+f')
    await page.locator('[aria-label="Find"]:focus').waitFor()
    await page.keyboard.type('Streaming')
    await right.getByRole('search').locator('.count').filter({ hasText: '1 of 1' }).waitFor()
    await left.locator('.prompt').last().click()
    await split.used(0)
    await page.keyboard.type('Beside the search')
    await left.locator('.prompt', { hasText: 'Beside the search' }).waitFor()
    assert.equal(await left.getByRole('search').count(), 0)
    await page.keyboard.press('Control+f')
    await left.getByRole('search').waitFor()
    assert.equal(await right.getByRole('search').count(), 0)
  })

  test('the flight deck and the next request belong to the group in use', async (t) => {
    const split = await Split.start(t, ['Garden'])
    const { page, app, left, right } = split
    await app.agentMenu('Kitchen', /Open at the side/)
    await right.locator('article.cell').first().waitFor()
    await page.keyboard.press('Control+Shift+P')
    await right.getByRole('region', { name: 'What will be sent' }).waitFor()
    assert.equal(await left.getByRole('region', { name: 'What will be sent' }).count(), 0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Shift+D')
    await split.are('[Garden]', 'Kitchen [Flight deck]')
    await right.getByRole('region', { name: 'Flight deck' }).waitFor()
    await left.locator('.prompt').last().click()
    await right.getByRole('region', { name: 'Flight deck' }).waitFor()
    await page.keyboard.press('Control+Shift+D')
    await split.are('Garden [Flight deck]', 'Kitchen [Flight deck]')
    await left.getByRole('region', { name: 'Flight deck' }).waitFor()
    await right.getByRole('button', { name: 'Show this one' }).click()
    await right.getByRole('region', { name: 'Flight deck' }).waitFor()
    assert.equal(await left.getByRole('region', { name: 'Flight deck' }).count(), 0)
  })

  test('every view comes back in its group after a reload', async (t) => {
    const split = await Split.start(t, ['Garden'])
    const { app, page } = split
    await app.agentMenu('Kitchen', /Open at the side/)
    await split.are('[Garden]', '[Kitchen]')
    const [deck, lab] = ['Flight deck', 'Branch lab'].map((name) => (group) => group.getByRole('region', { name }))
    const request = (group) => group.getByRole('region', { name: 'What will be sent' })
    await split.left.locator('.prompt').last().click()
    await page.keyboard.press('Control+Shift+B')
    await lab(split.left).waitFor()
    await split.right.locator('.prompt').last().click()
    await page.keyboard.press('Control+Shift+D')
    await deck(split.right).waitFor()
    await split.tab(split.right, 'Kitchen').click()
    await page.keyboard.press('Control+Shift+P')
    await request(split.right).waitFor()
    const before = await split.tabs()
    assert.deepEqual(before, ['Garden [Branch lab]', 'Kitchen Flight deck [What will be sent]'])
    await app.reload()
    await split.are(...before)
    await request(split.right).waitFor()
    await lab(split.left).waitFor()
    // Behind another tab it has only its tab.
    await split.tab(split.right, 'Flight deck').click()
    await split.tab(split.right, 'Kitchen').click()
    await split.are('Garden [Branch lab]', '[Kitchen] Flight deck What will be sent')
    await app.reload()
    await split.are('Garden [Branch lab]', '[Kitchen] Flight deck What will be sent')
    await split.right.locator('article.cell').first().waitFor()
    assert.equal(await request(page).count(), 0)
    await split.tab(split.right, 'What will be sent').click()
    await request(split.right).waitFor()
    await page.keyboard.press('Escape')
    await split.are('Garden [Branch lab]', '[Kitchen] Flight deck')
    await app.reload()
    await split.are('Garden [Branch lab]', '[Kitchen] Flight deck')
  })

  test('it looks right and has no finding of axe, in light, dark and Chinese', async (t) => {
    const chinese = {
      '.mutsumi/garden.mtm': notebookText('花园里的水要浇多少', [
        ['这周要浇多少水？', '每周约 **10 毫米**。\n\n| 植物 | 水 |\n|---|---|\n| 番茄 | 多 |\n| 薰衣草 | 少 |'],
      ]),
      '.mutsumi/kitchen.mtm': notebookText('厨房', [['冰箱里有什么？', '苹果、鸡蛋和一块奶酪。']]),
    }
    for (const [name, options, names] of [
      ['latin', {}, ['Garden', 'Kitchen', 'Cellar']],
      ['chinese', { files: chinese }, ['花园里的水要浇多少', '厨房']],
    ]) {
      const split = await Split.start(t, names.slice(0, -1), options)
      const { app, page } = split
      await app.agentMenu(names.at(-1), /Open at the side/)
      await split.right.locator('article.cell').first().waitFor()
      await split.right
        .locator('article.cell')
        .first()
        .click({ position: { x: 4, y: 4 } })
      await split.used(1)
      await inBoth(page, async (scheme) => {
        await page.mouse.move(5, 5)
        await page.screenshot({ path: path.join(outFolder, `split-${name}-${scheme}-1440.png`) })
        assert.deepEqual(await findings(page), [])
      })
      await page.keyboard.press('Control+b')
      await page.screenshot({ path: path.join(outFolder, `split-${name}-without-agents.png`) })
      await page.setViewportSize({ width: 900, height: 700 })
      await page.screenshot({ path: path.join(outFolder, `split-${name}-900.png`) })
    }
  })
})

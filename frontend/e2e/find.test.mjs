// Find and replace in a notebook: in prompts, answers, thoughts, tool calls and their results,
// drawn or not; alongside edits, runs, another window and an input method.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'
import { Split } from './lib/split.mjs'
import { notebookText } from './lib/world.mjs'

const call = (id, name, args) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } })

/** "needle" is once in each kind of text of cell 1, after 300 paragraphs and 5,000 lines, and twice in the last prompt. */
function garden() {
  const doc = JSON.parse(notebookText('Garden', []))
  const paragraphs = Array.from({ length: 300 }, (_, i) => `Paragraph ${i} says **nothing** of note.`).join('\n\n')
  doc.context = [
    { role: 'user', content: 'Where is the needle? 针在哪里？' },
    {
      role: 'assistant',
      reasoning_content: 'The needle may be anywhere.',
      content: 'I look.',
      tool_calls: [call('c1', 'read_file', { uri: 'needle.txt' })],
    },
    {
      role: 'tool',
      tool_call_id: 'c1',
      name: 'read_file',
      content: `${Array.from({ length: 5000 }, (_, i) => `line ${i} of the file`).join('\n')}\nthe needle is here\n`,
    },
    {
      role: 'assistant',
      content: `${paragraphs}\n\nHere stands the **needle**, with \`code needle\`.\n\n\`\`\`go\nfunc needle() {}\n\`\`\`\n`,
    },
    ...Array.from({ length: 120 }, (_, i) => [
      { role: 'user', content: `Question ${i}` },
      { role: 'assistant', content: `Answer ${i}. ${'It goes on. '.repeat(40)}` },
    ]).flat(),
    { role: 'user', content: 'A last needle, and Needle again' },
    { role: 'assistant', content: 'Done.' },
  ]
  return { '.mutsumi/garden.mtm': JSON.stringify(doc, null, 2) }
}

class Finder {
  constructor(app, page = app.page) {
    this.app = app
    this.page = page
    this.bar = page.getByRole('search')
    this.field = this.bar.getByRole('textbox', { name: 'Find', exact: true })
  }
  async open(text) {
    await this.app.cells(this.page).first().waitFor()
    await this.page.keyboard.press('ControlOrMeta+f')
    await this.page.locator('[aria-label="Find"]:focus').waitFor()
    if (text !== undefined) await this.page.keyboard.insertText(text)
  }
  counts(text) {
    return this.app.until(async () => (await this.bar.locator('.count').textContent()) === text, `the count to be ${text}`)
  }
  /** The text of the current match as it is painted, once it is in view. */
  async current(text) {
    await this.app.until(async () => (await this.shown()) === text, `${text} to be the current match, in view`)
  }
  /** The text of the current match as it is painted; "out of view" if it is, "" if it is not painted. */
  shown() {
    return this.page.evaluate(() => {
      const inView = (rect) => rect.height > 0 && rect.top >= 0 && rect.bottom <= innerHeight
      const [range] = CSS.highlights.get('found-current') ?? []
      if (range) return inView(range.getBoundingClientRect()) ? range.toString() : 'out of view'
      const mark = [...document.querySelectorAll('.cm-editor .found-current')].find((e) => e.checkVisibility())
      return mark ? (inView(mark.getBoundingClientRect()) ? mark.textContent : 'out of view') : ''
    })
  }
  painted() {
    return this.page.evaluate(() => CSS.highlights.get('found')?.size ?? 0)
  }
}

describe('find and replace', { timeout: 600_000 }, () => {
  after(closeBrowser)

  test('every kind of text, drawn or not, past the end and back', async (t) => {
    const app = await App.start(t, { files: garden() })
    app.expectProblem(/400 .*FindText/s) // an expression that cannot be read
    const finder = new Finder(app)
    const { page } = app
    await app.openAgent('Garden')
    await finder.open('needle')
    await finder.counts('8 of 9') // the first at or below what one sees: the end
    const around = ['needle', 'Needle', 'needle', 'needle', 'needle', 'needle', 'needle', 'needle', 'needle']
    for (const [i, text] of around.entries()) {
      await finder.counts(`${((i + 7) % 9) + 1} of 9`)
      await finder.current(text)
      await page.keyboard.press('Enter')
    }
    await finder.counts('8 of 9')
    await page.keyboard.press('Shift+Enter')
    await finder.counts('7 of 9')
    await finder.current('needle')
    await page.keyboard.press('F3')
    await finder.counts('8 of 9')

    // The options, each by its key.
    await page.keyboard.press('Alt+c')
    await finder.counts('8 of 8')
    await page.keyboard.press('Alt+c')
    await finder.field.fill('need')
    await finder.counts('8 of 9')
    await page.keyboard.press('Alt+w')
    await finder.counts('0 of 0')
    await page.keyboard.press('Alt+w')
    await page.keyboard.press('Alt+r')
    await finder.field.fill('n(ee')
    await finder.bar.getByRole('alert').waitFor()
    assert.match(
      await finder.bar.getByRole('alert').textContent(),
      /Could not read the regular expression: a “\(” is not closed in “n\(ee”\./,
    )
    await finder.field.fill('针.哪')
    await finder.counts('1 of 1')
    await finder.current('针在哪')
    assert.deepEqual(await findingsInBoth(page), [])

    // Esc gives the keyboard to the cell of the match, and nothing stays painted.
    await page.keyboard.press('Escape')
    await app.until(async () => (await finder.bar.count()) === 0, 'the bar to be gone')
    await page.locator('article.cell[aria-label="Cell 1"]:focus').waitFor()
    assert.equal(await page.evaluate(() => CSS.highlights.size), 0)
    // It opens with the last search.
    await page.keyboard.press('F3')
    await finder.counts('1 of 1')
  })

  test('what the program says beside the text is not marked: the language of a block gets an outline around the block', async (t) => {
    const answer = `A mermaid sang.\n\n~~~mermaid\ngraph LR\n  A --> B\n~~~\n\n${'And so on.\n\n'.repeat(60)}~~~go\n// go on\n~~~\n\ngo\n\nThe end.`
    const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', [['What?', answer]]) } })
    const finder = new Finder(app)
    const { page } = app
    await app.openAgent('A')
    const step = async (count, current) => {
      await page.keyboard.press('Enter')
      await finder.counts(count)
      if (current) return finder.current(current)
      await app.until(async () => (await page.locator('.found-around').count()) === 1, 'an outline')
    }
    const marked = () =>
      page.evaluate(
        () => [...CSS.highlights.values()].flatMap((h) => [...h]).filter((r) => r.startContainer.parentElement.closest('header')).length,
      )
    await finder.open('go')
    await finder.counts('1 of 3')
    await step('2 of 3', 'go')
    await step('3 of 3', 'go') // a word between blocks that say other things
    await step('1 of 3')
    assert.equal(await marked(), 0)
    const block = page.locator('.md-code.found-around')
    await app.until(
      () => block.evaluate((e) => e.getBoundingClientRect().top > 0 && e.getBoundingClientRect().bottom < innerHeight),
      'the block',
    )
    await app.scrollTo(0)
    await finder.field.fill('maid')
    await finder.counts('1 of 2')
    await page.getByRole('group', { name: 'Diagram' }).waitFor()
    await step('2 of 2')
    assert.equal(await marked(), 0)
    await page.locator('.md-diagram.found-around').waitFor()
  })

  test('the first search ends at its match, deep in a line that takes long to lay out', async (t) => {
    const line = (name) => `${'word '.repeat(24_000)}${name} ${'word '.repeat(24_000)}`
    const app = await App.start(t, {
      files: {
        '.mutsumi/one.mtm': notebookText('One', [
          ['first', line('acorn')],
          [line('chestnut'), 'short'],
          ['last', '```\n' + line('hazel') + '\n```'],
        ]),
      },
    })
    for (const name of ['acorn', 'chestnut', 'hazel']) {
      await app.reload()
      await app.openAgent('One')
      const finder = new Finder(app)
      await finder.open(name)
      await finder.counts('1 of 1')
      await finder.current(name)
    }
  })

  test('deep in the text that a call writes, and in a shortened summary', async (t) => {
    const doc = JSON.parse(notebookText('Deep', []))
    const lines = Array.from({ length: 400 }, (_, i) => (i === 300 ? 'here is the pinpoint of it' : `line ${i}`)).join('\n')
    const summary = `## Goal\n${'A sentence of the goal. '.repeat(120)}\nAnd the landmark.\n\n## State\nAll is well.`
    doc.context = [
      { role: 'user', content: 'Write it.', metadata: { cell_id: 'c1' } },
      { role: 'assistant', content: null, tool_calls: [call('w', 'write_file', { uri: 'a.txt', content: lines })] },
      { role: 'tool', tool_call_id: 'w', name: 'write_file', content: 'Wrote a.txt' },
      {
        role: 'user',
        content: summary,
        metadata: { cell_id: 's1', compaction: { covers: ['c1'], before: 900, after: 300 } },
        is_internal: true,
      },
    ]
    const app = await App.start(t, { files: { '.mutsumi/deep.mtm': JSON.stringify(doc) } })
    const finder = new Finder(app)
    await app.openAgent('Deep')
    await finder.open('pinpoint')
    await finder.counts('1 of 1')
    await finder.current('pinpoint')
    await finder.field.fill('landmark')
    await finder.counts('1 of 1')
    await finder.current('landmark')
  })

  test('replace one, replace all, undo', async (t) => {
    const app = await App.start(t, { files: garden() })
    const finder = new Finder(app)
    const { page } = app
    await app.openAgent('Garden')
    await app.cells().first().waitFor()
    await page.keyboard.press('ControlOrMeta+h')
    await page.locator('[aria-label="Find"]:focus').waitFor()
    await page.keyboard.insertText('needle')
    await finder.counts('8 of 9')
    const replacement = finder.bar.getByRole('textbox', { name: 'Replace with' })
    await replacement.fill('pin')
    await finder.bar.getByRole('button', { name: 'Replace', exact: true }).click()
    await finder.counts('8 of 8')
    await app.until(async () => (await app.promptText(122)) === 'A last pin, and Needle again', 'the prompt to be changed')
    await finder.bar.getByRole('button', { name: 'Replace all (2)' }).click()
    await finder.bar.getByText('Replaced 2 places.').waitFor()
    await finder.counts('1 of 6')
    await app.until(async () => (await app.promptText(122)) === 'A last pin, and pin again', 'all prompts to be changed')
    // An answer is never changed: its match cannot be replaced.
    await finder.field.press('Enter')
    await finder.counts('2 of 6')
    await finder.current('needle')
    assert.ok(await finder.bar.getByRole('button', { name: 'Replace', exact: true }).isDisabled())
    await page.keyboard.press('Escape')
    await page.keyboard.press('z')
    await app.until(() => {
      const prompts = app.world.notebook('.mutsumi/garden.mtm').context.map((message) => message.content)
      return prompts.includes('Where is the needle? 针在哪里？') && prompts.includes('A last pin, and Needle again')
    }, 'all prompts on the disk to be as before')
  })

  test('undo of a replacement in all prompts stays where the person is', async (t) => {
    const many = Array.from({ length: 300 }, (_, i) => [`Prompt ${i} with an apple`, `Answer ${i}`])
    const file = '.mutsumi/orchard.mtm'
    const app = await App.start(t, { files: { [file]: notebookText('Orchard', many) } })
    const finder = new Finder(app)
    const { page } = app
    await app.openAgent('Orchard')
    await app.cells().first().waitFor()
    await page.keyboard.press('ControlOrMeta+h')
    await page.locator('[aria-label="Find"]:focus').waitFor()
    await page.keyboard.insertText('apple')
    await app.until(async () => (await finder.bar.locator('.count').textContent()).endsWith(' of 300'), 'the count')
    await finder.bar.getByRole('textbox', { name: 'Replace with' }).fill('pear')
    await finder.bar.getByRole('button', { name: /^Replace all/ }).click()
    await finder.bar.getByText('Replaced 300 places.').waitFor()
    await page.keyboard.press('Escape')
    await app.cell(301).and(page.locator('[aria-current="true"]')).waitFor()
    await page.keyboard.press('z')
    await app.waitIdle()
    await app.until(() => app.world.notebook(file).context.filter((m) => m.content.endsWith('an apple')).length === 300, 'all undone')
    const inView = (n) =>
      app.cell(n).evaluateAll(([c]) => Boolean(c && c.getBoundingClientRect().top < innerHeight && c.getBoundingClientRect().bottom > 0))
    await app.until(
      async () => (await inView(300)) && (await app.promptText(300)) === 'Prompt 299 with an apple',
      'the last prompt as before',
    )
    assert.ok(!(await inView(1)), 'the view is at the first cell')
  })

  test('an agent’s new text is counted, and the reading position stays', async (t) => {
    const paced = await Paced.start()
    t.after(() => paced.stop())
    const app = await App.start(t, { files: garden(), env: paced.env })
    const finder = new Finder(app)
    const { page } = app
    await app.openAgent('Garden')
    await app.writePrompt('Write the needle.')
    await app.run()
    const exchange = await paced.next()
    exchange.text('It has ')
    await finder.open('needle')
    await finder.counts('8 of 10')
    for (const count of ['9 of 10', '10 of 10', '1 of 10']) {
      await page.keyboard.press('Enter')
      await finder.counts(count)
    }
    await finder.current('needle')
    const top = () => page.evaluate(() => CSS.highlights.get('found-current').values().next().value.getBoundingClientRect().top)
    const before = await top()
    for (let i = 0; i < 30; i++) exchange.text(`a needle ${i}, and more.\n\n`)
    await finder.counts('1 of 40')
    assert.ok(Math.abs((await top()) - before) < 2, 'the match moved')
    // A prompt that runs stays as it is.
    await page.keyboard.press('ControlOrMeta+h')
    await finder.bar.getByRole('textbox', { name: 'Replace with' }).fill('pin')
    await finder.bar.getByRole('button', { name: 'Replace all (3)' }).click()
    await finder.bar.getByText('Replaced 3 places. 1 place stays: it is in a summary or in a prompt that runs.').waitFor()
    exchange.end()
    await app.waitIdle()
    assert.match(app.world.read('.mutsumi/garden.mtm'), /Write the needle\./)
  })

  test('in the output of a command: by the search of the notebook, and by that of the terminal itself', async (t) => {
    const paced = await Paced.start()
    t.after(() => paced.stop())
    const app = await App.start(t, { env: paced.env })
    await app.call('AddApprovalRule', '', { id: '', tool: 'shell', pattern: '*', deny: false, scope: 'always', notebook: '', atMs: 0 })
    const finder = new Finder(app)
    const { page } = app
    await app.newAgent()
    await app.typePrompt('Go on')
    await app.run()
    const first = await paced.next()
    first.call('shell', {
      command: String.raw`for i in $(seq 1 2000); do printf '\033[32mok\033[0m line %d\n' $i; done; while [ ! -e go ]; do sleep 0.05; done`,
    })
    first.end()
    const row = page.locator('.tool .line[aria-expanded]').first()
    await row.click()
    const running = page.getByRole('group', { name: 'Output' })
    await running.getByText('ok line 2000', { exact: true }).waitFor()

    // The terminal has the keyboard: its own search, while it runs.
    await running.focus()
    await page.keyboard.press('ControlOrMeta+f')
    const own = page.getByRole('search', { name: 'Find in the output' })
    await own.getByRole('textbox', { name: 'Find' }).fill('line 77')
    const count = (text) => app.until(async () => (await own.locator('.count').textContent()) === text, `the count to be ${text}`)
    await count('1 of 11') // 77, 770 to 779; 77 is the first after the end
    await app.until(() => page.evaluate(() => CSS.highlights.get('found-line-current')?.size === 1), 'the match to be painted')
    await running.getByText('ok line 77', { exact: true }).waitFor()
    await page.keyboard.press('Shift+Enter')
    await count('11 of 11')
    await running.getByText('ok line 779', { exact: true }).waitFor()
    await page.keyboard.press('Alt+r')
    await own.getByRole('textbox', { name: 'Find' }).fill('line 1{3}$')
    await count('1 of 1')
    await page.keyboard.press('Escape')
    await own.waitFor({ state: 'detached' })
    assert.ok(await running.evaluate((e) => e === document.activeElement))
    assert.equal(await page.evaluate(() => CSS.highlights.size), 0)
    app.world.write('go', '')
    const second = await paced.next()
    second.text('Done.')
    second.end()
    await app.waitIdle()

    // Its output is a result now: the search of the notebook scrolls its screen.
    await app.prompt(-1).click()
    await finder.open('line 1234')
    await finder.counts('1 of 1')
    await finder.current('line 1234')
  })

  test('an input method, another tab, a second window, a reload', async (t) => {
    const app = await App.start(t, { files: { ...garden(), '.mutsumi/other.mtm': notebookText('Other', [['A needle of mine', 'None.']]) } })
    const finder = new Finder(app)
    await app.openAgent('Garden')
    await finder.open('needle')
    await finder.counts('8 of 9')
    // Enter that ends a composition is not a search, and Esc of one closes nothing.
    await finder.field.evaluate((field) => {
      for (const key of ['Enter', 'Escape'])
        for (const composition of [{ isComposing: true }, { keyCode: 229 }])
          field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...composition }))
    })
    await finder.counts('8 of 9')

    const second = await app.openTab()
    await app.openAgent('Garden', second)
    await app.writePrompt('One needle more', -1, second)
    await finder.counts('8 of 10')
    await second.close()

    await app.openAgent('Other')
    await finder.counts('1 of 1')
    await finder.current('needle')
    await app.openAgent('Garden')
    await finder.counts('8 of 10')
    await app.reload()
    assert.equal(await finder.bar.count(), 0)
  })

  test('with one notebook in two groups a step scrolls the group of the bar', async (t) => {
    const split = await Split.start(t, ['Garden'])
    const { app, page, left, right } = split
    await page.keyboard.press('Control+\\')
    await split.are('[Garden]', '[Garden]')
    await split.used(1)
    const finder = new Finder(app)
    await finder.open('question 3')
    await finder.bar.locator('.count').filter({ hasText: ' of 11' }).waitFor()
    const first = parseInt(await finder.bar.locator('.count').textContent()) // the view stands at the end
    await left
      .locator('article.cell:visible')
      .last()
      .click({ position: { x: 4, y: 4 } })
    await split.used(0)
    await split.top(left)
    const place = await split.scrolled(left)
    const marked = () =>
      right.evaluate((group) => {
        const [range] = CSS.highlights.get('found-current') ?? []
        const box = range?.getBoundingClientRect()
        const view = group.querySelector('.cells').getBoundingClientRect()
        const within = box && box.top > view.top && box.bottom < view.bottom && box.left > view.left && box.right < view.right
        return within ? range.startContainer.textContent.trim() : ''
      })
    const questions = [3, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]
    for (const next of [first % 11, (first + 1) % 11]) {
      await page.keyboard.press('F3')
      await finder.counts(`${next + 1} of 11`)
      const text = `Garden question ${questions[next]}`
      await app.until(async () => (await marked()) === text, `"${text}" to be marked at the right`)
    }
    assert.equal(await split.scrolled(left), place)
  })

  test('the bar hides nothing at the top, and opening it moves nothing in the middle', async (t) => {
    const app = await App.start(t, { files: garden() })
    const finder = new Finder(app)
    const { page } = app
    await app.openAgent('Garden')
    const first = page.locator('article.cell:visible .prompt').first()
    const where = async (cell) => (await page.locator(`.prompt[data-cell="${cell}"]:visible`).boundingBox())?.y
    await app.scrollTo(0.5)
    await app.until(async () => (await page.locator('article.cell:visible .absent').count()) === 0, 'the middle to be whole')
    const cell = await page.locator('article.cell:visible .prompt').nth(2).getAttribute('data-cell')
    const before = await where(cell)
    const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    await page.keyboard.press('ControlOrMeta+h')
    await finder.bar.waitFor()
    await drawn()
    assert.ok(Math.abs((await where(cell)) - before) < 1, `it moved from ${before} to ${await where(cell)}`)
    await page.keyboard.press('Escape')
    await finder.bar.waitFor({ state: 'detached' })
    await drawn()
    assert.ok(Math.abs((await where(cell)) - before) < 1, `it moved from ${before} to ${await where(cell)}`)
    // Content drawn there for the first time may shift the page again.
    await app.until(async () => {
      await app.scrollTo(0)
      return (await page.locator('article.cell:visible .absent').count()) === 0
    }, 'the top to be whole')
    await app.scrollTo(0)
    await page.keyboard.press('ControlOrMeta+h')
    await finder.bar.waitFor()
    await app.until(async () => {
      const [bar, prompt] = await Promise.all([finder.bar.boundingBox(), first.boundingBox()])
      return prompt.y >= bar.y + bar.height
    }, 'the first prompt to stand below the bar')
  })

  test('at 900 px and below the bar is whole, and so is a long expression', async (t) => {
    const app = await App.start(t, { files: garden(), viewport: { width: 900, height: 640 } })
    const finder = new Finder(app)
    await app.openAgent('Garden')
    await app.page.keyboard.press('ControlOrMeta+h') // it may still load: the bar opens once it is there
    await finder.field.waitFor()
    await finder.field.fill('an expression that is much longer than the field is wide '.repeat(4))
    await finder.counts('0 of 0')
    for (const width of [900, 620]) {
      await app.page.setViewportSize({ width, height: 640 })
      const [bar, main] = await Promise.all([finder.bar.boundingBox(), app.page.locator('main').boundingBox()])
      assert.ok(bar.x >= main.x && bar.x + bar.width <= main.x + main.width + 1, `at ${width}: ${JSON.stringify([bar, main])}`)
      const cut = await finder.bar.evaluate((bar) => bar.scrollWidth - bar.clientWidth)
      assert.equal(cut, 0)
    }
  })
})

// What a copy takes of answers: all that is selected, also what is far from the view, and formulas
// as they are written.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

/** Copies what is selected. */
async function copied(page) {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.keyboard.press('ControlOrMeta+c')
  return page.evaluate(() => navigator.clipboard.readText())
}

const sentence = (n) => `Sentence ${n} begins here. ${'It goes on and on. '.repeat(30)}`

/** Which sentences a text has, in order. */
const sentences = (text) => [...text.matchAll(/Sentence (\d+) begins/g)].map((found) => Number(found[1]))
const upTo = (n) => Array.from({ length: n }, (_, i) => i)

/** Scrolls the cells with the wheel, as a person does, until an element is in the middle of the view. */
async function wheelTo(app, element) {
  const { page } = app
  const seen = async () => {
    const box = (await element.count()) > 0 ? await element.boundingBox() : null
    return box && box.y > 150 && box.y < 720 ? box : undefined
  }
  return app.until(async () => {
    const box = await seen()
    if (box) return box
    await page.mouse.wheel(0, 350)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    return undefined
  }, 'the end to come into view')
}

describe('copying', { timeout: 600_000 }, () => {
  after(closeBrowser)

  for (const how of ['a drag', 'a second press'])
    test(`a long answer is selected with ${how} and copied as a whole`, async (t) => {
      const all = 120
      const text = upTo(all)
        .map((n) => `${sentence(n)}\n\n`)
        .join('')
      const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', [['All?', `${text}The end of it.`]]) } })
      const { page } = app
      await app.openAgent('A')
      await app.scrollTo(0)
      const first = await page.getByText('Sentence 0 begins').boundingBox()
      await page.mouse.move(first.x + 1, first.y + 10)
      await page.mouse.down()
      if (how === 'a drag') await page.mouse.move(first.x + 60, first.y + 40, { steps: 3 })
      else await page.mouse.up()
      const end = page.getByText('The end of it.')
      const box = await wheelTo(app, end)
      if (how !== 'a drag') await page.keyboard.down('Shift')
      await page.mouse.move(box.x + box.width - 2, box.y + 10, { steps: 3 })
      if (how !== 'a drag') await page.mouse.down()
      await page.mouse.up()
      await page.keyboard.up('Shift')
      const got = await copied(page)
      assert.deepEqual(sentences(got), upTo(all))
      assert.match(got, /The end of it\.$/)
    })

  test('a selection over cells keeps those that leave the view', async (t) => {
    const all = 24
    const cells = upTo(all).map((n) => [`Question ${n}`, sentence(n)])
    const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', cells) } })
    const { page } = app
    await app.openAgent('A')
    await app.scrollTo(0)
    const first = await page.getByText('Sentence 0 begins').boundingBox()
    await page.mouse.move(first.x + 1, first.y + 10)
    await page.mouse.down()
    await page.mouse.move(first.x + 60, first.y + 40, { steps: 3 })
    const last = await wheelTo(app, page.getByText(`Sentence ${all - 1} begins`))
    await page.mouse.move(last.x + 300, last.y + 10, { steps: 3 })
    await page.mouse.up()
    assert.deepEqual(sentences(await copied(page)), upTo(all))
  })

  describe('cells that were never near the view', () => {
    const all = 300
    const cells = upTo(all).map((n) => [`Question ${n}`, `${sentence(n)}${n % 100 === 50 ? '\n\nArea $x^2$ here.' : ''}`])

    /** A notebook whose first and last answers are selected by a press and a second one, with all between. */
    async function selected(t, env = {}, begin = async () => {}) {
      const app = await App.start(t, { env, files: { '.mutsumi/a.mtm': notebookText('A', cells) } })
      const { page } = app
      await app.openAgent('A')
      await begin(app)
      await app.scrollTo(0)
      const first = page.getByText('Sentence 0 begins')
      await first.waitFor()
      const from = await first.boundingBox()
      await page.mouse.click(from.x + 1, from.y + 10)
      const last = page.getByText(`Sentence ${all - 1} begins`).first()
      const to = await app.until(async () => {
        await app.scrollTo(1)
        const box = (await last.count()) > 0 ? await last.boundingBox() : null
        return box && box.y > 150 && box.y < 720 ? box : undefined
      }, 'the last cell')
      await page.keyboard.down('Shift')
      await page.mouse.click(to.x + 300, to.y + 10)
      await page.keyboard.up('Shift')
      await page.evaluate(() => navigator.clipboard.writeText('before'))
      return app
    }
    const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText())
    const late = (app) =>
      app.until(async () => {
        const text = await clipboard(app.page)
        return text !== 'before' && text
      }, 'the copy')
    const copiedLate = async (app) => {
      await app.page.keyboard.press('ControlOrMeta+c')
      return late(app)
    }

    test('are in a copy of all, in order and without what is not text', async (t) => {
      const app = await selected(t)
      const got = await copiedLate(app)
      assert.deepEqual(sentences(got), upTo(all))
      assert.equal(got.match(/Area \$x\^2\$ here\./g).length, 3)
      const lines = got.split(/\n+/).map((line) => line.trim())
      assert.deepEqual(
        lines.filter((line) => line && !/^(Sentence|Question|Area)/.test(line)),
        [],
      )
      // They are there now: the same is copied again.
      await app.page.evaluate(() => navigator.clipboard.writeText('before'))
      assert.equal(await copiedLate(app), got)
    })

    test('are fetched with a sign of it, and a newer copy wins', async (t) => {
      const app = await selected(t)
      const { page } = app
      let go
      const gate = new Promise((done) => (go = done))
      await page.route('**/api/cells', async (route) => {
        await gate
        await route.continue()
      })
      await page.keyboard.press('ControlOrMeta+c')
      await page.getByText(`Copying ${all} cells…`).waitFor()
      assert.equal(await clipboard(page), 'before')
      await page.evaluate((last) => {
        const texts = document.createTreeWalker(document.querySelector('section.book'), NodeFilter.SHOW_TEXT)
        for (let text = texts.nextNode(); text; text = texts.nextNode())
          if (text.data.startsWith(`Sentence ${last} begins`)) getSelection().setBaseAndExtent(text, 0, text, 8)
      }, all - 1)
      await page.keyboard.press('ControlOrMeta+c')
      assert.equal(await clipboard(page), 'Sentence')
      go()
      await page.getByText(`Copying ${all} cells…`).waitFor({ state: 'detached' })
      assert.equal(await clipboard(page), 'Sentence')
    })

    test('that cannot be fetched leave the clipboard as it was, and say so', async (t) => {
      const app = await selected(t)
      const { page } = app
      app.expectProblem(/api\/cells/)
      await page.route('**/api/cells', (route) => route.abort())
      await page.keyboard.press('ControlOrMeta+c')
      await page.getByText('Nothing was copied: some of the selected cells could not be loaded. Copy them again.').waitFor()
      assert.equal(await clipboard(page), 'before')
      await page.unroute('**/api/cells')
      assert.deepEqual(sentences(await copiedLate(app)), upTo(all))
    })

    /** Holds the bodies of cells back until go is called; what follows passes. */
    async function held(page) {
      let go
      const gate = new Promise((done) => (go = done))
      await page.route('**/api/cells', async (route) => {
        await gate
        await route.continue().catch(() => {}) // its page may be gone
      })
      await page.keyboard.press('ControlOrMeta+c')
      await page.getByText(`Copying ${all} cells…`).waitFor()
      return go
    }

    test('are copied although the file is loaded again from the disk meanwhile', async (t) => {
      const app = await selected(t)
      const { page } = app
      const go = await held(page)
      const later = [...cells, ['Added', 'By another program.']]
      const { metadata } = app.world.notebook('.mutsumi/a.mtm')
      app.world.write('.mutsumi/a.mtm', notebookText('A', later, metadata))
      await app.until(async () => (await app.notebook('.mutsumi/a.mtm')).cells.length > all, 'the file')
      go()
      const got = await late(app)
      assert.deepEqual(sentences(got), upTo(all))
      await page.getByText(`Copying ${all} cells…`).waitFor({ state: 'detached' })
    })

    test('are copied without those that another window deletes meanwhile, wherever they are', async (t) => {
      const app = await selected(t)
      const go = await held(app.page)
      const gone = [39, 40, 55, ...upTo(40).map((n) => 120 + n), all - 1]
      const ids = (await app.notebook('.mutsumi/a.mtm')).cells.map((cell) => cell.id)
      const edits = gone.map((n) => ({ kind: 'delete', cell: ids[n] }))
      await app.call('Edit', '.mutsumi/a.mtm', edits, 'another window')
      await app.until(async () => (await app.notebook('.mutsumi/a.mtm')).cells.length === all - gone.length, 'the deletion')
      go()
      assert.deepEqual(
        sentences(await late(app)),
        upTo(all).filter((n) => !gone.includes(n)),
      )
    })

    test('are copied up to the same word while the last one of them streams in', async (t) => {
      const provider = await Paced.start()
      t.after(() => provider.stop())
      const file = '.mutsumi/a.mtm'
      let exchange
      const run = async (app) => {
        const last = (await app.notebook(file)).cells.at(-1).id
        await app.call('Run', file, last, 'cell')
        exchange = await provider.next()
      }
      const app = await selected(t, provider.env, async (begun) => {
        await run(begun)
        exchange.text(`Sentence ${all - 1} begins to stream, `)
      })
      const { page } = app
      const go = await held(page)
      exchange.text('and goes on.\n\nA new paragraph.')
      await page.getByText('A new paragraph.').waitFor()
      go()
      const got = await late(app)
      assert.deepEqual(sentences(got), upTo(all))
      assert.match(got, /Question 299\s+Sentence 299 begins to stream,\s*$/)
      exchange.end()
      await app.waitIdle()
    })

    test('leave the clipboard and the program alone when their tab is closed meanwhile', async (t) => {
      const app = await selected(t)
      const { page } = app
      const go = await held(page)
      await page.getByRole('tab', { name: /^A,/ }).click({ button: 'middle' })
      await page.getByRole('heading', { name: 'No agent is open' }).waitFor()
      go()
      await app.openAgent('A')
      await page
        .getByText(/^Sentence \d+ begins/)
        .first()
        .waitFor()
      assert.equal(await clipboard(page), 'before')
      assert.equal(await page.getByText('Nothing was copied').count(), 0)
    })
  })

  test('a selection that is dragged out of the list goes to the edge of the view', async (t) => {
    const short = upTo(60).map((n) => [`Question ${n} here`, `Answer ${n} begins.\n\nIt ends ${n}.`])
    const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', short) } })
    const { page } = app
    await app.openAgent('A')
    await app.scrollTo(0)
    const from = await page.getByText('Answer 1 begins.').boundingBox()
    const { height } = page.viewportSize()
    await page.mouse.move(from.x + 1, from.y + 8)
    await page.mouse.down()
    for (let n = 1; n < 10; n++) await page.mouse.move(from.x + 40, from.y + 40 * n)
    const scrolled = () => page.evaluate(() => document.querySelector('.book .virtual').scrollTop)
    await app.until(async () => {
      await page.mouse.move(from.x + 40 + (Date.now() % 5), height + 20)
      return (await scrolled()) > 600
    }, 'the list to scroll')
    await page.mouse.up()
    const { selected, last } = await page.evaluate(() => {
      const view = document.querySelector('.book .virtual')
      const { bottom } = view.getBoundingClientRect()
      const lines = [...view.querySelectorAll('.answer p, .prompt-text')].filter((e) => e.getBoundingClientRect().top < bottom)
      return { selected: getSelection().toString().trim().split(/\n+/), last: lines.slice(-3).map((e) => e.innerText) }
    })
    assert.equal(selected[0], 'Answer 1 begins.')
    assert.ok(
      last.some((text) => text.startsWith(selected.at(-1))),
      `ends with ${selected.at(-1)}, in view: ${last}`,
    )
  })

  test('Ctrl+A in a cell selects its prompt and its answer, drawn or not, and nothing of other cells', async (t) => {
    const answer = upTo(120).map(sentence).join('\n\n')
    const prompt = Array.from({ length: 1200 }, (_, n) => `Line ${n} of the prompt.`).join('\n')
    const app = await App.start(t, {
      files: {
        '.mutsumi/a.mtm': notebookText('A', [
          ['Before', 'An answer'],
          ['What?', answer],
          [prompt, 'In short.'],
          ['After', 'Bye'],
        ]),
      },
    })
    const { page } = app
    await app.openAgent('A')
    await app.scrollTo(0)
    await app.cell(1).locator('.gutter').click()
    /** Goes to the next cell and copies all of it. */
    const next = async (n) => {
      await page.keyboard.press('j')
      await app.until(() => app.cell(n).evaluate((cell) => cell === document.activeElement), `cell ${n} to have the keyboard`)
      await page.keyboard.press('ControlOrMeta+a')
      return copied(page)
    }
    const got = await next(2)
    assert.match(got, /^What\?\s+Sentence 0 begins/)
    assert.deepEqual(sentences(got), upTo(120))
    assert.match(got, /It goes on and on\.\s*$/)
    assert.deepEqual((await next(3)).split(/\n+/), [...prompt.split('\n'), 'In short.'])
  })

  for (const [where, before, lines] of [
    ['', 'Before.\n\n', ['Before.']],
    [' in a list', 'Before.\n\n- First.\n- ', ['Before.', 'First.']],
    [' in a quote with a list', '> Before.\n>\n> - First.\n>   - ', ['Before.', 'First.']],
  ])
    test(`a very long line${where} is copied as one line`, async (t) => {
      const line = Array.from({ length: 20_000 }, (_, n) => `word${n} 字`).join(' ')
      const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', [['?', `${before}${line}\n\nAfter.`]]) } })
      const { page } = app
      await app.openAgent('A')
      await page.locator('.answer .md-block').first().waitFor()
      await page.evaluate(() => {
        const answer = document.querySelector('article.cell .answer .md')
        getSelection().setBaseAndExtent(answer, 0, answer, answer.childNodes.length)
      })
      const got = (await copied(page)).split(/\n+/)
      assert.deepEqual(got, [...lines, line, 'After.'])
    })

  test('formulas are copied as they are written, between words, tables and code', async (t) => {
    const answer = `Area $x^2+1$ here.

| a | b |
|---|---|
| 1 | $\\alpha$ |

~~~js
const one = 1
const two = 2
~~~

$$
\\int_0^1 x\\,dx
$$

The end.`
    const app = await App.start(t, { files: { '.mutsumi/a.mtm': notebookText('A', [['What?', answer]]) } })
    const { page } = app
    await app.openAgent('A')
    const text = app.answers().first()
    await app.until(async () => (await text.locator('.katex-display, .math[data-drawn]').count()) >= 3, 'the formulas')
    await text.getByRole('button', { name: 'Line numbers' }).click()
    await text.locator('.md').evaluate((md) => getSelection().selectAllChildren(md))
    const got = (await copied(page)).replaceAll('\r', '')
    assert.equal(
      got.replace(/\n{2,}/g, '\n'),
      'Area $x^2+1$ here.\na\tb\n1\t$\\alpha$\nconst one = 1\nconst two = 2\n$$\\int_0^1 x\\,dx$$\nThe end.',
    )
    // An end inside of a formula takes all of it.
    await text.evaluate((answer) => {
      const p = answer.querySelector('.md p')
      const inside = document.createTreeWalker(p.querySelector('.katex-html'), NodeFilter.SHOW_TEXT).nextNode()
      getSelection().setBaseAndExtent(p.firstChild, 0, inside, 1)
    })
    assert.equal((await copied(page)).trim(), 'Area $x^2+1$')
  })

  test('code is selected while it streams in, and after', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env, files: { '.mutsumi/a.mtm': notebookText('A', []) } })
    const { page } = app
    await app.openAgent('A')
    await app.typePrompt('Write')
    await app.run()
    const exchange = await provider.next()
    exchange.text('~~~js\nconst first = 1\nconst second = 2\n')
    const code = app.answers().locator('pre')
    await code.getByText('second').waitFor()
    await code.evaluate((pre) => {
      const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT)
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const at = text.data.indexOf('first')
        if (at >= 0) getSelection().setBaseAndExtent(text, at, text, at + 5)
      }
    })
    const selected = () => page.evaluate(() => String(getSelection()))
    for (const [more, shown] of [
      ['const third = 3\n', 'third'],
      ['let fourth\n', 'fourth'],
      ['~~~\n\nThe end.\n\nAnd more', 'The end.'],
    ]) {
      exchange.text(more)
      await app.answers().getByText(shown).first().waitFor()
      assert.equal(await selected(), 'first', `after ${JSON.stringify(more)}`)
    }
    await code.locator('code:not(.chunk) .hljs-keyword').first().waitFor()
    assert.equal(await copied(page), 'first')
    exchange.end()
    await app.waitIdle()
    assert.equal(await selected(), 'first')
  })
})

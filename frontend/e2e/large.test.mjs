// Very long content: a notebook of 5,000 cells, an answer of 1,200 messages. It opens immediately,
// scrolls without blank places and without jumps, and typing in it does not lag. The assertions are
// about amounts (rows in the page, frames, requests) and places, not the speed of this machine.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { manyCells } from '../../bench/workload.mjs'
import { App, closeBrowser } from './lib/app.mjs'
import { books } from './lib/reading.mjs'
import { notebookText, World } from './lib/world.mjs'

describe('5,000 cells', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('open, scroll, jump, type', async (t) => {
    const world = new World()
    world.write('.mutsumi/many.mtm', manyCells(5000, world.folder))
    const app = await App.start(t, { world })
    await app.page.evaluate(() => {
      globalThis.drawn = []
      new MutationObserver((records) => {
        for (const node of records.flatMap((r) => [...r.addedNodes]))
          if (node instanceof Element)
            for (const row of [node, ...node.querySelectorAll('[aria-posinset]')])
              if (row.querySelector('article.cell') && row.matches('[aria-posinset]')) globalThis.drawn.push(Number(row.ariaPosInSet))
      }).observe(document.body, { childList: true, subtree: true })
    })
    await app.openAgent('5000 cells')
    await app.until(async () => (await app.answerText()).length > 0, 'an answer on the screen')
    assert.ok((await app.page.locator('article.cell').count()) < 60, 'only what is near the screen is in the page')
    const drawn = await app.page.evaluate(() => globalThis.drawn)
    assert.ok(drawn.length > 0 && Math.min(...drawn) > 4900, `rows far from the end were drawn on the way there: ${drawn}`)

    for (const to of [0, 0.25, 0.5, 0.75, 1, 0.1]) {
      await app.scrollTo(to)
      await app.until(
        async () =>
          (await app.page.locator('article.cell:visible').count()) > 0 &&
          (await app.page.locator('article.cell:visible .absent').count()) === 0,
        `the cells at ${to} to be whole`,
      )
      assert.ok((await app.page.locator('article.cell').count()) < 80)
    }
    await app.scrollTo(0)
    await app.cell(1).waitFor()
    assert.match(await app.promptText(1), /^Question 0:/)

    // Typing in the first of 5,000: each key arrives, the page stays small, and the whole is saved once it rests.
    await app.typePrompt('The quick brown fox jumps over the lazy dog. '.repeat(4), 1)
    await app.page.keyboard.press('Escape')
    await app.waitIdle()
    const doc = world.notebook('.mutsumi/many.mtm')
    assert.equal(doc.context.length, 10_000)
    assert.equal(doc.context[0].content, 'The quick brown fox jumps over the lazy dog. '.repeat(4))
    assert.match(doc.context[9998].content, /^Question 4999:/)
  })
})

describe('an answer of 1 MB', { timeout: 300_000 }, () => {
  after(closeBrowser)

  test('opens at its end, and draws no chapter far from there on the way', async (t) => {
    const app = await App.start(t, { files: { '.mutsumi/long.mtm': books()['.mutsumi/long.mtm'] } })
    await app.page.evaluate(() => {
      globalThis.drawn = new Set()
      new MutationObserver(() => {
        for (const title of document.querySelectorAll('.md h1'))
          globalThis.drawn.add(Number(/^Chapter (\d+) /.exec(title.textContent)?.[1]))
      }).observe(document.body, { childList: true, subtree: true })
    })
    await app.openAgent('Long')
    await app.cell(3).getByText('A short answer behind it.').waitFor()
    await app.page.locator('.md-more').waitFor({ state: 'detached' })
    const drawn = await app.until(async () => {
      const all = [...(await app.page.evaluate(() => [...globalThis.drawn]))].sort((a, b) => a - b)
      return all.at(-1) > 300 && all
    }, 'the last chapters to be drawn')
    assert.ok(drawn.length < 40, `chapters were drawn that nobody sees: ${drawn}`)
    assert.ok((await app.page.locator('.md-block').count()) < 200, 'only what is near the screen is in the page')
  })
})

describe('an answer of 1,200 messages', { timeout: 300_000 }, () => {
  after(closeBrowser)

  test('only content near the view is in the page; nothing jumps, and opened parts stay open', async (t) => {
    const steps = Array.from({ length: 600 }, (_, i) => [
      {
        role: 'assistant',
        content: `**Step ${i + 1}.** ${'I look at the next file and say what I see. '.repeat(1 + (i % 7))}`,
        tool_calls: [
          { id: `call_${i}`, type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ uri: `src/${i + 1}.txt` }) } },
        ],
      },
      { role: 'tool', tool_call_id: `call_${i}`, name: 'read_file', content: `content of ${i + 1}\nand more\n` },
    ]).flat()
    const text = JSON.parse(notebookText('Long', []))
    text.context = [{ role: 'user', content: 'Read all of it.' }, ...steps, { role: 'assistant', content: 'All of it is read.' }]
    const app = await App.start(t, { files: { '.mutsumi/long.mtm': JSON.stringify(text, null, 2) } })
    const { page } = app
    await app.openAgent('Long')
    const answer = app.cell(1).locator('.answer')
    const lines = answer.locator('.tool')
    const inView = (name) =>
      app.until(async () => {
        const box = await answer
          .getByText(name, { exact: true })
          .first()
          .boundingBox()
          .catch(() => null)
        return box !== null && box.y > 0 && box.y < 900
      }, `${name} to be in view`)
    await answer.getByText('All of it is read.').waitFor()
    assert.ok((await lines.count()) < 120, `${await lines.count()} calls are in the page`)

    await app.scrollTo(0)
    await inView('Step 1.')
    const opened = lines.filter({ hasText: 'src/2.txt' }).getByRole('button', { name: /^Read / })
    await opened.click()
    await answer.getByText('content of 2').waitFor()

    // Up from the middle, where the height of every segment is estimated before it is drawn: the view moves exactly as far as
    // the wheel.
    await app.scrollTo(0.5)
    await app.until(async () => (await lines.count()) > 5, 'the middle to be drawn')
    const middle = () =>
      lines.evaluateAll((all) => {
        const near = all.map((el) => ({ name: el.querySelector('code').textContent, top: el.getBoundingClientRect().top }))
        return near.reduce((a, b) => (Math.abs(b.top - 400) < Math.abs(a.top - 400) ? b : a))
      })
    const topOf = (name) => lines.filter({ has: page.getByText(name, { exact: true }) }).evaluate((el) => el.getBoundingClientRect().top)
    const rested = async (look) => {
      let last = await look()
      await app.until(async () => {
        await page.waitForTimeout(200)
        const before = last
        return JSON.stringify(before) === JSON.stringify((last = await look()))
      }, 'the list to rest')
      return last
    }
    await page.mouse.move(700, 400)
    for (let i = 0; i < 12; i++) {
      const { name } = await rested(middle)
      const from = await topOf(name)
      await page.mouse.wheel(0, -250)
      await app.until(async () => Math.abs((await topOf(name)) - from) > 200, `${name} to move`)
      const moved = (await rested(() => topOf(name))) - from
      assert.ok(Math.abs(moved - 250) < 3, `${name} moved by ${moved} when the wheel turned by 250`)
      assert.ok((await lines.count()) < 150, `${await lines.count()} calls are in the page`)
    }

    // Parts that the person opened are still open where they were left.
    await app.scrollTo(1)
    await inView('All of it is read.')
    await app.scrollTo(0)
    await inView('content of 2\nand more'.split('\n')[0])
    assert.equal(await opened.getAttribute('aria-expanded'), 'true')
  })
})

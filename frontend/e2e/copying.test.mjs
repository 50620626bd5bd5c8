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

// The first minutes with the program: a new agent, a prompt, an answer that
// streams in, and everything there again afterwards.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { mock, Paced, secretKey } from './lib/provider.mjs'
import { encode } from './lib/png.mjs'
import { World } from './lib/world.mjs'

describe('the first minutes', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('without any model: a new agent, a prompt, an answer, and all there after a reload', async (t) => {
    const app = await App.start(t, { files: { 'README.md': '# Garden\n\nSix beds and two barrels.\n', 'src/bed.go': 'package bed\n' } })
    await app.newAgent()
    await app.typePrompt('What is in this folder? Read @[README.md] please.')
    await app.run()
    await app.waitIdle()
    const answer = await app.answerText()
    assert.match(answer, /no language model|not a language model/i, 'the offline model says what it is')
    assert.match(answer, /README\.md/)

    const notebook = app.world.notebook()
    assert.deepEqual(notebook.context.map((m) => m.role).slice(0, 2), ['user', 'assistant'])
    assert.equal(notebook.context[0].content, 'What is in this folder? Read @[README.md] please.')

    await app.reload()
    assert.match(await app.promptText(1), /^What is in this folder\?/)
    await app.until(async () => (await app.answerText(0)) === answer, 'the same answer')
  })

  test('theme and zoom are there before the page’s own scripts', async (t) => {
    const world = new World()
    world.write('../config/settings.yaml', JSON.stringify({ preferences: { theme: 'dark', zoom: 125 } }))
    const app = await App.start(t, { world })
    await app.page.route(/\/assets\/index-[^/]*\.js/, (route) => route.abort())
    app.expectProblem(/index-/)
    await app.page.goto(app.server.origin)
    const root = await app.page.evaluate(() => [
      document.documentElement.dataset.theme,
      document.documentElement.style.getPropertyValue('--zoom'),
    ])
    assert.deepEqual(root, ['dark', '1.25'])
  })

  test('while the view loads it holds the focus, and nothing is drawn around it', async (t) => {
    const app = await App.start(t)
    await app.newAgent()
    await app.layoutSaved(/mtm/)
    let release
    const released = new Promise((done) => (release = done))
    await app.page.route(/\/Books-[^/]*\.js/, async (route) => {
      await released
      await route.continue()
    })
    await app.page.reload()
    await app.page.waitForFunction(() => document.activeElement?.matches('[data-view="front"]:focus-visible'))
    assert.equal(await app.page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none')
    release()
    await app.page.waitForFunction(() => document.activeElement?.matches('.cm-content'))
  })

  test('an answer is visible while it streams, even after a reload in the middle, and ends complete', async (t) => {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    await app.typePrompt('Count to three')
    await app.run()
    const exchange = await provider.next()
    assert.equal(exchange.body.stream, true)
    assert.match(JSON.stringify(exchange.body.messages.at(-1)), /Count to three/)

    exchange.reasoning('Counting is easy.')
    exchange.text('**One**, ')
    await app.until(
      async () => (await app.answers().count()) > 0 && (await app.answerText()).includes('One,'),
      'the first word on the page',
    )
    await app.until(() => app.world.notebook().context[1]?.content?.includes('One'), 'the first word on the disk')

    await app.reload()
    await app.until(async () => (await app.answerText()).includes('One,'), 'the first word after the reload')
    exchange.text('*two*, ')
    await app.until(async () => (await app.answerText()).includes('two,'), 'the second word')
    exchange.text('three.')
    exchange.end()
    await app.waitIdle()
    assert.match(await app.answerText(), /One, two, three\./)
    const [, message] = app.world.notebook().context
    assert.equal(message.content, '**One**, *two*, three.')
    assert.equal(message.reasoning_content, 'Counting is easy.')
  })

  test('tables, code, formulas and tasks of an answer are drawn', async (t) => {
    const markdown =
      '# Beds\n\n| bed | litres |\n| --- | ---: |\n| 1 | 35 |\n\n- [x] done\n- [ ] open\n\n```go\nfunc main() {}\n```\n\n$a^2 + b^2$\n'
    const provider = await mock({ beds: markdown })
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    await app.ask('Show the beds')
    const answer = app.answers().last()
    assert.equal(await answer.locator('table td').first().innerText(), '1')
    assert.equal(await answer.locator('h1').innerText(), 'Beds')
    assert.equal(await answer.getByRole('checkbox').count(), 2)
    await answer.locator('pre code').waitFor()
    await answer.locator('.katex').first().waitFor()
  })

  test('a provider’s key is in no file and never sent to the page', async (t) => {
    const provider = await mock({ hello: 'Hi.' })
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    const bodies = []
    app.page.on('response', async (r) => {
      if (!r.url().includes('/api/events')) bodies.push(await r.text().catch(() => ''))
    })
    await app.newAgent()
    await app.ask('hello', { saved: true })
    assert.equal(await app.answerText(), 'Hi.')
    const settings = await app.call('Settings')
    assert.ok(settings.providers.length > 0)
    for (const text of [...bodies, JSON.stringify(settings), app.server.output, ...app.world.everyFile()])
      assert.ok(!text.includes(secretKey))
  })

  test('a picture from a link in the prompt is shown and sent', async (t) => {
    const provider = await mock({ picture: 'A gradient.' })
    t.after(() => provider.stop())
    const app = await App.start(t, { files: { 'chart.png': encode(40, 30, (x, y) => [x * 6, y * 8, 90]) }, env: provider.env })
    await app.newAgent()
    await app.typePrompt('Which picture is this? ![chart](chart.png)')
    await app.until(
      () => app.page.locator('article.cell img').evaluateAll((all) => all.some((i) => i.complete && i.naturalWidth > 0)),
      'a thumbnail',
    )
    await app.run()
    await app.waitIdle()
    assert.equal(await app.answerText(), 'A gradient.')
    const sent = provider
      .requests()
      .at(-1)
      .body.messages.findLast((m) => m.role === 'user')
    const image = sent.content.find((p) => p.type === 'image_url')
    assert.match(image.image_url.url, /^data:image\/(png|jpeg);base64,/)
  })
})

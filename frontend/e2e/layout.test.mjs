// What a browser lays out when a text changes. What lies beside it must not be laid out with it:
// WebKitGTK also paints that again, which takes longer than the frame of a screen.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from './lib/app.mjs'
import { started } from './lib/views.mjs'

after(closeBrowser)

/** The size of each part of the page, "WxH", from which the browser laid out while change ran. */
async function laidOut(page, change) {
  const cdp = await page.context().newCDPSession(page)
  const events = []
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value))
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'disabled-by-default-devtools.timeline,devtools.timeline' })
  await change()
  const complete = new Promise((done) => cdp.once('Tracing.tracingComplete', done))
  await cdp.send('Tracing.end')
  await complete
  await cdp.detach()
  const roots = events.filter((e) => e.name === 'Layout').flatMap((e) => e.args.endData?.layoutRoots ?? [])
  return [...new Set(roots.map(({ quads: [[x1, y1, x2, , , y3]] }) => `${Math.round(x2 - x1)}x${Math.round(y3 - y1)}`))]
}

test('a text that changes in a list has nothing beside the list laid out', async (t) => {
  const { page } = await started(t)
  await page.locator('article.cell .md p').first().waitFor()
  // The context is drawn once its answer has come.
  await page.getByRole('complementary', { name: 'Context' }).getByRole('region', { name: 'Next request' }).waitFor()
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  const { width, height } = await page.locator('.virtual:has(article.cell)').boundingBox()
  const roots = await laidOut(page, () =>
    page.evaluate(async () => {
      document.querySelector('article.cell .md p').append(' and more')
      await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))
    }),
  )
  assert.deepEqual(roots, [`${Math.round(width)}x${Math.round(height)}`])
})

// Chromium begins at no item of a flexible box, so that its trace does not show this; WebKit does.
test('the tree of agents, the tabs and the status bar are laid out and painted by themselves', async (t) => {
  const { page } = await started(t)
  for (const part of ['[role=tree]', 'nav:has([role=tab])', 'footer:has(.save)'])
    assert.equal(await page.locator(part).evaluate((e) => getComputedStyle(e).contain), 'strict', part)
})

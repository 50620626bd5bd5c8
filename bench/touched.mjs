// The changes in the page for each arriving token: an answer streams below many cells, alone or
// next to another notebook, and every change of the page is recorded.
import { App, closeBrowser } from '../frontend/e2e/lib/app.mjs'
import { file, workspace } from './long.mjs'
import { tokenServer } from './tokens.mjs'

/** In the page: notes every change, by where it is. */
function note() {
  const seen = (globalThis.touched = { answer: 0, places: 0, beside: 0, elsewhere: {}, frames: 0 })
  const running = [...document.querySelectorAll('[data-view=front] article.cell')].find((cell) => cell.querySelector('.gutter .stop'))
  const name = (el) => [el.tagName.toLowerCase(), ...el.classList].filter((word) => !word.startsWith('svelte-')).join('.')
  const where = ({ target, attributeName }) => {
    const el = target instanceof Element ? target : target.parentElement
    if (!el) return 'gone'
    if (el.closest('[data-group].rest')) return seen.beside++
    if (running.querySelector('.answer')?.contains(el) || !el.isConnected) return seen.answer++
    // The list makes room, and the rows below follow.
    if (attributeName === 'style' && el.matches('.sizer, .sizer > .row')) return seen.places++
    const place = `${name(el)} in ${name(el.parentElement ?? el)}${attributeName ? `, ${attributeName}` : ''}`
    seen.elsewhere[place] = (seen.elsewhere[place] ?? 0) + 1
  }
  globalThis.touchedBy = new MutationObserver((records) => records.forEach(where))
  globalThis.touchedBy.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  const frame = () => {
    seen.frames++
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}

/**
 * Streams for that many seconds below that many cells; beside: another, idle notebook is in a second group.
 * Returns how often something changed in the answer, the places of rows, the other notebook and elsewhere, by
 * place; the number of frames, and how often the page was laid out.
 */
export async function touchedByTokens({ cells, seconds, perSecond, beside = false }) {
  const server = await tokenServer({ perSecond, seconds: 120, answerSeconds: 120 })
  const endings = []
  const app = await App.start(
    { name: 'bench', after: (f) => endings.unshift(f), passed: true },
    { world: workspace(beside ? 2 : 1, cells), env: server.env, viewport: { width: 1600, height: 900 } },
  )
  try {
    await app.openAgent(beside ? 'Long 1' : 'Long 0')
    if (beside) await app.agentMenu('Long 0', /Open at the side/)
    const stop = app.page.locator('[data-view=front] article.cell .gutter .stop')
    await app.call('Run', file(0), (await app.notebook(file(0))).cells.at(-1).id, 'cell')
    await stop.waitFor()
    await app.page.locator('[data-view=front] article.cell:has(.gutter .stop) .md-code').first().waitFor() // the first screen is full
    const cdp = await app.page.context().newCDPSession(app.page)
    await cdp.send('Performance.enable')
    const layouts = async () => (await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'LayoutCount').value
    await app.page.evaluate(note)
    const before = await layouts()
    await app.page.waitForTimeout(seconds * 1000)
    const touched = await app.page.evaluate(() => (globalThis.touchedBy.disconnect(), globalThis.touched))
    return { ...touched, layouts: (await layouts()) - before }
  } finally {
    for (const end of endings) await end()
    await closeBrowser()
    await server.stop()
  }
}

// Problems that axe finds in the present page.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The findings, in words. */
export async function findings(page) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return page.evaluate(async () => {
    // None of these rules needs style sheets or media that axe would fetch again first.
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], preload: false })
    // A model chooses the headings of its answer, and menus and completions cover parts of the page.
    const ours = ({ id }, { target }) =>
      !(id === 'heading-order' && String(target).includes('.md-block')) && !(id === 'region' && /\.veil|^body > \.ͼ/.test(String(target)))
    return violations.flatMap((v) =>
      v.nodes
        .filter((n) => ours(v, n))
        .map((n) => `${v.id}: ${n.target.join(' ')}: ${n.failureSummary.replace(/\s+/g, ' ').slice(0, 200)}`),
    )
  })
}

/** Checks the page in the dark scheme and then in the light one, in which it stays: look(scheme). */
export async function inBoth(page, look) {
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor()
    await look(colorScheme)
  }
}

/** The findings in both schemes: what leads to a view is done once, and the view is looked at twice. */
export async function findingsInBoth(page) {
  const all = []
  await inBoth(page, async (scheme) => all.push(...(await findings(page)).map((found) => `in ${scheme}: ${found}`)))
  return all
}

/** The findings in the colours that the person's system forces on every page. */
export async function findingsForced(page) {
  await page.emulateMedia({ forcedColors: 'active' })
  const found = await findings(page)
  await page.emulateMedia({ forcedColors: 'none' })
  return found.map((one) => `in forced colours: ${one}`)
}

/**
 * What does not fit the page: the page scrolls sideways, a control or a heading is outside of it or
 * of the dialog around it, the name of a view or a choice is cut off, or a short word is broken
 * over lines.
 */
export function misfits(page) {
  return page.evaluate(() => {
    const found = []
    const root = document.documentElement
    if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth - root.clientWidth} px too wide`)
    const dialog = [...document.querySelectorAll('dialog:modal')].at(-1)
    const scope = dialog ?? document.body
    const scrolls = (e) => {
      for (let at = e.parentElement; at && at !== scope.parentElement; at = at.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(at)
        if (/auto|scroll/.test(overflowX + overflowY) && (at.scrollWidth > at.clientWidth || at.scrollHeight > at.clientHeight)) return true
      }
      return false
    }
    for (const e of scope.querySelectorAll('button, input, select, textarea, [role="tab"], h1, h2, h3')) {
      if (!e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || e.closest('.sr, [inert]') || scrolls(e)) continue
      const box = e.getBoundingClientRect()
      if (box.width < 1 || box.height < 1) continue
      const out = box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1
      if (out)
        found.push(
          `${e.tagName} “${e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 40)}” at ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`,
        )
    }
    for (const e of scope.querySelectorAll('.segment'))
      if (e.checkVisibility({ visibilityProperty: true }) && e.scrollWidth > e.clientWidth)
        found.push(`“${e.textContent.trim()}” is cut off`)
    const texts = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { parentElement: e, data } = texts.currentNode
      const text = data.trim()
      if (
        !/^\p{L}{1,8}$/u.test(text) ||
        !e?.checkVisibility({ visibilityProperty: true }) ||
        e.closest('code, pre, .cm-content, .md-block, .sr')
      )
        continue
      const range = document.createRange()
      range.selectNodeContents(texts.currentNode)
      if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) found.push(`“${text}” is broken over lines`)
    }
    return found
  })
}

/** Controls that are less than 24 px high or wide, and not a part of a text. */
export function smallControls(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('button, input, select, textarea, [role="tab"], [role="option"], [role^="menuitem"], [role="treeitem"]')]
      .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('.sr, .md-block, .selectable p'))
      // An element in a label is pressed through the label.
      .map((e) => ({ e, box: (e.closest('label') ?? e).getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1 && (box.width < 23.9 || box.height < 23.9))
      .map(
        ({ e, box }) =>
          `${e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 40)}: ${box.width.toFixed(1)} x ${box.height.toFixed(1)}`,
      ),
  )
}

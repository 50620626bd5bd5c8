// What axe finds wrong with the page as it stands.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The serious and critical findings, in words. */
export async function findings(page) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return page.evaluate(async () => {
    // No rule of these needs style sheets or media that axe would fetch once more before it looks.
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], preload: false })
    return violations
      .filter((v) => v.impact === 'serious' || v.impact === 'critical')
      .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(' ')}: ${n.failureSummary.replace(/\s+/g, ' ').slice(0, 200)}`))
  })
}

/** Looks at the page in the dark scheme and then in the light one, in which it stays: look(scheme). */
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

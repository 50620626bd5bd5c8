import type { settings } from '$lib/backend/backend'
import { setDensity } from '$lib/ui/fixedRows.svelte'

const dark = () => matchMedia('(prefers-color-scheme: dark)')

/**
 * Whether getBoundingClientRect of a zoomed element uses the same pixels as pointer events. In
 * Chromium it does; WebKitGTK 2.50 returns unzoomed ones.
 */
function zoomIsTrue(): boolean {
  const probe = document.createElement('div')
  probe.style.cssText = 'position: fixed; width: 10px; height: 1px; visibility: hidden; zoom: 2'
  document.body.append(probe)
  const { width } = probe.getBoundingClientRect()
  probe.remove()
  return width > 15
}

/**
 * Applies the appearance preferences to the page; public/theme.js does so with some of them before
 * the first paint. Returns a function that stops following the system's theme.
 */
export function applyAppearance(
  p: Pick<settings.Preferences, 'theme' | 'zoom' | 'fontSize' | 'codeSize' | 'density' | 'font' | 'codeFont'>,
): () => void {
  const root = document.documentElement
  const paint = () => (root.dataset.theme = p.theme === 'light' || p.theme === 'dark' ? p.theme : dark().matches ? 'dark' : 'light')
  paint()
  root.style.setProperty('--zoom', String((p.zoom || 100) / 100))
  if ((p.zoom || 100) !== 100 && !zoomIsTrue()) root.dataset.scaled = ''
  else delete root.dataset.scaled
  if (p.fontSize) root.style.setProperty('--text-l', `${p.fontSize}px`)
  else root.style.removeProperty('--text-l')
  if (p.codeSize) root.style.setProperty('--text-code-m', `${p.codeSize}px`)
  else root.style.removeProperty('--text-code-m')
  const density = p.density === 'compact' ? 'compact' : 'comfortable'
  root.dataset.density = density
  setDensity(density)
  for (const [token, name] of [
    ['--font-ui', p.font],
    ['--font-code', p.codeFont],
  ] as const) {
    root.style.removeProperty(token)
    // Characters that the font lacks come from the program's own font.
    if (name) root.style.setProperty(token, `"${name}", ${getComputedStyle(root).getPropertyValue(token)}`)
  }
  if (p.theme === 'light' || p.theme === 'dark') return () => undefined
  const system = dark()
  system.addEventListener('change', paint)
  return () => system.removeEventListener('change', paint)
}

import DOMPurify from 'dompurify'
import { t } from '$lib/language/language'

/* Makes mermaid's drawings safe to show; see diagram.ts. */

export interface Drawing {
  /** An SVG document. */
  svg: string
  /** Its size in pixels. */
  width: number
  height: number
}

/** The longest side of a drawing, in pixels. */
const MAX_SIDE = 20_000
const purify = DOMPurify(window)

/** clean returns a drawing as a document that is safe to show as an image. */
export function clean(svg: string): Drawing {
  const kept = purify.sanitize(svg, {
    USE_PROFILES: { svg: true, svgFilters: true },
    FORBID_TAGS: ['a', 'image', 'foreignObject', 'feImage', 'use', 'animate', 'animateMotion', 'animateTransform', 'set'],
    FORBID_ATTR: ['href', 'xlink:href', 'src'],
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  const root = kept.querySelector('svg')
  if (!root) throw new Error(t`Nothing was drawn.`)
  for (const style of root.querySelectorAll('style'))
    if (/@import|image-set\s*\(|url\(\s*['"]?(?!#|['"]?#)/i.test(style.textContent)) style.remove()
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (!(width > 0 && height > 0)) throw new Error(t`Nothing was drawn.`)
  if (width > MAX_SIDE || height > MAX_SIDE) throw new Error(t`The drawing is too large.`)
  root.setAttribute('width', String(Math.ceil(width)))
  root.setAttribute('height', String(Math.ceil(height)))
  root.removeAttribute('style')
  return { svg: new XMLSerializer().serializeToString(root), width: Math.ceil(width), height: Math.ceil(height) }
}

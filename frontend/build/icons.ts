import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

type Shape = [tag: string, attributes: Record<string, string>]

/**
 * Draws every icon of Lucide as one path, with src/lib/ui/Icon.svelte. The library's own component
 * builds attributes and elements one by one each time, which took most of the time of a row with icons.
 */
export function staticIcons(): Plugin {
  return {
    name: 'static-icons',
    enforce: 'pre',
    load: {
      filter: { id: /node_modules[\\/]@lucide[\\/]svelte[\\/]dist[\\/]icons[\\/][\w-]+\.js$/ },
      handler(id) {
        // An old name of an icon leads to the file of its new one.
        const file = /from "(.+\.svelte)"/.exec(readFileSync(id, 'utf8'))?.[1]
        const data = file && /const iconData = (\{.*\});/.exec(readFileSync(join(dirname(id), file), 'utf8'))?.[1]
        if (!data) return this.error(`Could not find the shapes of the icon ${id}: the library writes them in another way now.`)
        const d = onePath((JSON.parse(data) as { node: Shape[] }).node)
        return `import Icon from '$lib/ui/Icon.svelte'\nexport default (anchor, given) => Icon(anchor, { d: ${JSON.stringify(d)}, given })\n`
      },
    },
  }
}

/** The path that draws what the shapes of an icon draw; an Error for a shape that it does not know. */
export function onePath(shapes: readonly Shape[]): string {
  return shapes.map(([tag, attributes]) => path(tag, attributes)).join('')
}

function path(tag: string, attributes: Record<string, string>): string {
  const n = (name: string) => Number(attributes[name] ?? 0)
  const points = () => (attributes.points ?? '').trim()
  switch (tag) {
    case 'path': {
      const d = attributes.d ?? ''
      // A small m is relative to where the shape before ended.
      return d.startsWith('m') ? `M0 0${d}` : d
    }
    case 'line':
      return `M${n('x1')} ${n('y1')}L${n('x2')} ${n('y2')}`
    case 'polyline':
      return `M${points()}`
    case 'polygon':
      return `M${points()}Z`
    case 'circle':
      // A filled dot: a point of the stroke's width covers its middle.
      return ellipse(n('cx'), n('cy'), n('r'), n('r')) + (attributes.fill ? `M${n('cx')} ${n('cy')}h.01` : '')
    case 'ellipse':
      return ellipse(n('cx'), n('cy'), n('rx'), n('ry'))
    case 'rect': {
      const [x, y, w, h] = [n('x'), n('y'), n('width'), n('height')]
      const rx = Math.min(attributes.rx ? n('rx') : n('ry'), w / 2)
      const ry = Math.min(attributes.ry ? n('ry') : n('rx'), h / 2)
      if (!rx || !ry) return `M${x} ${y}h${w}v${h}h${-w}Z`
      const corner = (dx: number, dy: number) => `a${rx} ${ry} 0 0 1 ${dx} ${dy}`
      const [across, down] = [w - 2 * rx, h - 2 * ry]
      return `M${x + rx} ${y}h${across}${corner(rx, ry)}v${down}${corner(-rx, ry)}h${-across}${corner(-rx, -ry)}v${-down}${corner(rx, -ry)}Z`
    }
    default:
      throw new Error(`Could not draw <${tag}> of an icon as a path.`)
  }
}

const ellipse = (cx: number, cy: number, rx: number, ry: number) =>
  `M${cx - rx} ${cy}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0Z`

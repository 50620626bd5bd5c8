import mermaid from 'mermaid'
import { clean, type Drawing } from './diagramClean'

/*
 * Mermaid diagrams, loaded when the first one is shown. A source is drawn without HTML and without
 * its own settings. The drawing passes through DOMPurify as SVG and is shown as an image, in which
 * nothing runs, loads or reaches the styles of the page.
 */

/** The most lines between the nodes of a diagram. */
const MAX_EDGES = 300

let number = 0

/**
 * draw draws a source in the colours of a theme; it rejects if the source is invalid. It handles one at a time (diagramQueue.ts).
 */
export async function draw(source: string, dark: boolean): Promise<Drawing> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    // Settings inside a source have no effect.
    secure: [...Object.keys(mermaid.mermaidAPI.defaultConfig), 'themeCSS', 'dompurifyConfig'],
    suppressErrorRendering: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    maxTextSize: 50_000,
    maxEdges: MAX_EDGES,
    theme: dark ? 'dark' : 'neutral',
    // An image has no fonts of the page: use the same font for measuring and drawing.
    fontFamily: 'system-ui, sans-serif',
    logLevel: 'fatal',
  })
  // Text is measured in the page, out of sight.
  const room = document.createElement('div')
  room.style.cssText =
    'position: fixed; left: 0; top: 0; width: 900px; height: 0; overflow: hidden; visibility: hidden; contain: layout style paint'
  room.setAttribute('aria-hidden', 'true')
  document.body.append(room)
  try {
    const { svg } = await mermaid.render(`diagram-${++number}`, source, room)
    return clean(svg)
  } finally {
    room.remove()
  }
}

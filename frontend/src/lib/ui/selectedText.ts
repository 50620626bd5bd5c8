import { flushSync } from 'svelte'

/* Selected parts of a long text that are far from the view are drawn before a copy, so that none is missing in it. */

/** Draws what is selected and not drawn; returns whether there was any. */
type Draw = (selected: Selection) => boolean

const drawers = new Set<Draw>()

/** The most rounds of drawing: what is drawn may have parts that are not. */
const ROUNDS = 8

/** drawsForCopy has a function called before each copy; returns a function that stops this. */
export function drawsForCopy(draw: Draw): () => void {
  if (drawers.size === 0) document.addEventListener('copy', drawSelected, true)
  drawers.add(draw)
  return () => {
    drawers.delete(draw)
    if (drawers.size === 0) document.removeEventListener('copy', drawSelected, true)
  }
}

function drawSelected(): void {
  const selected = getSelection()
  if (!selected || selected.isCollapsed) return
  for (let n = 0; n < ROUNDS; n++) {
    const drew = [...drawers].map((draw) => draw(selected))
    if (!drew.includes(true)) return
    flushSync()
  }
}

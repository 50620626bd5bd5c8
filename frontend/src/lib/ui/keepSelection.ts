/*
 * The selection in text whose elements are made anew, as code is when its colours come: it is found
 * again by the characters before its ends.
 */

/** keepSelection returns a function that selects again what is selected in an element; undefined if nothing is. */
export function keepSelection(node: Element | undefined): (() => void) | undefined {
  const selected = getSelection()
  if (!node || !selected || selected.isCollapsed || !selected.anchorNode || !selected.focusNode) return undefined
  if (!node.contains(selected.anchorNode) && !node.contains(selected.focusNode)) return undefined
  const [anchor, focus] = [endIn(node, selected.anchorNode, selected.anchorOffset), endIn(node, selected.focusNode, selected.focusOffset)]
  return () => {
    const [from, to] = [anchor(), focus()]
    if (from && to) selected.setBaseAndExtent(...from, ...to)
  }
}

type Place = [node: Node, offset: number]

/** Returns a function for the place of one end: in the element by the characters before it, elsewhere where it is. */
function endIn(node: Element, at: Node, offset: number): () => Place | undefined {
  if (!node.contains(at)) return () => (at.isConnected ? [at, offset] : undefined)
  const before = document.createRange()
  before.setStart(node, 0)
  before.setEnd(at, offset)
  let left = before.toString().length
  return () => {
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode() as Text | null; text; text = texts.nextNode() as Text | null) {
      if (left <= text.length) return [text, left]
      left -= text.length
    }
    return [node, node.childNodes.length]
  }
}

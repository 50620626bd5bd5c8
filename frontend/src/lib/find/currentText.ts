/*
 * With forced colours the browser paints all highlights alike, whatever their style. The elements with the text of the current
 * match have a class, by which found.css gives that match its own colours there.
 */

const name = 'found-here'

/** CurrentText has the elements whose text is that of the current match. */
export class CurrentText {
  #elements = new Set<Element>()

  /** show replaces what is marked by the elements that hold the text of these ranges. */
  show(ranges: readonly Range[]): void {
    const elements = new Set(ranges.flatMap(elementsOf))
    for (const element of this.#elements) if (!elements.has(element)) element.classList.remove(name)
    for (const element of elements) element.classList.add(name)
    this.#elements = elements
  }
}

/** The elements with the text of a range: a highlight has the style of the element right around its text. */
function elementsOf(range: Range): Element[] {
  const walker = document.createTreeWalker(range.commonAncestorContainer, NodeFilter.SHOW_TEXT)
  const found: Element[] = []
  walker.currentNode = range.startContainer
  for (let node: Node | null = range.startContainer; node && range.intersectsNode(node); node = walker.nextNode()) {
    const element = node instanceof Element ? node : node.parentElement
    if (element) found.push(element)
  }
  return found
}

/**
 * MarkdownPatch writes changed HTML into an element and leaves what did not change as it is: a selection, drawn
 * formulas and the layout of the text before stay while text streams in.
 */
export class MarkdownPatch {
  readonly node: Element
  #html: string
  /**
   * The content as html made it, from the first change on. What is in the page may have been enhanced, such as with a drawn
   * formula: an element with exchanged content has other attributes, and is made anew once its source changes.
   */
  #made: Node | undefined

  /** node: an element whose content was just made from html. */
  constructor(node: Element, html: string) {
    this.node = node
    this.#html = html
  }

  /** apply makes the element's content that of html, which has to be safe. */
  apply(html: string): void {
    if (html === this.#html) return
    const next = parsed(html)
    patch(this.node, this.#made ?? parsed(this.#html), next)
    this.#html = html
    this.#made = next
  }
}

function parsed(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content
}

/** Changes the children of shown, which were made as those of made, to those of next. */
function patch(shown: Node, made: Node, next: Node): void {
  let at = shown.firstChild
  let was = made.firstChild
  for (let now = next.firstChild; now; now = now.nextSibling) {
    const [here, before] = [at, was]
    at = here?.nextSibling ?? null
    was = before?.nextSibling ?? null
    if (!here || !before) shown.insertBefore(document.importNode(now, true), at)
    else if (before.isEqualNode(now)) continue
    else if (here instanceof Text && before instanceof Text && now instanceof Text) write(here, now.data)
    else if (sameElement(before, now) && sameElement(here, before) && here.childNodes.length === before.childNodes.length)
      patch(here, before, now)
    else shown.replaceChild(document.importNode(now, true), here)
  }
  for (; was && at; was = was.nextSibling) {
    const rest = at
    at = at.nextSibling
    rest.remove()
  }
}

/** Whether both are elements of the same name with the same attributes. */
function sameElement(a: Node, b: Node): boolean {
  return a instanceof Element && b instanceof Element && a.cloneNode(false).isEqualNode(b.cloneNode(false))
}

/** Changes what follows the common beginning: a selection in it stays. */
function write(text: Text, data: string): void {
  const most = Math.min(text.length, data.length)
  let same = data.startsWith(text.data) ? most : 0
  while (same < most && text.data[same] === data[same]) same++
  text.replaceData(same, text.length - same, data.slice(same))
}

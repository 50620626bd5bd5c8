import { EditorView } from '@codemirror/view'

/*
 * A formula is copied as its source: its drawing consists of pieces that mean nothing one after another. A line that is drawn in
 * several blocks is copied as one. Of a text in an editor, which draws only what is near the view, all is copied. Between
 * paragraphs there is an empty line, which WebKit leaves out where their distance is not a margin.
 */

const editors = '.cm-editor'
const formulas = '.math'
/** A block that begins inside a line. */
const joined = '[data-joined]'
/** What a person can select; text outside of it, such as numbers of cells and names of buttons, is in no copy. */
const selectable = '.selectable, [contenteditable="true"]'

const elementOf = (node: Node): Element | null => (node instanceof Element ? node : node.parentElement)

/** copyWithSources copies the selection with the sources of its formulas, whole lines, paragraphs and whole texts of editors; one without any of them is copied by the browser. */
export function copyWithSources(event: ClipboardEvent): void {
  const selected = getSelection()
  if (event.defaultPrevented || !event.clipboardData || !selected?.rangeCount || selected.isCollapsed) return
  const range = selected.getRangeAt(0)
  if (touched('.md-block', range).length < 2 && touched(`${formulas}, ${editors}`, range).length === 0) return
  const { text, html } = contentOf(range)()
  event.clipboardData.setData('text/plain', text)
  event.clipboardData.setData('text/html', html)
  event.preventDefault()
}

/** The elements of the page that a range touches. */
const touched = (what: string, range: Range) =>
  [...document.querySelectorAll<HTMLElement>(what)].filter((part) => range.intersectsNode(part))

/** contentOf keeps what a copy of a range takes, to be read once: all that can be selected in it, with the sources of formulas. */
export function contentOf(range: Range): () => { text: string; html: string } {
  const whole = range.cloneRange()
  const [first, last] = [whole.startContainer, whole.endContainer].map((node) => elementOf(node)?.closest(formulas))
  if (first) whole.setStartBefore(first)
  if (last) whole.setEndAfter(last)
  const part = whole.cloneContents()
  takeTexts(part, whole)
  for (const formula of part.querySelectorAll(formulas)) formula.replaceWith(sourceOf(formula))
  for (const hidden of part.querySelectorAll('.md-code header, .md-diagram header')) hidden.remove()
  for (const note of part.querySelectorAll('.as-source-note')) {
    note.nextSibling?.remove() // the space behind it
    note.remove()
  }
  joinLines(part)
  if (!elementOf(whole.commonAncestorContainer)?.closest(selectable)) removeOthers(part)
  return () => {
    // Lines and columns are as the page would draw them.
    const room = document.createElement('div')
    room.className = 'md md-copied'
    room.setAttribute('aria-hidden', 'true')
    room.append(part)
    document.body.append(room)
    const content = { text: room.innerText, html: room.innerHTML }
    room.remove()
    return content
  }
}

/** Puts the texts of editors into the copy of a range, in place of what they draw. */
function takeTexts(part: DocumentFragment, range: Range): void {
  const copies = [...part.querySelectorAll(editors)]
  for (const [n, element] of touched(editors, range).entries()) {
    const view = EditorView.findFromDOM(element)
    if (!view) continue
    const at = (node: Node, offset: number, otherwise: number) => (view.contentDOM.contains(node) ? view.posAtDOM(node, offset) : otherwise)
    const [from, to] = [at(range.startContainer, range.startOffset, 0), at(range.endContainer, range.endOffset, view.state.doc.length)]
    const text = document.createElement('pre')
    text.className = 'selectable'
    text.textContent = view.state.sliceDoc(from, to)
    if (copies[n]) copies[n].replaceWith(text)
    else part.replaceChildren(text) // the range is within the editor
  }
}

/** Joins the lines that are drawn in several blocks. */
function joinLines(part: DocumentFragment): void {
  let before: Element | undefined
  for (const block of part.querySelectorAll('.md-block')) {
    const [end, start] = [before && lastText(before), block.firstElementChild]
    if (block.matches(joined) && end && start?.matches('p')) {
      if (start.firstChild instanceof Text && start.firstChild.data.trim() === '') start.firstChild.remove()
      end.append(...start.childNodes)
      start.remove()
      before!.append(...block.childNodes)
      block.remove()
    } else before = block
  }
}

/** The paragraph or the item of a list with which a block ends; undefined if it ends otherwise. */
function lastText(block: Element): Element | undefined {
  let end = block
  while (end.lastElementChild?.matches('p, li, ul, ol, blockquote')) end = end.lastElementChild
  return end.matches('p, li') ? end : undefined
}

/** Removes from copied elements what could not be selected. */
function removeOthers(part: ParentNode & Node): void {
  for (const child of [...part.childNodes])
    if (child instanceof Element && child.matches(selectable)) continue
    else if (child instanceof Element && child.querySelector(selectable)) removeOthers(child)
    else child.remove()
}

/** The source of a formula, drawn or not, as it is written in Markdown. */
function sourceOf(formula: Element): string {
  const tex = (formula.querySelector('annotation') ?? formula).textContent.trim()
  const mark = formula.classList.contains('math-display') ? '$$' : '$'
  const apart = mark === '$$' && tex.includes('\n') ? '\n' : ''
  return mark + apart + tex + apart + mark
}

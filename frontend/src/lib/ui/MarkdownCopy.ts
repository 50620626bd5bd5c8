/* A formula is copied as its source: its drawing consists of pieces that mean nothing one after another. */

const formulas = '.math[data-drawn]'

const formulaAround = (node: Node): Element | null => (node instanceof Element ? node : node.parentElement)?.closest(formulas) ?? null

/** copyWithSources copies the selection with the sources of its formulas; one without formulas is copied by the browser. */
export function copyWithSources(event: ClipboardEvent): void {
  const selected = getSelection()
  if (event.defaultPrevented || !event.clipboardData || !selected?.rangeCount || selected.isCollapsed) return
  const range = selected.getRangeAt(0).cloneRange()
  const [first, last] = [formulaAround(range.startContainer), formulaAround(range.endContainer)]
  if (first) range.setStartBefore(first)
  if (last) range.setEndAfter(last)
  const part = range.cloneContents()
  const found = part.querySelectorAll(formulas)
  if (found.length === 0) return
  for (const formula of found) formula.replaceWith(sourceOf(formula))
  for (const hidden of part.querySelectorAll('.md-code header, .md-diagram header')) hidden.remove()
  // Lines and columns are as the page would draw them.
  const room = document.createElement('div')
  room.className = 'md md-copied'
  room.setAttribute('aria-hidden', 'true')
  room.append(part)
  document.body.append(room)
  event.clipboardData.setData('text/plain', room.innerText)
  event.clipboardData.setData('text/html', room.innerHTML)
  room.remove()
  event.preventDefault()
}

/** The source of a drawn formula as it is written in Markdown. */
function sourceOf(formula: Element): string {
  const tex = (formula.querySelector('annotation')?.textContent ?? '').trim()
  const mark = formula.classList.contains('math-display') ? '$$' : '$'
  const apart = mark === '$$' && tex.includes('\n') ? '\n' : ''
  return mark + apart + tex + apart + mark
}

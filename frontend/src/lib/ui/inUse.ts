/*
 * What is drawn only near the view stays drawn elsewhere while it is in use: the keyboard, or a
 * selection that somebody is about to extend or copy, would be lost with it.
 */

const goesThrough = (selected: Selection, node: Node): boolean =>
  !selected.isCollapsed && selected.rangeCount > 0 && selected.getRangeAt(0).intersectsNode(node)

/** inUse reports whether the keyboard or an end of the selection is in an element, or the selection goes through it. */
export function inUse(node: Element): boolean {
  if (node.contains(document.activeElement)) return true
  const selected = getSelection()
  return selected !== null && (node.contains(selected.anchorNode) || goesThrough(selected, node))
}

/** The drawn rows of a list for which something holds, by name. */
const rowsOf = (list: HTMLElement, holds: (row: Element) => boolean): string[] =>
  [...list.children].flatMap((row) => (row instanceof HTMLElement && row.dataset.row !== undefined && holds(row) ? [row.dataset.row] : []))

/** rowsInUse returns the drawn rows of a list with the keyboard or an end of the selection, by name: what is between its ends a copy draws. */
export function rowsInUse(list: HTMLElement | undefined): string[] {
  const selected = getSelection()
  const used = [document.activeElement, selected?.anchorNode, selected?.focusNode]
  return list ? rowsOf(list, (row) => used.some((node) => node && row.contains(node))) : []
}

/** rowsWithin returns the first and the last drawn row that a range goes through, by name; undefined if it is within one or has no end in the list. */
export function rowsWithin(list: HTMLElement | undefined, range: Range): [first: string, last: string] | undefined {
  if (!list || range.collapsed || !(list.contains(range.startContainer) || list.contains(range.endContainer))) return undefined
  const rows = rowsOf(list, (row) => range.intersectsNode(row))
  return rows.length > 1 ? [rows[0]!, rows.at(-1)!] : undefined
}

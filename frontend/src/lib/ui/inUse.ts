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

/** The selection, if it begins or ends in a list: one of the whole page keeps no row. */
function selectionIn(list: HTMLElement): Selection | undefined {
  const selected = getSelection()
  return selected && (list.contains(selected.anchorNode) || list.contains(selected.focusNode)) ? selected : undefined
}

/** rowsInUse returns the drawn rows of a list that are in use, by name. */
export const rowsInUse = (list: HTMLElement | undefined): string[] =>
  list ? rowsOf(list, selectionIn(list) ? inUse : (row) => row.contains(document.activeElement)) : []

/** rowsSelected returns the first and the last drawn row that a selection goes through, by name. */
export function rowsSelected(list: HTMLElement | undefined): [first: string, last: string] | undefined {
  const selected = list && selectionIn(list)
  if (!selected || selected.isCollapsed) return undefined
  const rows = rowsOf(list, (row) => goesThrough(selected, row))
  return rows.length > 1 ? [rows[0]!, rows.at(-1)!] : undefined
}

import { flushSync } from 'svelte'
import { drawNextStop } from './nextStop'
import { pressedKey } from './pressedKey'
import type { RowList } from './rowSizes'

/** The list in which Tab is pressed. */
interface TabbedList extends RowList {
  map: { indexOf(id: string): number }
}

/** TabbedRows has the rows of a list drawn up to where Tab goes, wherever they are; those that it reaches stay while they are in use. */
export class TabbedRows {
  /** The rows that stay drawn. */
  stay = $state.raw<readonly string[]>([])
  readonly #list: TabbedList

  constructor(list: TabbedList) {
    this.#list = list
  }

  /** draw draws what is missing up to where Tab goes, and calls then with the element that it reached. */
  draw(event: KeyboardEvent, then: (el: Element) => void): void {
    const { element, ids, map, sizes } = this.#list
    const rows = element()
    if (pressedKey(event) !== 'Tab' || event.defaultPrevented || !rows?.contains(event.target as Node)) return
    const isDrawn = (id: string) => sizes().row(id) !== undefined
    const drew = drawNextStop(rows, event.target as Element, event.shiftKey ? -1 : 1, (id, by) => {
      const beside = ids()[map.indexOf(id) + by]
      if (beside === undefined || isDrawn(beside)) return false
      this.stay = [...this.stay, beside]
      flushSync()
      return isDrawn(beside)
    })
    // What the browser scrolls to stays there.
    if (drew) sizes().measure()
    setTimeout(() => {
      if (rows.contains(document.activeElement)) then(document.activeElement!)
      this.stay = []
    })
  }
}

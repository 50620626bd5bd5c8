import { rectOf, pointAt } from '$lib/ui/zoom'
import type { Navigation } from './navigation'

/** The target of a dragged tab: a group, or the space beside the only one. */
export interface DropPlace {
  readonly group: number
  /** The whole group takes it, or a new one at its right edge. */
  readonly part: 'whole' | 'right'
  /** The index among the group's tabs, if the pointer is over them. */
  readonly at?: number
}

/** The share of a group's width that counts as its edge, where a tab starts a new group. */
const edge = 0.35

/** TabDrag is the drag of a tab out of its bar: into the other group, or to the right edge. */
export class TabDrag {
  readonly #navigation: Navigation
  #place = $state.raw<DropPlace | undefined>()
  #out = false

  constructor(navigation: Navigation) {
    this.#navigation = navigation
  }

  /** The current target of the tab. */
  get place(): DropPlace | undefined {
    return this.#place
  }

  /** Moves the pointer with a group's tab to a point of the page; returns whether that is outside the group's bar. */
  pull(from: number, x: number, y: number): boolean {
    const under = document.elementFromPoint(x, y)
    const group = under?.closest<HTMLElement>('[data-group]')
    const bar = under?.closest<HTMLElement>('[role="tablist"], nav')
    const id = group ? Number(group.dataset.group) : undefined
    this.#out = !(id === from && bar)
    this.#place = group && id !== undefined && this.#out ? this.#placeIn(group, id, from, x, y) : undefined
    return this.#out
  }

  #placeIn(group: HTMLElement, id: number, from: number, x: number, y: number): DropPlace | undefined {
    const { tabs } = this.#navigation
    const at = pointAt(x, y)
    if (id !== from) {
      const strip = group.querySelector('[role="tablist"]')
      const centres = strip && at.y < rectOf(strip).bottom ? [...strip.children].map((tab) => rectOf(tab)) : undefined
      return { group: id, part: 'whole', at: centres?.filter((r) => (r.left + r.right) / 2 < at.x).length }
    }
    const room = rectOf(group)
    return !tabs.other && tabs.front.paths.length > 0 && at.x > room.right - room.width * edge ? { group: id, part: 'right' } : undefined
  }

  /** Ends the drag; without a path it was cancelled. The only tab of a group can also stay in it. */
  drop(from: number, path?: string): void {
    const place = this.#place
    this.#place = undefined
    if (!place || path === undefined) return
    const { tabs } = this.#navigation
    if (tabs.canSend(path, from)) this.#navigation.send(path, from, place.at)
    else this.#navigation.openBeside(path)
  }
}

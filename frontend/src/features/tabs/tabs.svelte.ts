import * as model from './groups'
import type { Closing, Group, KeptGroup } from './groups'

/** The tab whose name is being edited: a path can have a tab in each group. */
export interface Renaming {
  readonly path: string
  readonly group: number
}

/**
 * The tabs: groups side by side, the order of tabs, and the current one of each group. Paths only;
 * names and states come from the tree.
 */
export class TabsState {
  #groups = $state.raw(model.restored([]))
  #closed = $state.raw<readonly string[]>([])
  #renaming = $state.raw<Renaming | undefined>()
  readonly #changed: () => void
  readonly #paths = $derived(model.pathsOf(this.#groups))

  /** changed is called after every change. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** The groups, from left to right. */
  get groups(): readonly Group[] {
    return this.#groups.all
  }
  /** The active group: new tabs open in it. */
  get front(): Group {
    return model.groupOf(this.#groups)
  }
  /** The active group as it is once tabs are closed. */
  frontWithout(closing: Iterable<Closing>): Group {
    let groups = this.#groups
    for (const { path, group } of closing) groups = model.closed(groups, [path], group)
    return model.groupOf(groups)
  }
  /** The next group after the active one; undefined if there is only one. */
  get other(): Group | undefined {
    return model.otherOf(this.#groups)
  }
  /** Everything that has a tab in some group. */
  get paths(): readonly string[] {
    return this.#paths
  }
  /** The current path of the active group, or "" if nothing is open. */
  get active(): string {
    return this.front.active
  }

  /** The closed tabs, latest first. */
  get closed(): readonly string[] {
    return this.#closed
  }

  /** The tab whose name is being edited. */
  get renaming(): Renaming | undefined {
    return this.#renaming
  }
  set renaming(tab: Renaming | undefined) {
    this.#renaming = tab
  }

  /** Restores the tabs of the last session, without files that are gone. beside: those of the group at the right. */
  load(tabs: readonly string[], active: string, closed: readonly string[] = [], beside?: KeptGroup & { front: boolean }): void {
    this.#closed = closed
    this.#groups = model.restored([{ tabs, active }, ...(beside ? [beside] : [])], beside?.front ? 1 : 0)
    this.#changed()
  }

  /** Shows a path in a group, by default the active one; a new tab opens after the current one. */
  open(path: string, group?: number): void {
    this.#opened(model.opened(this.#groups, path, group), path)
  }

  /** Shows a path in the group beside the active one. */
  openBeside(path: string): void {
    this.#opened(model.besides(this.#groups, path), path)
  }

  /** Closes tabs in all groups; the right neighbour of the current one becomes current, or else the left. */
  close(...paths: string[]): void {
    this.closeIn(undefined, ...paths)
  }
  /** Closes tabs of one group. */
  closeIn(group: number | undefined, ...paths: string[]): void {
    const count = ({ all }: model.Groups) => all.reduce((sum, g) => sum + g.paths.length, 0)
    const [groups, open] = [this.#groups, this.#paths]
    this.#groups = model.closed(groups, paths, group)
    if (count(this.#groups) === count(groups)) return
    this.#closed = [...open.filter((path) => !this.#paths.includes(path)), ...this.#closed].slice(0, 20)
    this.#changed()
  }

  /** Makes tabs show another path in their place: its file was renamed. */
  rename(from: string, to: string): void {
    if (this.#closed.includes(from)) this.#closed = [...new Set(this.#closed.map((path) => (path === from ? to : path)))]
    else if (!this.#paths.includes(from)) return
    this.#groups = model.renamed(this.#groups, from, to)
    this.#closed = this.#closed.filter((path) => !this.#paths.includes(path))
    if (this.#renaming?.path === from) this.#renaming = { ...this.#renaming, path: to }
    this.#changed()
  }

  /** Moves a tab to a place in its group. */
  move(path: string, index: number, group?: number): void {
    this.#put(model.moved(this.#groups, path, index, group))
  }

  /** Whether a tab can go to another group. */
  canSend(path: string, group?: number): boolean {
    return model.canSend(this.#groups, path, group)
  }
  /** Moves a tab from a group to the other one, or to a new one at the right. */
  send(path: string, group?: number, at?: number): void {
    this.#put(model.sent(this.#groups, path, group, at))
  }

  /** Makes a group active. */
  use(group: number): void {
    if (group !== this.#groups.front) this.#put(model.inUse(this.#groups, group))
  }

  /** Forgets a closed tab: its file is gone. */
  forget(path: string): void {
    this.#closed = this.#closed.filter((p) => p !== path)
  }

  /** Shows the tab with a number in the active group, from 1; 9 is the last one. */
  go(number: number): void {
    const { paths } = this.front
    const path = number === 9 ? paths.at(-1) : paths[number - 1]
    if (path !== undefined) this.open(path)
  }

  /** Shows the next or the previous tab of the active group, wrapping around. */
  step(by: 1 | -1): void {
    const { paths, active } = this.front
    const n = paths.length
    if (n < 2) return
    this.open(paths[(paths.indexOf(active) + by + n) % n]!)
  }

  #opened(groups: model.Groups, path: string): void {
    this.#groups = groups
    this.#closed = this.#closed.filter((p) => p !== path)
    this.#changed()
  }
  #put(groups: model.Groups): void {
    if (groups === this.#groups) return
    this.#groups = groups
    this.#changed()
  }
}

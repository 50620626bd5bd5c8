/** The open notebooks: their order, and the current one. Paths only; names and states come from the tree. */
export class TabsState {
  #paths = $state.raw<readonly string[]>([])
  #active = $state('')
  #closed = $state.raw<readonly string[]>([])
  #renaming = $state('')
  readonly #changed: () => void

  /** changed is called after every change. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  get paths(): readonly string[] {
    return this.#paths
  }
  /** The path on view, or "" when nothing is open. */
  get active(): string {
    return this.#active
  }

  /** What was closed, the last one first. */
  get closed(): readonly string[] {
    return this.#closed
  }

  /** The path whose name is being edited, or "". */
  get renaming(): string {
    return this.#renaming
  }
  set renaming(path: string) {
    this.#renaming = path
  }

  /** Restores the tabs of the last session, without files that are gone. */
  load(paths: readonly string[], active: string, closed: readonly string[] = []): void {
    this.#closed = closed
    this.#paths = [...new Set(paths)]
    this.#active = this.#paths.includes(active) ? active : (this.#paths[0] ?? '')
    this.#changed()
  }

  /** Shows a notebook; a new tab opens after the current one. */
  open(path: string): void {
    if (!this.#paths.includes(path)) {
      const at = this.#paths.indexOf(this.#active) + 1
      this.#paths = this.#paths.toSpliced(at || this.#paths.length, 0, path)
    }
    this.#active = path
    this.#closed = this.#closed.filter((p) => p !== path)
    this.#changed()
  }

  /** Closes tabs; the right neighbour of the current one comes forward, else the left. */
  close(...paths: string[]): void {
    const going = new Set(paths.filter((p) => this.#paths.includes(p)))
    if (going.size === 0) return
    const at = this.#paths.indexOf(this.#active)
    const stays = (p: string) => !going.has(p)
    if (going.has(this.#active)) this.#active = this.#paths.slice(at).find(stays) ?? this.#paths.slice(0, at).findLast(stays) ?? ''
    this.#closed = [...going, ...this.#closed].slice(0, 20)
    this.#paths = this.#paths.filter(stays)
    this.#changed()
  }

  /** Has a tab show another path in its place: its file was renamed. */
  rename(from: string, to: string): void {
    const moved = (paths: readonly string[]) => [...new Set(paths.map((p) => (p === from ? to : p)))]
    if (this.#closed.includes(from)) this.#closed = moved(this.#closed)
    else if (!this.#paths.includes(from)) return
    this.#paths = moved(this.#paths)
    if (this.#active === from) this.#active = to
    if (this.#renaming === from) this.#renaming = to
    this.#changed()
  }

  /** Moves a tab to index. */
  move(path: string, index: number): void {
    const from = this.#paths.indexOf(path)
    const to = Math.max(0, Math.min(this.#paths.length - 1, index))
    if (from < 0 || from === to) return
    this.#paths = this.#paths.toSpliced(from, 1).toSpliced(to, 0, path)
    this.#changed()
  }

  /** Forgets a closed tab: its file is gone. */
  forget(path: string): void {
    this.#closed = this.#closed.filter((p) => p !== path)
  }

  /** Shows the tab of a number, from 1; 9 is the last one. */
  go(number: number): void {
    const path = number === 9 ? this.#paths.at(-1) : this.#paths[number - 1]
    if (path !== undefined) this.open(path)
  }

  /** Shows the next or the previous tab, round. */
  step(by: 1 | -1): void {
    const n = this.#paths.length
    if (n < 2) return
    this.open(this.#paths[(this.#paths.indexOf(this.#active) + by + n) % n]!)
  }
}

import { Fault, type Backend, type BackendEvent, type branches } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { placed, type Member } from './family'

export interface BranchesHost {
  /** Sends what is typed into a notebook; false when it did not arrive. */
  flush(path: string): Promise<boolean>
  /** Opens a notebook. */
  open(path: string): void
  failed(title: string, fault: Fault): void
}

/** What of a cell is carried over: all of it, or the last text of its answer as a quotation. */
export type Carried = 'cell' | 'conclusion'

/**
 * BranchesState shows what belongs to a notebook: those it was forked from or into, and the
 * branches inside of them. It compares two, and carries cells into the notebook.
 */
export class BranchesState implements Feature {
  readonly #backend: Backend
  readonly #host: BranchesHost
  #path = $state.raw<string>()
  #members = $state.raw<readonly Member[]>()
  #more = $state.raw(0)
  #chosen = $state.raw<readonly [string, string] | undefined>()
  #comparison = $state.raw<branches.Comparison>()
  #fault = $state.raw<Fault>()
  #busy = $state(false)
  #asked = 0

  constructor(backend: Backend, host: BranchesHost) {
    this.#backend = backend
    this.#host = host
  }

  /** The notebook whose family is shown. */
  get shown(): string | undefined {
    return this.#path
  }
  /** Its family; undefined until it is known. */
  get members(): readonly Member[] | undefined {
    return this.#members
  }
  /** Notebooks of the family that are left out, because there are too many. */
  get more(): number {
    return this.#more
  }
  /** The ids of the two members that are compared. */
  get chosen(): readonly [string, string] | undefined {
    return this.#chosen
  }
  get comparison(): branches.Comparison | undefined {
    return this.#comparison
  }
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** Whether a cell is being carried over. */
  get busy(): boolean {
    return this.#busy
  }

  /** open shows the family of a notebook, and compares the notebook with the newest other member. */
  async open(path: string): Promise<void> {
    this.#path = path
    this.#members = this.#chosen = this.#comparison = this.#fault = undefined
    await this.#host.flush(path)
    await this.#look()
  }
  close(): void {
    this.#asked++
    this.#path = undefined
  }
  retry(): Promise<void> {
    this.#fault = undefined
    return this.#look()
  }

  /** compareWith compares the notebook with a member. */
  compareWith(id: string): Promise<void> {
    const own = this.#own()
    if (!own || id === own.id) return Promise.resolve()
    this.#chosen = [own.id, id]
    this.#comparison = undefined
    return this.#compare()
  }

  /** carry puts a cell of a side behind the last cell of the notebook. */
  async carry(from: branches.Side, cell: string, what: Carried): Promise<void> {
    const to = this.#path
    if (!to || this.#busy) return
    this.#busy = true
    try {
      await this.#backend.call.Carry({ path: from.path, ...(from.branch ? { branch: from.branch } : {}) }, cell, to, what)
      await this.#look()
    } catch (thrown) {
      this.#host.failed('Could not carry the cell over', Fault.from(thrown))
    }
    this.#busy = false
  }

  /** openMember opens the notebook of a member. */
  openMember(member: Member): void {
    this.close()
    this.#host.open(member.path)
  }

  load(): void {
    if (this.#path) void this.#look()
  }
  apply(e: BackendEvent): void {
    if (this.#path && (e.type === 'runFinished' || e.type === 'notebookMoved')) void this.#look()
  }
  stop(): void {
    this.close()
  }

  #own(): Member | undefined {
    return this.#members?.find((m) => m.path === this.#path && !m.branch)
  }

  async #look(): Promise<void> {
    const path = this.#path
    if (!path) return
    const asked = ++this.#asked
    try {
      const family = await this.#backend.call.Family(path)
      if (asked !== this.#asked) return
      this.#members = placed(family)
      this.#more = family.more
      const own = this.#own()
      const others = this.#members.filter((m) => m.path !== '' && m.id !== own?.id)
      const still = this.#chosen?.every((id) => this.#members?.some((m) => m.id === id))
      if (!still) {
        const newest = others.reduce<Member | undefined>((a, b) => (a && a.atMs >= b.atMs ? a : b), undefined)
        this.#chosen = own && newest ? [own.id, newest.id] : undefined
        this.#comparison = undefined
      }
    } catch (thrown) {
      if (asked === this.#asked) this.#fault = Fault.from(thrown)
      return
    }
    await this.#compare()
  }

  async #compare(): Promise<void> {
    const pair = this.#chosen?.map((id) => this.#members?.find((m) => m.id === id))
    const [a, b] = pair ?? []
    if (!a || !b) return
    const asked = ++this.#asked
    const at = (m: Member): branches.Place => ({ path: m.path, ...(m.branch ? { branch: m.branch } : {}) })
    try {
      const found = await this.#backend.call.CompareBranches(at(a), at(b))
      if (asked !== this.#asked) return
      this.#comparison = found
      this.#fault = undefined
    } catch (thrown) {
      if (asked === this.#asked) this.#fault = Fault.from(thrown)
    }
  }
}

import { Fault, type Backend, type BackendEvent, type branches } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Follower } from '$lib/follow/follower'
import { placed, type Member } from './family'
import { t } from '$lib/language/language'

export interface BranchesHost {
  /** Sends a notebook's drafts; false if they did not arrive. */
  flush(path: string): Promise<boolean>
  done(path: string, title: string, detail: string, undo?: () => void): void
  failed(title: string, fault: Fault): void
}

/** What to carry over of a cell: all of it, or the last text of its answer as a quotation. */
export type Carried = 'cell' | 'conclusion'
/** The view of the columns. */
export type LabView = 'overview' | 'answers' | 'files' | 'sent'

/** The largest number of columns; each has a digit as its key. */
export const maxColumns = 9
/** The number of columns shown at first. */
const firstColumns = 3
/** How often additions are fetched while agents work, in milliseconds. */
const workingMs = 1000
const changedMs = 120

interface Answer {
  members: Member[]
  more: number
  columns: string[]
  comparison: branches.Comparison | undefined
  sent: branches.Sent[]
}

/**
 * BranchesState holds the family of a notebook: the notebooks it was forked from or into, and the
 * branches inside them. It compares some of them, makes one the notebook's own line, carries cells
 * over, and adds runs of a prompt. It follows the agents while they work.
 */
export class BranchesState implements Feature {
  readonly #backend: Backend
  readonly #host: BranchesHost
  readonly #follower: Follower<string, Answer>
  #path = $state.raw<string>()
  #members = $state.raw<readonly Member[]>()
  #more = $state.raw(0)
  /** The ids that the person chose; undefined: the default ones. */
  #chosen: readonly string[] | undefined
  #columns = $state.raw<readonly string[]>([])
  #comparison = $state.raw<branches.Comparison>()
  #sent = $state.raw<readonly branches.Sent[]>([])
  #fault = $state.raw<Fault>()
  #busy = $state(false)
  #view = $state<LabView>('overview')
  #at = $state(0)
  #row = $state(0)
  /** Whether the answers of the column and of this notebook are compared line by line. */
  difference = $state(false)

  constructor(backend: Backend, host: BranchesHost) {
    this.#backend = backend
    this.#host = host
    this.#follower = new Follower({
      ask: (path) => this.#ask(path),
      subject: (path) => path,
      answered: (answer) => this.#take(answer),
      failed: (fault) => {
        if (fault.kind !== 'canceled') this.#fault = fault
      },
    })
  }

  /** The notebook whose family is shown. */
  get path(): string | undefined {
    return this.#path
  }
  /** Its family; undefined until it is known. */
  get members(): readonly Member[] | undefined {
    return this.#members
  }
  /** The number of notebooks of the family that are left out because there are too many. */
  get more(): number {
    return this.#more
  }
  /** The ids of the compared members, in order. */
  get columns(): readonly string[] {
    return this.#columns
  }
  /** The comparison; undefined until it is known, or if there is nothing to compare. */
  get comparison(): branches.Comparison | undefined {
    return this.#comparison
  }
  /** The last request of each column that is a notebook; only in the view 'sent'. */
  get sent(): readonly branches.Sent[] {
    return this.#sent
  }
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** Whether a change is in progress. */
  get busy(): boolean {
    return this.#busy
  }
  get view(): LabView {
    return this.#view
  }
  set view(view: LabView) {
    this.#view = view
    if (view === 'sent') this.#follower.again()
  }
  /** The column that keys act on, and the cell in it. */
  get at(): number {
    return Math.min(this.#at, Math.max(0, this.#columns.length - 1))
  }
  set at(column: number) {
    if (column < 0 || column >= this.#columns.length) return
    if (column !== this.at) this.#row = 0
    this.#at = column
  }
  get row(): number {
    const rows = this.#comparison?.sides[this.at]?.rows.length ?? 0
    return Math.min(this.#row, Math.max(0, rows - 1))
  }
  set row(row: number) {
    if (row >= 0 && row < (this.#comparison?.sides[this.at]?.rows.length ?? 0)) this.#row = row
  }

  /** follow sets the notebook whose family is shown; undefined for none. */
  follow(path: string | undefined): void {
    if (path === this.#path) return
    this.#path = path
    this.#members = this.#comparison = this.#fault = this.#chosen = undefined
    this.#columns = this.#sent = []
    this.#at = this.#row = 0
    this.#view = 'overview'
    this.difference = false
    this.#follower.stop()
    if (path !== undefined) void this.#host.flush(path).then(() => this.#path === path && this.#follower.ask(path))
  }
  retry(): void {
    this.#fault = undefined
    this.#follower.again()
  }

  /** isOwn reports whether a side or a member is the notebook itself. */
  isOwn(of: { path: string; branch?: string | undefined }): boolean {
    return of.path === this.#path && !of.branch
  }
  /** memberOf returns the member of a column. */
  memberOf(column: number): Member | undefined {
    const id = this.#columns[column]
    return this.#members?.find((m) => m.id === id)
  }

  /** toggle adds a member to the comparison or removes it. */
  toggle(id: string): void {
    const member = this.#members?.find((m) => m.id === id)
    if (!member || this.isOwn(member) || member.path === '') return
    const has = this.#columns.includes(id)
    if (!has && this.#columns.length >= maxColumns) return
    this.#choose(has ? this.#columns.filter((c) => c !== id) : [...this.#columns, id])
  }

  /** Why a column's line cannot become the notebook's; "" if it can. */
  whyNot(column: number): string {
    const side = this.#comparison?.sides[column]
    if (!side) return t`It is not loaded yet`
    if (this.isOwn(side)) return t`This notebook goes this way`
    if (side.runs) return t`It is still being written`
    if (side.rows.length === 0) return t`It has no cell that this notebook has not`
    if (this.#comparison!.common === 0 && side.path !== this.#path) return t`They have no cell in common at the beginning`
    return ''
  }

  /** take makes the line of a column the notebook's own. */
  async take(column: number): Promise<void> {
    const side = this.#comparison?.sides[column]
    const path = this.#path
    if (!side || !path || this.whyNot(column)) return
    await this.#change(t`Could not take it`, async () => {
      await this.#backend.call.TakeBranch(placeOf(side), path)
      this.#host.done(path, t`Taken`, t`What stood there is kept as a branch.`, () => void this.#undo(path))
      if (side.path === path) this.#chosen = undefined // the branch is gone: another one holds the old line
    })
  }

  /** carry copies a cell of a column to the end of the notebook. */
  async carry(column: number, cell: string, what: Carried): Promise<void> {
    const side = this.#comparison?.sides[column]
    const path = this.#path
    if (!side || !path || this.isOwn(side)) return
    await this.#change(t`Could not carry the cell over`, () => this.#backend.call.Carry(placeOf(side), cell, path, what))
  }

  /** addRun has the columns' prompt answered again, in another notebook. */
  async addRun(run: branches.NewRun): Promise<void> {
    const from = this.#comparison?.sides.find((s) => !s.branch && s.rows[0]?.role === 'user')
    const cell = from?.rows[0]?.cell
    if (!from || !cell) return
    await this.#change(t`Could not add a run`, async () => {
      const made = await this.#backend.call.ForkPrompt(from.path, cell, run)
      this.#chosen = [...this.#columns, made].slice(-maxColumns)
      await this.#backend.call.Run(made, cell, 'cell')
    })
  }
  /** Whether there is a prompt that can be answered again. */
  get canAdd(): boolean {
    return this.#comparison?.sides.some((s) => !s.branch && s.rows[0]?.role === 'user') ?? false
  }

  load(): void {
    this.#follower.again()
  }
  apply(e: BackendEvent): void {
    if (this.#path === undefined) return
    if (e.type === 'runStarted' || e.type === 'runFinished' || e.type === 'notebookReloaded' || e.type === 'cellsSpliced') {
      if (this.#isMember(e.data.path)) this.#follower.again(changedMs)
    } else if (e.type === 'messagePut' && this.#isMember(e.data.path)) this.#follower.again(workingMs)
    else if (e.type === 'notebookMoved') this.#follower.again(changedMs)
    else if (e.type === 'treeChanged') this.#follower.again(workingMs)
  }
  stop(): void {
    this.follow(undefined)
  }

  async #undo(path: string): Promise<void> {
    await this.#change(t`Could not undo it`, () => this.#backend.call.Undo(path))
  }

  #isMember(path: string): boolean {
    return this.#members?.some((m) => m.path === path) ?? false
  }

  #choose(columns: readonly string[]): void {
    this.#chosen = columns
    this.#columns = columns
    this.#follower.again()
  }

  async #change(title: string, change: () => Promise<unknown>): Promise<void> {
    if (this.#busy || !this.#path) return
    this.#busy = true
    try {
      if (await this.#host.flush(this.#path)) await change()
      this.#follower.again()
    } catch (thrown) {
      this.#host.failed(title, Fault.from(thrown))
    }
    this.#busy = false
  }

  async #ask(path: string): Promise<Answer> {
    const family = await this.#backend.call.Family(path)
    const members = placed(family)
    const columns = this.#columnsOf(members, path)
    const places = columns.map((id) => placeOf(members.find((m) => m.id === id)!))
    const comparison = places.length > 1 ? await this.#backend.call.CompareBranches(places) : undefined
    const paths = places.filter((p) => !p.branch).map((p) => p.path)
    const sent = this.#view === 'sent' && paths.length > 1 ? await this.#backend.call.CompareSent(paths) : []
    return { members, more: family.more, columns, comparison, sent }
  }

  /** The notebook itself, then the chosen members that still exist, or else the newest others. */
  #columnsOf(members: readonly Member[], path: string): string[] {
    const own = members.find((m) => m.path === path && !m.branch)
    if (!own) return []
    const others = members.filter((m) => m.path !== '' && m.id !== own.id)
    const shown = this.#chosen
      ? this.#chosen.filter((id) => others.some((m) => m.id === id))
      : others
          .toSorted((a, b) => b.atMs - a.atMs)
          .slice(0, firstColumns - 1)
          .map((m) => m.id)
    return [own.id, ...(this.#chosen ? shown : others.map((m) => m.id).filter((id) => shown.includes(id)))]
  }

  #take(answer: Answer): void {
    this.#members = answer.members
    this.#more = answer.more
    this.#columns = answer.columns
    this.#comparison = answer.comparison
    this.#sent = answer.sent
    this.#fault = undefined
  }
}

const placeOf = (of: { path: string; branch?: string | undefined }): branches.Place => ({
  path: of.path,
  ...(of.branch ? { branch: of.branch } : {}),
})

import { untrack } from 'svelte'
import { SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend, type BackendEvent, type settings } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { suffixesOf } from './distinctNames'
import { belongs, type Only } from './filter'
import { isLive, nameOf } from './statusDot'
import { Unread } from './unread.svelte'
import type { Node } from './node'
import { below, buildRows, familyOf, putAway, reuseRows, type Family, type Row } from './tree'
import { t } from '$lib/language/language'

/** A node whose lists are never null. */
const whole = (node: Node): Node => (node.marks ? node : { ...node, marks: [] })

/** The functions of the window that the tree uses. */
export interface AgentsHost {
  /** That another agent answers, in a sentence, by its id. */
  answers?: (id: string) => string
  /** Shows a notebook and leaves the focus where it is. */
  show(file: string): void
  /** Shows a notebook and focuses it. */
  open(file: string): void
  /** Shows a notebook beside the one on view and focuses it. */
  openBeside(file: string): void
  /** A notebook was deleted. */
  gone(file: string): void
  /** Puts a reference to a notebook into the prompt on view. */
  refer(file: string): void
  failed(title: string, fault: Fault): void
  /** Reports an action that removed a row; undo restores it. */
  done(title: string, undo: () => void): void
  /** Folds, pins or the archive changed and must be saved. */
  changed(): void
}

/** The state of the tree that is saved. */
type Kept = Pick<settings.UIState, 'collapsed' | 'pinned' | 'archived' | 'read' | 'readAll'>

/** The tree of agents: the backend's nodes, and the person's folds, pins, archive, filter and cursor. */
export class AgentsState implements Feature {
  readonly #backend: Backend
  readonly #host: AgentsHost
  #nodes = $state.raw<ReadonlyMap<string, Node>>(new Map())
  #folded = new SvelteSet<string>()
  #pinned = $state.raw<readonly string[]>([])
  #archived = new SvelteSet<string>()
  readonly #unread = new Unread()
  #filter = $state('')
  #only = $state<Only>('all')
  #cursor = $state('')
  #renaming = $state('')
  /** Advice that the person dismissed, with its file. */
  #hushed = new SvelteSet<string>()
  /** The rows of the last drawing, by file. */
  #drawn: ReadonlyMap<string, Row> = new Map()

  readonly #all = $derived([...this.#nodes.values()])
  readonly #family = $derived(familyOf(this.#all))
  /** Changes with every name and every parent. */
  #named = $state.raw(0)
  readonly #apart = $derived.by(() => {
    void this.#named
    return untrack(() => suffixesOf(this.#all, this.#family))
  })
  readonly #away = $derived(putAway(this.#all, this.#family, this.#archived))
  readonly #rows = $derived.by(() => {
    const options = {
      folded: this.#folded,
      pinned: this.#pinned,
      archived: this.#archived,
      only: this.#only,
      text: this.#filter,
      unread: (n: Node) => this.#unread.has(n),
    }
    const rows = reuseRows(this.#drawn, buildRows(this.#all, this.#family, options))
    this.#drawn = new Map(rows.map((r) => [r.node.file, r]))
    return rows
  })
  readonly #running = $derived(this.#all.filter((n) => n.status === 'running' && !n.marks.includes('needsYou')).length)
  readonly #waiting = $derived(this.#all.filter((n) => n.marks.includes('needsYou')).length)
  readonly #stuck = $derived(this.#all.filter((n) => n.marks.includes('stuck') && n.advice))

  constructor(backend: Backend, host: AgentsHost) {
    this.#backend = backend
    this.#host = host
  }

  get rows(): Row[] {
    return this.#rows
  }
  get size(): number {
    return this.#nodes.size
  }
  /** The numbers of agents that work and that wait for the person: an agent counts as one or the other. */
  get running(): number {
    return this.#running
  }
  get waiting(): number {
    return this.#waiting
  }
  /** The agents that repeat themselves, without those whose advice was dismissed. */
  get stuck(): Node[] {
    return this.#stuck.filter((n) => !this.#hushed.has(adviceOf(n)))
  }
  get filter(): string {
    return this.#filter
  }
  set filter(text: string) {
    this.#filter = text
  }
  /** The filter of the list. */
  get only(): Only {
    return this.#only
  }
  set only(only: Only) {
    this.#only = only
  }
  /** Whether a search or a filter hides agents: then nothing is folded. */
  get narrowed(): boolean {
    return this.#only !== 'all' || this.#filter.trim() !== ''
  }
  showAll(): void {
    this.#filter = ''
    this.#only = 'all'
  }
  /** The file of the row at the keyboard cursor. */
  get cursor(): string {
    return this.#cursor
  }
  set cursor(file: string) {
    this.#cursor = file
  }
  /** The file whose name is being edited, or "". */
  get renaming(): string {
    return this.#renaming
  }
  set renaming(file: string) {
    this.#renaming = file
  }

  node(file: string): Node | undefined {
    return this.#nodes.get(file)
  }

  byUuid(uuid: string): Node | undefined {
    return this.#family.byUuid.get(uuid)
  }

  /** The topmost ancestor of an agent. */
  rootOf(file: string): Node | undefined {
    let root = this.#nodes.get(file)
    for (let up = root; up; up = this.#family.parents.get(up)) root = up
    return root
  }

  /** The number of an agent's children. */
  childrenOf(node: Node): number {
    return this.#family.children.get(node)?.length ?? 0
  }

  /** The children of an agent, in the order in which they were made. */
  startedBy(node: Node): readonly Node[] {
    return this.#family.children.get(node) ?? []
  }

  /** All descendants of an agent. */
  below(node: Node): Node[] {
    return below(this.#family, node)
  }

  /** The descendants of an agent that run or wait. */
  liveBelow(node: Node): Node[] {
    return below(this.#family, this.#nodes.get(node.file) ?? node).filter(isLive)
  }

  /** The agents that pass a test, without archived ones. */
  pick(test: (node: Node) => boolean): Node[] {
    return this.#all.filter((n) => test(n) && !this.#away.has(n))
  }
  /** The parents and children of all agents. */
  get family(): Family {
    return this.#family
  }

  /** The number of agents that a filter of the list would show. */
  count(only: Only): number {
    return this.#all.filter((n) => belongs(n, only, this.#away.has(n), this.#unread.has(n))).length
  }

  load({ nodes, ui: kept }: { nodes: Node[] | null; ui: Kept }, again: boolean): void {
    this.#nodes = new Map((nodes ?? []).map((n) => [n.file, whole(n)]))
    this.#named++
    if (again) return
    replace(this.#folded, kept.collapsed)
    replace(this.#archived, kept.archived)
    this.#pinned = [...new Set(kept.pinned ?? [])]
    this.#unread.load(kept, Date.now())
  }

  /** The state to save. */
  kept(): Kept {
    return {
      collapsed: [...this.#folded].sort(),
      pinned: [...this.#pinned],
      archived: [...this.#archived].sort(),
      ...this.#unread.kept(this.#all),
    }
  }

  apply(e: BackendEvent): void {
    if (e.type !== 'treeChanged') return
    const change = e.data
    const next = new Map(this.#nodes)
    const removed = change.removed ?? [] // Go writes an empty list as null
    let named = removed.length > 0
    for (const file of removed) next.delete(file)
    for (const node of change.nodes ?? []) {
      const before = next.get(node.file)
      named ||= before?.name !== node.name || before.parentId !== node.parentId
      next.set(node.file, whole(node))
    }
    this.#nodes = next
    if (named) this.#named++
    for (const file of removed) if (!next.has(file)) this.#host.gone(file)
  }

  stop(): void {} // it requests nothing by itself

  /** Whether an agent finished or failed since the person last opened it. */
  isUnread(node: Node): boolean {
    return this.#unread.has(node)
  }
  get unread(): number {
    return this.#all.filter((n) => this.#unread.has(n) && !this.#away.has(n)).length
  }
  /** Notes that the person looks at an agent. */
  see(node: Node): void {
    if (this.#unread.see(node)) this.#host.changed()
  }

  fold(node: Node, folded: boolean): void {
    if (folded) this.#folded.add(node.uuid)
    else this.#folded.delete(node.uuid)
    this.#host.changed()
  }

  /** Folds all agents with children, or unfolds them. */
  foldAll(folded: boolean): void {
    this.#folded.clear()
    if (folded) for (const parent of this.#family.children.keys()) this.#folded.add(parent.uuid)
    this.#host.changed()
  }

  isPinned(node: Node): boolean {
    return node.uuid !== '' && this.#pinned.includes(node.uuid)
  }

  /** Pins an agent at the top of the list, after those pinned before, or unpins it. */
  pin(node: Node, pinned: boolean): void {
    if (!node.uuid) return
    const others = this.#pinned.filter((uuid) => uuid !== node.uuid)
    this.#pinned = pinned ? [...others, node.uuid] : others
    if (pinned) this.#archived.delete(node.uuid)
    this.#host.changed()
  }

  /** Whether an agent is archived, by itself or with an ancestor. */
  isAway(node: Node): boolean {
    return this.#away.has(node)
  }
  isArchived(node: Node): boolean {
    return this.#archived.has(node.uuid)
  }

  /** Archives an agent with all its descendants, or restores it. The files stay where they are. */
  archive(node: Node, archived: boolean): void {
    if (!node.uuid) return
    if (archived) {
      const pinned = this.#pinned
      this.#archived.add(node.uuid)
      this.#pinned = pinned.filter((uuid) => uuid !== node.uuid)
      this.#host.done(t`Archived “${nameOf(node)}”`, () => {
        this.archive(node, false)
        if (pinned.includes(node.uuid)) this.pin(node, true)
      })
    } else this.#archived.delete(node.uuid)
    this.#host.changed()
  }

  /** Dismisses an advice; a different one is shown again. */
  dismiss(node: Node): void {
    this.#hushed.add(adviceOf(node))
  }

  show(file: string): void {
    this.#cursor = file
    this.#host.show(file)
  }
  open(file: string): void {
    this.#cursor = file
    this.#host.open(file)
  }
  openBeside(file: string): void {
    this.#cursor = file
    this.#host.openBeside(file)
  }

  /** The suffix that distinguishes an agent from others of the same name; "" for a unique name. */
  apart(file: string): string {
    return this.#apart.get(file) ?? ''
  }

  /** Who answers an agent's notebook, in a sentence; "" if a model does. */
  answers(node: Node): string {
    return node.answeredBy ? (this.#host.answers?.(node.answeredBy) ?? node.answeredBy) : ''
  }

  refer(file: string): void {
    this.#host.refer(file)
  }

  /** Makes an agent, below a parent or at the top, and opens it. answer: who answers it; usually the default model. */
  async create(parent?: Node, kind = '', answer?: { provider: string; model: string }): Promise<void> {
    await this.#try(t`Could not create the agent`, async () => {
      const file = await this.#backend.call.CreateNotebook({
        name: '',
        ...(parent?.uuid ? { parentId: parent.uuid } : {}),
        ...(kind ? { kind } : {}),
      })
      if (answer) await this.#backend.call.Edit(file, [{ kind: 'model', text: answer.provider, rest: answer.model }], '')
      if (parent) this.#folded.delete(parent.uuid)
      this.showAll()
      this.open(file)
    })
  }

  async rename(node: Node, name: string): Promise<void> {
    this.#renaming = ''
    const wanted = name.trim()
    if (!wanted || wanted === node.name) return
    await this.#try(t`Could not rename “${nameOf(node)}”`, () => this.#backend.call.RenameNotebook(node.file, wanted))
  }
  /** Renames a file's agent; null leaves its name. */
  async renameFile(file: string, name: string | null): Promise<void> {
    const node = this.#nodes.get(file)
    if (node && name !== null) await this.rename(node, name)
  }

  /** Makes an agent a child of the agent with a uuid; "": of none. */
  async moveUnder(file: string, parent: string): Promise<void> {
    await this.#try(t`Could not move the agent`, () => this.#backend.call.MoveAgent(file, parent))
  }

  async duplicate(node: Node): Promise<void> {
    await this.#try(t`Could not duplicate “${nameOf(node)}”`, async () => this.open(await this.#backend.call.DuplicateNotebook(node.file)))
  }

  /** Moves the file to the trash; a run in it is stopped first. */
  async remove(node: Node): Promise<void> {
    await this.#try(t`Could not delete “${nameOf(node)}”`, () => this.#backend.call.DeleteNotebook(node.file))
  }

  async reveal(node: Node): Promise<void> {
    await this.#try(t`Could not show “${node.file}” in the file manager`, () => this.#backend.call.RevealNotebook(node.file))
  }

  async #try(title: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      this.#host.failed(title, Fault.from(thrown))
    }
  }
}

/* Numbers in advice increase, but it is still the same advice. */
const adviceOf = (node: Node) => `${node.file}\n${(node.advice ?? '').replace(/\d+/g, '0')}`

function replace(set: SvelteSet<string>, by: readonly string[] | null): void {
  set.clear()
  for (const value of by ?? []) set.add(value)
}

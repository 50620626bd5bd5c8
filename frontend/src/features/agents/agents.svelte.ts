import { SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend, type event, type settings } from '$lib/backend/backend'
import { belongs, type Only } from './filter'
import { isLive, nameOf } from './sign'
import { Unread } from './unread.svelte'
import { below, buildRows, familyOf, putAway, settle, type Family, type Node, type Row } from './tree'

/** A node whose lists are lists. */
const whole = (node: Node): Node => (node.marks ? node : { ...node, marks: [] })

/** What the tree asks of the window. */
export interface AgentsHost {
  /** Shows a notebook. */
  open(file: string): void
  /** A notebook was deleted. */
  gone(file: string): void
  /** Puts a reference to a notebook into the prompt on view. */
  refer(file: string): void
  failed(title: string, fault: Fault): void
  /** Folds, pins or the archive changed: to be kept for the next time. */
  changed(): void
}

/** What of the tree is kept for the next time. */
type Kept = Pick<settings.UIState, 'collapsed' | 'pinned' | 'archived' | 'read' | 'readAll'>

/** The tree of agents: its nodes as the backend gave them, and what the person folded, pinned, put away, filters and points at. */
export class AgentsState {
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
  /** Advice that the person has put aside, with the file it is about. */
  #hushed = new SvelteSet<string>()
  /** The rows of the last time, by file. */
  #drawn: ReadonlyMap<string, Row> = new Map()

  readonly #all = $derived([...this.#nodes.values()])
  readonly #family = $derived(familyOf(this.#all))
  readonly #away = $derived(putAway(this.#all, this.#family, this.#archived))
  readonly #rows = $derived.by(() => {
    const look = { folded: this.#folded, pinned: this.#pinned, archived: this.#archived, only: this.#only, text: this.#filter, unread: (n: Node) => this.#unread.has(n) }
    const rows = settle(this.#drawn, buildRows(this.#all, this.#family, look))
    this.#drawn = new Map(rows.map((r) => [r.node.file, r]))
    return rows
  })
  readonly #running = $derived(this.#all.filter((n) => n.status === 'running').length)
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
  /** How many agents run, and how many wait for the person. */
  get running(): number {
    return this.#running
  }
  get waiting(): number {
    return this.#waiting
  }
  /** The agents that go round in circles, without those whose advice was put aside. */
  get stuck(): Node[] {
    return this.#stuck.filter((n) => !this.#hushed.has(adviceOf(n)))
  }
  get filter(): string {
    return this.#filter
  }
  set filter(text: string) {
    this.#filter = text
  }
  /** Which agents are shown. */
  get only(): Only {
    return this.#only
  }
  set only(only: Only) {
    this.#only = only
  }
  /** Whether not all agents are shown: then nothing is folded. */
  get narrowed(): boolean {
    return this.#only !== 'all' || this.#filter.trim() !== ''
  }
  showAll(): void {
    this.#filter = ''
    this.#only = 'all'
  }
  /** The file of the row that the keyboard is on. */
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

  /** The first agent of the tree that one belongs to. */
  rootOf(file: string): Node | undefined {
    let root = this.#nodes.get(file)
    for (let up = root; up; up = this.#family.parents.get(up)) root = up
    return root
  }

  /** How many agents have this one as their parent. */
  childrenOf(node: Node): number {
    return this.#family.children.get(node)?.length ?? 0
  }

  /** The agents that one started, in the order in which they were made. */
  startedBy(node: Node): readonly Node[] {
    return this.#family.children.get(node) ?? []
  }

  /** The agents below one that run or wait. */
  liveBelow(node: Node): Node[] {
    return below(this.#family, this.#nodes.get(node.file) ?? node).filter(isLive)
  }

  /** Those of all agents that a test picks, without what is put away. */
  pick(test: (node: Node) => boolean): Node[] {
    return this.#all.filter((n) => test(n) && !this.#away.has(n))
  }
  /** Who is whose parent and child. */
  get family(): Family {
    return this.#family
  }

  /** How many agents a choice of the list would show. */
  count(only: Only): number {
    return this.#all.filter((n) => belongs(n, only, this.#away.has(n), this.#unread.has(n))).length
  }

  /** Takes a whole new state; without kept, what the person folded, pinned and put away stays. */
  load(nodes: Node[], kept?: Kept): void {
    this.#nodes = new Map((nodes ?? []).map((n) => [n.file, whole(n)]))
    if (!kept) return
    replace(this.#folded, kept.collapsed)
    replace(this.#archived, kept.archived)
    this.#pinned = [...new Set(kept.pinned ?? [])]
    this.#unread.load(kept, Date.now())
  }

  /** What is kept for the next time. */
  kept(): Kept {
    return { collapsed: [...this.#folded].sort(), pinned: [...this.#pinned], archived: [...this.#archived].sort(), ...this.#unread.kept(this.#all) }
  }

  apply(change: event.TreeChanged): void {
    const next = new Map(this.#nodes)
    const removed = change.removed ?? [] // Go writes an empty list as null
    for (const file of removed) next.delete(file)
    for (const node of change.nodes ?? []) next.set(node.file, whole(node))
    this.#nodes = next
    for (const file of removed) if (!next.has(file)) this.#host.gone(file)
  }

  /** Whether an agent finished or failed since the person last looked at it. */
  isUnread(node: Node): boolean {
    return this.#unread.has(node)
  }
  get unread(): number {
    return this.#all.filter((n) => this.#unread.has(n) && !this.#away.has(n)).length
  }
  /** The person looks at an agent. */
  see(node: Node): void {
    if (this.#unread.see(node)) this.#host.changed()
  }

  fold(node: Node, folded: boolean): void {
    if (folded) this.#folded.add(node.uuid)
    else this.#folded.delete(node.uuid)
    this.#host.changed()
  }

  /** Folds every agent that has others below it, or unfolds all. */
  foldAll(folded: boolean): void {
    this.#folded.clear()
    if (folded) for (const parent of this.#family.children.keys()) this.#folded.add(parent.uuid)
    this.#host.changed()
  }

  isPinned(node: Node): boolean {
    return node.uuid !== '' && this.#pinned.includes(node.uuid)
  }

  /** Puts an agent at the top of the list, behind those that stand there, or back to its place. */
  pin(node: Node, pinned: boolean): void {
    if (!node.uuid) return
    const others = this.#pinned.filter((uuid) => uuid !== node.uuid)
    this.#pinned = pinned ? [...others, node.uuid] : others
    if (pinned) this.#archived.delete(node.uuid)
    this.#host.changed()
  }

  /** Whether an agent is put away: by itself, or with one above it. */
  isAway(node: Node): boolean {
    return this.#away.has(node)
  }
  isArchived(node: Node): boolean {
    return this.#archived.has(node.uuid)
  }

  /** Puts an agent away with all below it, or takes it out again. The files stay where they are. */
  archive(node: Node, archived: boolean): void {
    if (!node.uuid) return
    if (archived) {
      this.#archived.add(node.uuid)
      this.#pinned = this.#pinned.filter((uuid) => uuid !== node.uuid)
    } else this.#archived.delete(node.uuid)
    this.#host.changed()
  }

  /** Puts advice aside; another one is told again. */
  hush(node: Node): void {
    this.#hushed.add(adviceOf(node))
  }

  open(file: string): void {
    this.#cursor = file
    this.#host.open(file)
  }

  refer(file: string): void {
    this.#host.refer(file)
  }

  /** Makes an agent, under a parent or at the top, and opens it. */
  async create(parent?: Node, kind = ''): Promise<void> {
    await this.#try('Could not create the agent', async () => {
      const file = await this.#backend.call.CreateNotebook({ name: '', ...(parent?.uuid ? { parentId: parent.uuid } : {}), ...(kind ? { kind } : {}) })
      if (parent) this.#folded.delete(parent.uuid)
      this.showAll()
      this.open(file)
    })
  }

  async rename(node: Node, name: string): Promise<void> {
    this.#renaming = ''
    const wanted = name.trim()
    if (!wanted || wanted === node.name) return
    await this.#try(`Could not rename “${nameOf(node)}”`, () => this.#backend.call.RenameNotebook(node.file, wanted))
  }

  async duplicate(node: Node): Promise<void> {
    await this.#try(`Could not duplicate “${nameOf(node)}”`, async () => this.open(await this.#backend.call.DuplicateNotebook(node.file)))
  }

  /** Moves the file to the trash; what runs in it is stopped first. */
  async remove(node: Node): Promise<void> {
    await this.#try(`Could not delete “${nameOf(node)}”`, () => this.#backend.call.DeleteNotebook(node.file))
  }

  async reveal(node: Node): Promise<void> {
    await this.#try(`“${node.file}” was not shown`, () => this.#backend.call.RevealNotebook(node.file))
  }

  async #try(title: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      this.#host.failed(title, Fault.from(thrown))
    }
  }
}

/* What is counted in advice goes on: it stays the same advice. */
const adviceOf = (node: Node) => `${node.file}\n${(node.advice ?? '').replace(/\d+/g, '0')}`

function replace(set: SvelteSet<string>, by: readonly string[] | null): void {
  set.clear()
  for (const value of by ?? []) set.add(value)
}

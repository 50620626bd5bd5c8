import { SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend, type event } from '$lib/backend/backend'
import { buildRows, nameOf, type Node, type Row } from './tree'

/** A node whose lists are lists. */
const whole = (node: Node): Node => (node.marks ? node : { ...node, marks: [] })

/** What the tree asks of the window. */
export interface AgentsHost {
  /** Shows a notebook; rename opens its name for editing in the tree. */
  open(file: string): void
  /** A notebook was deleted. */
  gone(file: string): void
  failed(title: string, fault: Fault): void
  /** Folds changed: to be kept for the next time. */
  changed(): void
}

/** The tree of agents: its nodes as the backend gave them, and what the person folded, filters and points at. */
export class AgentsState {
  readonly #backend: Backend
  readonly #host: AgentsHost
  #nodes = $state.raw<ReadonlyMap<string, Node>>(new Map())
  #folded = new SvelteSet<string>()
  #filter = $state('')
  #cursor = $state('')
  #renaming = $state('')
  readonly #rows = $derived(buildRows(this.#nodes.values(), this.#folded, this.#filter))
  readonly #running = $derived([...this.#nodes.values()].filter((n) => n.status === 'running').length)
  readonly #waiting = $derived([...this.#nodes.values()].filter((n) => n.marks.includes('needsYou')).length)

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
  get filter(): string {
    return this.#filter
  }
  set filter(text: string) {
    this.#filter = text
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
  get folded(): string[] {
    return [...this.#folded].sort()
  }

  node(file: string): Node | undefined {
    return this.#nodes.get(file)
  }

  byUuid(uuid: string): Node | undefined {
    return [...this.#nodes.values()].find((n) => n.uuid === uuid)
  }

  /** How many agents have this one as their parent. */
  childrenOf(node: Node): number {
    if (!node.uuid) return 0
    return [...this.#nodes.values()].filter((n) => n.parentId === node.uuid).length
  }

  /** Takes a whole new state. */
  load(nodes: Node[], folded: readonly string[]): void {
    this.#nodes = new Map((nodes ?? []).map((n) => [n.file, whole(n)]))
    this.#folded.clear()
    for (const uuid of folded ?? []) this.#folded.add(uuid)
  }

  apply(change: event.TreeChanged): void {
    const next = new Map(this.#nodes)
    const removed = change.removed ?? [] // Go writes an empty list as null
    for (const file of removed) next.delete(file)
    for (const node of change.nodes ?? []) next.set(node.file, whole(node))
    this.#nodes = next
    for (const file of removed) if (!next.has(file)) this.#host.gone(file)
  }

  fold(node: Node, folded: boolean): void {
    if (folded) this.#folded.add(node.uuid)
    else this.#folded.delete(node.uuid)
    this.#host.changed()
  }

  open(file: string): void {
    this.#cursor = file
    this.#host.open(file)
  }

  /** Makes an agent, under a parent or at the top, and opens it. */
  async create(parent?: Node): Promise<void> {
    await this.#try('The agent was not made', async () => {
      const file = await this.#backend.call.CreateNotebook({ name: '', ...(parent?.uuid ? { parentId: parent.uuid } : {}) })
      if (parent) this.#folded.delete(parent.uuid)
      this.#filter = ''
      this.open(file)
    })
  }

  async rename(node: Node, name: string): Promise<void> {
    this.#renaming = ''
    const wanted = name.trim()
    if (!wanted || wanted === node.name) return
    await this.#try(`“${nameOf(node)}” was not renamed`, () => this.#backend.call.RenameNotebook(node.file, wanted))
  }

  async duplicate(node: Node): Promise<void> {
    await this.#try(`“${nameOf(node)}” was not duplicated`, async () => this.open(await this.#backend.call.DuplicateNotebook(node.file)))
  }

  /** Moves the file to the trash; what runs in it is stopped first. */
  async remove(node: Node): Promise<void> {
    await this.#try(`“${nameOf(node)}” was not deleted`, async () => {
      if (node.status === 'running') await this.#backend.call.Stop(node.file)
      await this.#backend.call.DeleteNotebook(node.file)
    })
  }

  async reveal(node: Node): Promise<void> {
    await this.#try(`“${node.file}” was not shown`, () => this.#backend.call.RevealNotebook(node.file))
  }

  async stop(node: Node): Promise<void> {
    await this.#try(`“${nameOf(node)}” was not stopped`, () => this.#backend.call.Stop(node.file))
  }

  async #try(title: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      this.#host.failed(title, Fault.from(thrown))
    }
  }
}

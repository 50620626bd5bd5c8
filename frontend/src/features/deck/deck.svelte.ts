import type { Backend, BackendEvent, Fault, timeline } from '$lib/backend/backend'
import { Follower } from '$lib/follow/follower'
import { Axis } from './axis.svelte'
import { islandsOf, putSpan, rests, type Span } from './lanes'
import { restAfterMs, type Stretch } from './scale'

export type Link = timeline.Link

/** Agents that come or go are asked for together. */
const treeChangedMs = 80
/** Long waits fold, and clocks go wrong: so often the line is laid out anew by itself. */
const settleMs = 15_000

/** One agent's line. Its spans are in order; what draws them reads rev. */
export class Lane {
  readonly agent: string
  readonly path: string
  readonly depth: number
  /** Only the last spans are there. */
  readonly cut: boolean
  readonly spans: Span[]
  #islands: Stretch[] | undefined
  #open: Span[] | undefined
  #rev = $state(0)

  constructor(lane: timeline.Lane) {
    this.agent = lane.agent
    this.path = lane.path
    this.depth = lane.depth
    this.cut = lane.cut ?? false
    this.spans = (lane.spans ?? []).filter((s) => s.endMs !== s.startMs).sort((a, b) => a.startMs - b.startMs)
  }

  /** Counts the changes that were laid out. */
  get rev(): number {
    return this.#rev
  }
  /** The spans that go on. */
  get open(): Span[] {
    void this.#rev
    return (this.#open ??= this.spans.filter((s) => s.endMs === 0))
  }
  put(span: Span): boolean {
    if (!putSpan(this.spans, span)) return false
    this.#islands = undefined
    this.#open = undefined
    return true
  }
  changed(): void {
    this.#rev++
  }
  /** Whether it is known that nothing of it goes on. */
  get atRest(): boolean {
    return this.#islands !== undefined
  }
  islands(nowMs: number): Stretch[] {
    if (this.#islands) return this.#islands
    const islands = islandsOf(this.spans, nowMs)
    if (this.open.length === 0) this.#islands = islands
    return islands
  }
}

interface Change {
  seq: number
  spans: readonly Span[]
  links: readonly Link[]
}

export interface DeckHost {
  /** Calls back before the next picture is drawn; only tests give another. */
  frame?: (callback: () => void) => void
  /** Unix time in milliseconds. */
  now?: () => number
}

/**
 * DeckState is the flight deck of one tree of agents: who did what when. It
 * follows the tree while it is on view, and does nothing otherwise.
 */
export class DeckState {
  readonly axis = new Axis()
  mode = $state<'timeline' | 'graph'>('timeline')
  readonly #frame: (callback: () => void) => void
  readonly #clock: () => number
  readonly #follower: Follower<string, timeline.View>
  #path: string | undefined
  #of = $state('')
  #lanes = $state.raw<readonly Lane[]>([])
  #links = $state.raw<readonly Link[]>([])
  #loaded = $state(false)
  #fault = $state.raw<Fault>()
  #byAgent = new Map<string, Lane>()
  #seq = 0
  /** What came while an answer is on its way: it may not hold it. */
  #since: Change[] | undefined
  #linked = new Map<string, number>()
  #dirty = new Set<Lane>()
  #scheduled = false
  /** How far the program's clock is ahead of ours, as far as its spans show. */
  #ahead = 0
  #settledMs = 0

  constructor(backend: Pick<Backend, 'call'>, host: DeckHost = {}) {
    this.#frame = host.frame ?? ((callback) => requestAnimationFrame(callback))
    this.#clock = host.now ?? Date.now
    this.#follower = new Follower({
      ask: (path) => {
        this.#since = []
        return backend.call.Timeline(path)
      },
      subject: (path) => path,
      answered: (view, path) => this.#answered(view, path),
      failed: (fault) => {
        this.#since = undefined
        if (fault.kind !== 'canceled') this.#fault = fault
      },
    })
  }

  /** The agents in the order of the tree. */
  get lanes(): readonly Lane[] {
    return this.#lanes
  }
  get links(): readonly Link[] {
    return this.#links
  }
  lane(agent: string): Lane | undefined {
    return this.#byAgent.get(agent)
  }
  /** Whether what is known is of the tree at hand. */
  get loaded(): boolean {
    return this.#loaded
  }
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** Now, by the program's clock. */
  get nowMs(): number {
    return this.#clock() + this.#ahead
  }

  /** Shows the tree of a notebook; undefined: the deck is not on view. */
  follow(path: string | undefined): void {
    if (path === this.#path) return
    this.#path = path
    if (path === undefined) {
      this.#follower.stop()
      return
    }
    if (path !== this.#of) {
      this.#take([], [])
      this.#loaded = false
      this.#fault = undefined
      this.axis.fit()
    }
    this.#of = path
    this.#follower.ask(path)
  }

  retry(): void {
    this.#fault = undefined
    this.#follower.again()
  }

  stop(): void {
    this.#path = undefined
    this.#follower.stop()
  }

  apply(e: BackendEvent): void {
    if (this.#path === undefined) return
    switch (e.type) {
      case 'timelineChanged': {
        const change = { seq: e.seq, spans: e.data.spans ?? [], links: e.data.links ?? [] } // Go writes an empty list as null
        this.#since?.push(change)
        this.#change(change)
        if (e.data.past && this.#shows(e.data.past)) this.#follower.again(treeChangedMs)
        return
      }
      case 'treeChanged': {
        const { nodes, removed } = e.data
        // Somebody new, somebody gone, or somebody who moved to another place.
        const other = (nodes ?? []).some((n) => (this.#byAgent.has(n.uuid) ? this.#byAgent.get(n.uuid)!.path !== n.file : n.parentId && this.#byAgent.has(n.parentId)))
        if (other || (removed ?? []).some((path) => this.#shows(path))) this.#follower.again(treeChangedMs)
        return
      }
      case 'notebookReloaded':
        if (this.#shows(e.data.path)) this.#follower.again(treeChangedMs)
        return
      default:
        return // the line of time does not hang on it
    }
  }

  /** Moves "now"; called for every picture while something runs. */
  tick(): void {
    const now = this.nowMs
    if (now - this.#settledMs > settleMs) this.#settle()
    else this.axis.tick(now)
  }

  #shows(path: string): boolean {
    return this.#lanes.some((l) => l.path === path)
  }

  #answered(view: timeline.View, path: string): void {
    if (path !== this.#path) return
    this.#seq = view.seq
    this.#fault = undefined
    const lanes = (view.lanes ?? []).map((l) => new Lane(l))
    this.#take(lanes, view.links ?? [])
    for (const lane of lanes) for (const span of lane.spans.slice(-1)) this.#notice(span)
    const late = this.#since ?? []
    this.#since = undefined
    for (const change of late) this.#change(change)
    this.#loaded = true
  }

  #take(lanes: Lane[], links: readonly Link[]): void {
    this.#lanes = lanes
    this.#byAgent = new Map(lanes.map((l) => [l.agent, l]))
    this.#links = links
    this.#linked = new Map(links.map((l) => [keyOf(l), l.atMs]))
    this.#dirty.clear()
    this.#schedule()
  }

  #change({ seq, spans, links }: Change): void {
    if (seq <= this.#seq) return
    for (const span of spans) {
      const lane = this.#byAgent.get(span.agent)
      if (!lane?.put(span)) continue
      this.#notice(span)
      this.#dirty.add(lane)
    }
    const fresh = links.filter((l) => (this.#byAgent.has(l.from) || this.#byAgent.has(l.to)) && this.#linked.get(keyOf(l)) !== l.atMs)
    if (fresh.length) {
      // Of each kind there is one between two agents: a later one takes its place.
      const replaced = new Set(fresh.map(keyOf))
      for (const link of fresh) this.#linked.set(keyOf(link), link.atMs)
      this.#links = [...this.#links.filter((l) => !replaced.has(keyOf(l))), ...fresh]
    }
    if (this.#dirty.size) this.#schedule()
  }

  /** The program and the page may run on two machines: what began has begun. */
  #notice(span: Span): void {
    this.#ahead = Math.max(this.#ahead, Math.max(span.startMs, span.endMs) - this.#clock())
  }

  /** At most one layout for a picture. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#frame(() => {
      this.#scheduled = false
      this.#settle()
    })
  }

  #settle(): void {
    const now = this.nowMs
    this.#settledMs = now
    let live = false
    let held = true
    const lists = this.#lanes.map((lane) => {
      for (const s of lane.atRest ? [] : lane.open) {
        live = true
        if (!rests.has(s.kind) || now - s.startMs <= restAfterMs) held = false
      }
      return lane.islands(now)
    })
    this.axis.take(lists, now, live, live && held)
    for (const lane of this.#dirty) lane.changed()
    this.#dirty.clear()
  }
}

const keyOf = (l: Link): string => `${l.kind} ${l.from} ${l.to}`

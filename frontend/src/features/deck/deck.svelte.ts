import type { Backend, BackendEvent, Fault, timeline, workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Follower } from '$lib/follow/follower'
import { Axis } from './axis.svelte'
import { islandsOf, putSpan, rests, type Span } from './lanes'
import { restAfterMs, type TimeSpan } from './scale'

export type Link = timeline.Link

/** Added and removed agents are fetched together. */
const treeChangedMs = 80
/** Long waits get folded, and clocks drift: the interval between layouts. */
const layOutMs = 15_000

/** An agent's lane. Its spans are in order; rev changes with them. */
export class Lane {
  readonly agent: string
  readonly path: string
  readonly depth: number
  /** Only the latest spans are loaded. */
  readonly cut: boolean
  /** It has run, whether or not its times are known. */
  readonly ran: boolean
  readonly spans: Span[]
  #islands: TimeSpan[] | undefined
  #open: Span[] | undefined
  #rev = $state(0)

  constructor(lane: timeline.Lane) {
    this.agent = lane.agent
    this.path = lane.path
    this.depth = lane.depth
    this.cut = lane.cut ?? false
    this.ran = lane.ran ?? false
    this.spans = (lane.spans ?? []).filter((s) => s.endMs !== s.startMs).sort((a, b) => a.startMs - b.startMs)
  }

  /** The number of layouts so far. */
  get rev(): number {
    return this.#rev
  }
  /** The open spans. */
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
  /** Whether it certainly has no open span. */
  get atRest(): boolean {
    return this.#islands !== undefined
  }
  islands(nowMs: number): TimeSpan[] {
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
  /** Calls back before the next frame is drawn; only tests replace it. */
  frame?: (callback: () => void) => void
  /** Unix time in milliseconds. */
  now?: () => number
}

/**
 * DeckState is the flight deck of one tree of agents. It follows the tree while it is shown, and
 * does nothing otherwise.
 */
export class DeckState implements Feature {
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
  /** Events that arrived while an answer was pending: the answer may lack them. */
  #since: Change[] | undefined
  #linked = new Map<string, number>()
  #dirty = new Set<Lane>()
  #scheduled = false
  /** How far the program's clock is ahead of ours, judging by its spans. */
  #ahead = 0
  #laidOutMs = 0

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

  /** The agents in tree order. */
  get lanes(): readonly Lane[] {
    return this.#lanes
  }
  get links(): readonly Link[] {
    return this.#links
  }
  lane(agent: string): Lane | undefined {
    return this.#byAgent.get(agent)
  }
  /** Whether the loaded data belongs to the current tree. */
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

  /** Shows the tree of a notebook; undefined: the deck is hidden. */
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

  load(_snapshot: workspace.Snapshot, again: boolean): void {
    if (again) this.retry()
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
        // An agent was added, removed or moved.
        const other = (nodes ?? []).some((n) =>
          this.#byAgent.has(n.uuid) ? this.#byAgent.get(n.uuid)!.path !== n.file : n.parentId && this.#byAgent.has(n.parentId),
        )
        if (other || (removed ?? []).some((path) => this.#shows(path))) this.#follower.again(treeChangedMs)
        return
      }
      case 'notebookReloaded':
        if (this.#shows(e.data.path)) this.#follower.again(treeChangedMs)
        return
      default:
        return // the timeline does not depend on it
    }
  }

  /** Moves "now"; called for every frame while something runs. */
  tick(): void {
    const now = this.nowMs
    if (now - this.#laidOutMs > layOutMs) this.#layOut()
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
      // Between two agents there is one link of each kind: a later one replaces it.
      const replaced = new Set(fresh.map(keyOf))
      for (const link of fresh) this.#linked.set(keyOf(link), link.atMs)
      this.#links = [...this.#links.filter((l) => !replaced.has(keyOf(l))), ...fresh]
    }
    if (this.#dirty.size) this.#schedule()
  }

  /** The program and the page may run on different machines: a span that has begun cannot be in the future. */
  #notice(span: Span): void {
    this.#ahead = Math.max(this.#ahead, Math.max(span.startMs, span.endMs) - this.#clock())
  }

  /** At most one layout per frame. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#frame(() => {
      this.#scheduled = false
      this.#layOut()
    })
  }

  #layOut(): void {
    const now = this.nowMs
    this.#laidOutMs = now
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

import { SvelteSet } from 'svelte/reactivity'
import { Fault, type approval, type Backend, type BackendEvent, type kind, type settings } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Draft } from './draft.svelte'
import { showSame } from './reviewLimits'
import { askerOf, decidedAlone, seenMs, type Request } from './words'
import { t } from '$lib/language/language'

/**
 * How long a card accepts no decision after it appeared, moved or got the focus, so that input meant for something else cannot decide it.
 */
export const guardMs = 400

export interface ApprovalsHost {
  failed(title: string, fault: Fault): void
  /** The milliseconds of a monotonic clock. */
  now?: () => number
  /** The choices for the children of a fork. */
  kinds?: () => readonly kind.Kind[]
  providers?: () => readonly settings.ProviderView[]
  /** The name of the kind of a notebook's agent; "" if it is not known. */
  kindOf?: (path: string) => string
  /** Whether another agent answers a notebook: it makes its calls itself, so that they cannot be edited. */
  fixed?: (path: string) => boolean
  /** The display name of a notebook's agent; "" if it is not known. */
  nameOf?: (path: string) => string
}

/** The requests of all agents that wait for the person, oldest first. A decided request disappears at once, and returns if the decision did not arrive. */
export class ApprovalsState implements Feature {
  readonly #backend: Backend
  readonly #host: ApprovalsHost
  readonly #now: () => number
  #pending = $state.raw<readonly Request[]>([])
  /** Requests that were decided here but not confirmed yet. */
  readonly #decided = new SvelteSet<string>()
  readonly #armed = new SvelteSet<string>()
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  #places: ReadonlyMap<string, number> = new Map()
  readonly #drafts = new Map<string, Draft>()
  #focus = { id: '', atMs: 0 }
  #cursor = $state('')
  #shown = $state('')
  #comparing = $state.raw<{ request: string; conflict: approval.WriteConflict }>()
  /** The requests of an agent are together, at the position of its oldest. */
  readonly #list = $derived.by(() => {
    const open = this.#pending.filter((r) => !this.#decided.has(r.id))
    const first = new Map<string, number>()
    for (const [i, r] of open.entries()) if (!first.has(r.path)) first.set(r.path, i)
    return open.toSorted((a, b) => first.get(a.path)! - first.get(b.path)!)
  })

  constructor(backend: Backend, host: ApprovalsHost) {
    this.#backend = backend
    this.#host = host
    this.#now = host.now ?? (() => performance.now())
  }

  get list(): readonly Request[] {
    return this.#list
  }
  request(id: string): Request | undefined {
    return this.#list.find((r) => r.id === id)
  }
  /** The request of a tool call, if it waits. */
  ofCall(path: string, callId: string): Request | undefined {
    return this.#list.find((r) => r.callId === callId && r.path === path)
  }
  draft(request: Request): Draft {
    let draft = this.#drafts.get(request.id)
    if (!draft) {
      const check = (args: string) => this.#backend.call.PreviewApproval(request.id, args)
      draft = new Draft(request, check, this.#host.fixed?.(request.path))
      this.#drafts.set(request.id, draft)
    }
    return draft
  }

  /** The card at the keyboard cursor; the first card if that one is gone. */
  get cursor(): string {
    return this.request(this.#cursor)?.id ?? this.#list[0]?.id ?? ''
  }
  set cursor(id: string) {
    this.#cursor = id
  }
  /** The card a number of places up (negative) or down. */
  step(id: string, by: number): Request | undefined {
    const i = this.#list.findIndex((r) => r.id === id)
    return this.#list[Math.max(0, Math.min(this.#list.length - 1, i + by))]
  }

  /** The request whose whole card is open. */
  get shown(): Request | undefined {
    return this.#shown ? this.request(this.#shown) : undefined
  }
  show(id: string): void {
    this.#shown = id
    this.#cursor = id
  }
  hide(): void {
    this.#shown = ''
  }

  /** The choices for the children of a fork: kinds, models, and the kind of the asking agent. */
  get kinds(): readonly kind.Kind[] {
    return this.#host.kinds?.() ?? []
  }
  get providers(): readonly settings.ProviderView[] {
    return this.#host.providers?.() ?? []
  }
  /** The current name of the asking agent. */
  askerOf(r: Request): string {
    return this.#host.nameOf?.(r.path) || askerOf(r)
  }
  kindOf(path: string): string {
    return this.#host.kindOf?.(path) ?? ''
  }

  /** Opens a link of a question outside. */
  async openLink(href: string): Promise<void> {
    try {
      await this.#backend.openLink(href)
    } catch (thrown) {
      this.#host.failed(t`Could not open the link`, Fault.from(thrown))
    }
  }
  /** Copies text to the clipboard; false if it failed. */
  async copy(text: string): Promise<boolean> {
    try {
      await this.#backend.copyText(text)
      return true
    } catch (thrown) {
      this.#host.failed(t`Could not copy the text`, Fault.from(thrown))
      return false
    }
  }

  /** The change of another agent that is compared with a request; undefined if nothing is compared. */
  get comparing(): { request: Request; conflict: approval.WriteConflict } | undefined {
    const at = this.#comparing
    const request = at && this.request(at.request)
    return request && { request, conflict: at.conflict }
  }
  compare(request: Request, conflict: approval.WriteConflict): void {
    this.#comparing = { request: request.id, conflict }
  }
  compared(): void {
    this.#comparing = undefined
  }

  /** Postpones a request until the other agents that wrote its file are done. */
  async hold(request: Request): Promise<void> {
    try {
      await this.#backend.call.HoldApproval(request.id)
    } catch (thrown) {
      this.#host.failed(t`Could not postpone the request`, Fault.from(thrown))
    }
  }

  load({ approvals }: { approvals: readonly Request[] | null }): void {
    this.#decided.clear()
    this.#places = this.#renewed(approvals ?? [])
    this.#take(approvals ?? [])
  }

  apply(e: BackendEvent): void {
    if (e.type !== 'approvalsChanged') return
    const change = e.data
    const added = change.added ?? [] // Go writes an empty list as null
    const fresh = added.filter((a) => !this.#pending.some((p) => p.id === a.id))
    const places = this.#renewed(added)
    // A waiting request is sent again when more is known about it; it keeps its place.
    const now = this.#pending.map((p) => added.find((a) => a.id === p.id) ?? p)
    const gone = added.some((a) => a.id === change.removed) ? '' : change.removed
    if (gone) this.#decided.delete(gone)
    this.#places = places
    this.#take([...now.filter((p) => p.id !== gone), ...fresh])
  }

  /** Renews waiting requests, and returns the places: input meant for an old change must not decide the new one. */
  #renewed(requests: readonly Request[]): ReadonlyMap<string, number> {
    const places = new Map(this.#places)
    for (const now of requests) {
      const was = this.#pending.find((p) => p.id === now.id)
      if (was) this.#renew(was, now)
      if (was && (was.print !== now.print || seenMs(was) < seenMs(now))) places.delete(now.id)
    }
    return places
  }

  /** A request whose change is new is decided in its new form; typed text stays. */
  #renew(was: Request, now: Request): void {
    const draft = this.#drafts.get(was.id)
    if (!draft || (was.arguments === now.arguments && JSON.stringify(was.changes) === JSON.stringify(now.changes))) return
    this.#drafts.delete(was.id)
    draft.edited.stop()
    this.draft(now).takeOver(draft)
  }

  #take(requests: readonly Request[]): void {
    this.#pending = requests
    const there = new Set(requests.map((r) => r.id))
    for (const [id, draft] of this.#drafts) {
      if (there.has(id)) continue
      draft.edited.stop()
      this.#drafts.delete(id)
    }
    this.#rearm()
  }

  /** Input meant for another card must not decide one that appeared or moved. */
  #rearm(): void {
    const places = new Map(this.#list.map((r, i) => [r.id, i]))
    for (const [id, timer] of this.#timers) {
      if (places.has(id)) continue
      clearTimeout(timer)
      this.#timers.delete(id)
    }
    for (const id of [...this.#armed]) if (!places.has(id)) this.#armed.delete(id)
    for (const [id, place] of places) {
      if (this.#places.get(id) === place) continue
      this.#armed.delete(id)
      clearTimeout(this.#timers.get(id))
      this.#timers.set(
        id,
        setTimeout(() => {
          this.#timers.delete(id)
          this.#armed.add(id)
        }, guardMs),
      )
    }
    this.#places = places
  }

  /** Whether a card has been at its place long enough to accept a decision. */
  ready(id: string): boolean {
    return this.#armed.has(id)
  }
  /** Notes which card has the focus, or "" for none. */
  focused(id: string): void {
    if (this.#focus.id === id) return
    this.#focus = { id, atMs: this.#now() }
    if (id) this.#cursor = id
  }
  /** Whether a key may decide a card: it has not moved, and has had the focus for a moment. */
  readyForKey(id: string): boolean {
    return this.ready(id) && this.#focus.id === id && this.#now() - this.#focus.atMs >= guardMs
  }

  /** Other requests that would do exactly the same, except those that must be viewed one by one. */
  alike(request: Request): Request[] {
    if (decidedAlone(request)) return []
    return this.#list.filter((r) => r.id !== request.id && !decidedAlone(r) && !r.conflicts?.length && showSame(request, r))
  }

  /**
   * Decides according to the draft; false if the card is not ready or the draft is invalid. A rejection took two steps already and waits for nothing.
   */
  async decide(request: Request, allow: boolean): Promise<boolean> {
    const draft = this.draft(request)
    if ((allow && !this.ready(request.id)) || draft.problem || draft.sending) return false
    return this.#send(request, draft, allow)
  }

  /** Approves a request, and lets the agents that wrote its files keep writing them until the program ends. */
  async share(request: Request): Promise<boolean> {
    const draft = this.draft(request)
    if (!this.ready(request.id) || draft.problem || draft.sending) return false
    return this.#send(request, draft, true, { ...draft.decision(true), scope: 'agent', patterns: [] })
  }

  async #send(request: Request, draft: Draft, allow: boolean, decision = draft.decision(allow)): Promise<boolean> {
    draft.fault = undefined
    // Typed text stays visible until it has arrived.
    const stays = decidedAlone(request)
    draft.sending = stays
    if (!stays) {
      this.#decided.add(request.id)
      this.#rearm()
    }
    try {
      await this.#backend.call.ResolveApproval(request.id, { ...decision, seenMs: allow ? seenMs(request) : 0 })
      if (stays && this.request(request.id)) {
        this.#decided.add(request.id)
        this.#rearm()
      }
      return true
    } catch (thrown) {
      const fault = Fault.from(thrown)
      this.#decided.delete(request.id)
      if (fault.kind === 'notFound') {
        // Somebody else was faster, or the run has ended.
        this.#take(this.#pending.filter((p) => p.id !== request.id))
        return false
      }
      draft.fault = fault
      this.#rearm()
      if (!stays) this.#host.failed(allow ? t`Could not approve it` : t`Could not reject it`, fault)
      return false
    } finally {
      draft.sending = false
    }
  }

  /** Approves a request and the identical ones, each once. */
  async approveAll(request: Request): Promise<void> {
    if (!this.ready(request.id)) return
    const all = [request, ...this.alike(request)]
    await Promise.all(
      all.map((r) => {
        const draft = this.draft(r)
        draft.scope = 'once'
        draft.rejecting = draft.editing = false
        return this.#send(r, draft, true)
      }),
    )
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }
}

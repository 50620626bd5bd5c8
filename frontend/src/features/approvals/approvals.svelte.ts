import { SvelteSet } from 'svelte/reactivity'
import { Fault, type approval, type Backend, type event, type kind, type settings } from '$lib/backend/backend'
import { Draft } from './draft.svelte'
import { showSame } from './shown'
import { looksAtAll, type Request } from './words'

/** For so long nothing can be decided after a card came, moved or got the focus: what was meant for something else does not hit it. */
export const guardMs = 400

export interface ApprovalsHost {
  failed(title: string, fault: Fault): void
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number
  /** What the children of a fork can be made of. */
  kinds?: () => readonly kind.Kind[]
  providers?: () => readonly settings.ProviderView[]
  /** The name of the kind of a notebook's agent; "" when it is not known. */
  kindOf?: (path: string) => string
}

/** The requests of all agents that wait for the person, oldest first. What was decided is gone at once, and comes back if it did not arrive. */
export class ApprovalsState {
  readonly #backend: Backend
  readonly #host: ApprovalsHost
  readonly #now: () => number
  #pending = $state.raw<readonly Request[]>([])
  /** Decided here, and not yet confirmed. */
  readonly #decided = new SvelteSet<string>()
  readonly #armed = new SvelteSet<string>()
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  #places: ReadonlyMap<string, number> = new Map()
  readonly #drafts = new Map<string, Draft>()
  #focus = { id: '', atMs: 0 }
  #cursor = $state('')
  #shown = $state('')
  #comparing = $state.raw<{ request: string; hand: approval.Hand }>()
  readonly #list = $derived(this.#pending.filter((r) => !this.#decided.has(r.id)))

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
    if (!draft) this.#drafts.set(request.id, (draft = new Draft(request, (args) => this.#backend.call.PreviewApproval(request.id, args))))
    return draft
  }

  /** The card that the keyboard is on; the first one when that is gone. */
  get cursor(): string {
    return this.request(this.#cursor)?.id ?? this.#list[0]?.id ?? ''
  }
  set cursor(id: string) {
    this.#cursor = id
  }
  /** The card by places up (negative) or down. */
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

  /** What the children of a fork can be made of: kinds, models, and the kind of the agent that asks. */
  get kinds(): readonly kind.Kind[] {
    return this.#host.kinds?.() ?? []
  }
  get providers(): readonly settings.ProviderView[] {
    return this.#host.providers?.() ?? []
  }
  kindOf(path: string): string {
    return this.#host.kindOf?.(path) ?? ''
  }

  /** Opens a link of a question outside. */
  async openLink(href: string): Promise<void> {
    try {
      await this.#backend.openLink(href)
    } catch (thrown) {
      this.#host.failed('Could not open the link', Fault.from(thrown))
    }
  }
  /** Puts text on the clipboard; false when it is not there. */
  async copy(text: string): Promise<boolean> {
    try {
      await this.#backend.copyText(text)
      return true
    } catch (thrown) {
      this.#host.failed('Could not copy the text', Fault.from(thrown))
      return false
    }
  }

  /** What another agent wrote, held against a request; undefined while nothing is compared. */
  get comparing(): { request: Request; hand: approval.Hand } | undefined {
    const at = this.#comparing
    const request = at && this.request(at.request)
    return request && { request, hand: at.hand }
  }
  compare(request: Request, hand: approval.Hand): void {
    this.#comparing = { request: request.id, hand }
  }
  compared(): void {
    this.#comparing = undefined
  }

  /** Puts a request aside until the others that wrote its file are done. */
  async hold(request: Request): Promise<void> {
    try {
      await this.#backend.call.HoldApproval(request.id)
    } catch (thrown) {
      this.#host.failed('Could not postpone the request', Fault.from(thrown))
    }
  }

  load(requests: readonly Request[] | null): void {
    this.#decided.clear()
    this.#take(requests ?? [])
  }

  apply(change: event.ApprovalsChanged): void {
    const added = change.added ?? [] // Go writes an empty list as null
    const fresh = added.filter((a) => !this.#pending.some((p) => p.id === a.id))
    // One that waits already comes again when more is known of it: it keeps its place.
    const now = this.#pending.map((p) => {
      const again = added.find((a) => a.id === p.id)
      if (again) this.#renew(p, again)
      return again ?? p
    })
    const gone = added.some((a) => a.id === change.removed) ? '' : change.removed
    if (gone) this.#decided.delete(gone)
    this.#take([...now.filter((p) => p.id !== gone), ...fresh])
  }

  /** A request whose change is another one now is decided on as it is now; what was typed stays. */
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

  /** Cards that came or moved are not to be hit by what was meant for what stood there. */
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

  /** Whether a card stands where it stands long enough to be decided on. */
  ready(id: string): boolean {
    return this.#armed.has(id)
  }
  /** The keyboard came to a card, or left all of them (""). */
  focused(id: string): void {
    if (this.#focus.id === id) return
    this.#focus = { id, atMs: this.#now() }
    if (id) this.#cursor = id
  }
  /** Whether a key may decide on a card: it stands still and has had the focus for a moment. */
  readyForKey(id: string): boolean {
    return this.ready(id) && this.#focus.id === id && this.#now() - this.#focus.atMs >= guardMs
  }

  /** Other requests that would do the same to the letter, but those that are looked at one by one. */
  alike(request: Request): Request[] {
    if (looksAtAll(request)) return []
    return this.#list.filter((r) => r.id !== request.id && !looksAtAll(r) && !r.hands?.length && showSame(request, r))
  }

  /** Decides as the draft says; false when the card is not ready or the draft not sound. A rejection has been asked for twice and waits for nothing. */
  async decide(request: Request, allow: boolean): Promise<boolean> {
    const draft = this.draft(request)
    if ((allow && !this.ready(request.id)) || draft.problem || draft.sending) return false
    return this.#send(request, draft, allow)
  }

  /** Approves a request, and lets the agents that have a hand in its files go on writing them until the program ends. */
  async share(request: Request): Promise<boolean> {
    const draft = this.draft(request)
    if (!this.ready(request.id) || draft.problem || draft.sending) return false
    return this.#send(request, draft, true, { ...draft.decision(true), scope: 'agent', patterns: [] })
  }

  async #send(request: Request, draft: Draft, allow: boolean, decision = draft.decision(allow)): Promise<boolean> {
    draft.fault = undefined
    // What somebody wrote stays before their eyes until it has arrived.
    const stays = looksAtAll(request)
    draft.sending = stays
    if (!stays) {
      this.#decided.add(request.id)
      this.#rearm()
    }
    try {
      await this.#backend.call.ResolveApproval(request.id, decision)
      if (stays && this.request(request.id)) {
        this.#decided.add(request.id)
        this.#rearm()
      }
      return true
    } catch (thrown) {
      const fault = Fault.from(thrown)
      this.#decided.delete(request.id)
      if (fault.kind === 'notFound') {
        // Somebody else was quicker, or the run has ended.
        this.#take(this.#pending.filter((p) => p.id !== request.id))
        return false
      }
      draft.fault = fault
      this.#rearm()
      if (!stays) this.#host.failed(allow ? 'Could not approve it' : 'Could not reject it', fault)
      return false
    } finally {
      draft.sending = false
    }
  }

  /** Approves a request and those alike, each once. */
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

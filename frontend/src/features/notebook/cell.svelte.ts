import type { event, notebook } from '$lib/backend/backend'
import { MessageState } from './message.svelte'

/** A running or queued run of a cell. */
export interface LiveRun {
  runId: string
  atMs: number
  queued: boolean
  /** It goes to the running agent at its next step. */
  soon: boolean
  model: string
  waitUntilMs: number
  waitReason: string
  attempt: number
}

const none: ReadonlyMap<string, event.CallProgress> = new Map()

/** The initial state of a requested run. */
export const idle: LiveRun = { runId: '', atMs: 0, queued: false, soon: false, model: '', waitUntilMs: 0, waitReason: '', attempt: 0 }

/**
 * CellState is one cell: its head is always loaded, its body once fetched. A streaming cell changes
 * only its own state, so it is redrawn alone. Until it is saved, the text is the person's draft.
 */
export class CellState {
  readonly id: string
  #role = $state.raw('user')
  #rev = -1
  #chars = $state.raw(0)
  #answerChars = $state.raw(0)
  #messages = $state.raw(0)
  #loaded = $state.raw(false)
  #text = $state.raw('')
  #replaced = $state.raw(0)
  #multi = $state.raw(false)
  #answer = $state.raw<MessageState[]>([])
  #run = $state.raw<notebook.RunInfo | undefined>()
  #live = $state.raw<LiveRun | undefined>()
  #compaction = $state.raw<notebook.Compaction | undefined>()
  #pinned = $state.raw(false)
  #earlier = $state.raw(0)
  #muted = $state.raw(false)
  #progress = $state.raw<ReadonlyMap<string, event.CallProgress>>(none)
  #mutedCalls = $state.raw<readonly string[]>([])
  #pinnedCalls = $state.raw<readonly string[]>([])
  #whole = $state.raw(false)
  #undone = false
  #dirty = $state.raw(false)
  /** The number of prompts being sent; during that, the backend's text is older than ours. */
  #inFlight = 0
  /** The event that contains our last saved text: older events do not change the text. */
  #textSeq = 0
  /** The last event that the text takes into account, its own saving or a change from elsewhere. */
  #seen = 0
  /** The last event that the body contains. */
  #bodySeq = 0

  constructor(id: string, role = 'user') {
    this.id = id
    this.#role = role
  }

  get role(): string {
    return this.#role
  }
  get rev(): number {
    return this.#rev
  }
  get loaded(): boolean {
    return this.#loaded
  }
  get text(): string {
    return this.#text
  }
  /** How often something other than typing changed the text. */
  get replaced(): number {
    return this.#replaced
  }
  get multi(): boolean {
    return this.#multi
  }
  get answer(): readonly MessageState[] {
    return this.#answer
  }
  get run(): notebook.RunInfo | undefined {
    return this.#run
  }
  get live(): LiveRun | undefined {
    return this.#live
  }
  /** The cells that it stands for, if it is a summary. */
  get compaction(): notebook.Compaction | undefined {
    return this.#compaction
  }
  /** The parts of a summary are shown in full because a search asked for it. */
  get whole(): boolean {
    return this.#whole
  }
  showWhole(): void {
    this.#whole = true
  }
  /** No summary covers it. */
  get pinned(): boolean {
    return this.#pinned
  }
  /** The number of earlier texts of the prompt that were sent. */
  get earlier(): number {
    return this.#earlier
  }
  /** Models do not get it. */
  get muted(): boolean {
    return this.#muted
  }
  /** The calls whose results models do not get. */
  get mutedCalls(): readonly string[] {
    return this.#mutedCalls
  }
  /** The calls whose results models get in full: no summary covers the cell, and they are not cut. */
  get pinnedCalls(): readonly string[] {
    return this.#pinnedCalls
  }
  get dirty(): boolean {
    return this.#dirty
  }
  /** Whether typed text may not be in the notebook yet: a draft, or text being sent. */
  get unsaved(): boolean {
    return this.#dirty || this.#inFlight > 0
  }
  get chars(): number {
    return this.#loaded ? this.#text.length : this.#chars
  }
  /** For estimating the height before it is drawn. */
  get answerChars(): number {
    return this.#answerChars
  }
  get messages(): number {
    return this.#messages
  }
  get hasAnswer(): boolean {
    return this.#loaded ? this.#answer.length > 0 : this.#messages > 0
  }
  /** The size of the body, for the cache. */
  get weight(): number {
    return this.#loaded ? this.#text.length + this.#answerChars : 0
  }
  /** Whether the body may be dropped to save memory: it has no unsent text. */
  get droppable(): boolean {
    return this.#loaded && !this.unsaved
  }

  /** put takes the backend's cell as of event seq. typed: if its text changed, somebody typed that. */
  put(view: notebook.CellView, seq: number, typed = false): void {
    this.#role = view.role
    this.#chars = view.chars
    this.#answerChars = view.answer
    this.#messages = view.messages
    this.#compaction = view.compaction
    this.#pinned = view.pinned ?? false
    this.#earlier = view.earlier ?? 0
    this.#muted = view.muted ?? false
    this.#mutedCalls = view.mutedCalls ?? []
    this.#pinnedCalls = view.pinnedCalls ?? []
    if (view.body) this.#putBody(view.body, seq, typed)
    else if (view.rev !== this.#rev && this.#loaded && !this.#dirty && this.#inFlight === 0) this.#loaded = false
    this.#rev = view.rev
  }

  #putBody(body: notebook.CellBody, seq: number, typed: boolean): void {
    this.#bodySeq = seq
    if (!this.#dirty && this.#inFlight === 0 && seq >= this.#textSeq) {
      if (body.text !== this.#text && !typed) this.#replaced++
      this.#text = body.text
      this.#seen = seq
    }
    this.#multi = body.multi
    this.#run = body.run
    // A loaded message with the same role keeps its state, so that a
    // streamed answer is not redrawn when its finished form arrives.
    const views = body.answer ?? []
    const old = this.#answer
    const answer = views.map((view, i) => {
      const m = old[i]
      if (m?.role !== view.role) return MessageState.of(view)
      m.put(view)
      return m
    })
    this.#answer = answer
    this.#loaded = true
  }

  /** drop removes the body; it is loaded again when the cell comes near the view. */
  drop(): void {
    if (!this.droppable) return
    this.#chars = this.#text.length
    this.#messages = this.#answer.length
    this.#loaded = false
    this.#answer = []
    this.#text = ''
  }

  /** holds reports whether event seq is in the body already. */
  holds(seq: number): boolean {
    return seq <= this.#bodySeq
  }

  addDelta(delta: event.Delta): void {
    this.#answerChars += (delta.text?.length ?? 0) + (delta.reasoning?.length ?? 0)
    if (!this.#loaded) return
    this.#at(delta.index, 'assistant').add(delta)
  }

  putMessage(index: number, view: notebook.MessageView): void {
    if (!this.#loaded) return
    const old = this.#answer[index]
    if (old?.role === view.role) {
      old.put(view)
      return
    }
    const answer = this.#answer.slice()
    answer[index] = MessageState.of(view)
    this.#answer = answer
  }

  #at(index: number, role: string): MessageState {
    const there = this.#answer[index]
    if (there) return there
    for (const m of this.#answer) if (m.streaming) m.finish()
    const made = new MessageState(role)
    const answer = this.#answer.slice()
    answer[index] = made
    this.#answer = answer
    return made
  }

  /** Whether message index can take a delta: there is no gap before it. */
  reaches(index: number): boolean {
    return !this.#loaded || index <= this.#answer.length
  }

  // The prompt as it is typed.

  /** type sets the typed text. undone: the editor's undo did it. */
  type(text: string, undone = false): void {
    if (text === this.#text) return
    this.#text = text
    this.#undone = undone && (this.#undone || !this.#dirty)
    this.#dirty = true
    this.#loaded = true
  }

  /** Whether the draft is the result of an editor's undo, with nothing typed since. */
  get undone(): boolean {
    return this.#undone
  }

  /** For an edit of the text: the last event that it takes into account, so that it overwrites nothing unseen of another program. */
  get seen(): { seen?: number } {
    return this.#seen > 0 ? { seen: this.#seen } : {}
  }

  /** sending notes that the draft is being sent to the backend, and returns it. */
  sending(): string {
    this.#inFlight++
    this.#dirty = false
    return this.#text
  }

  /** sent notes that the backend has the text as of event seq. */
  sent(seq: number): void {
    this.#inFlight--
    this.#textSeq = Math.max(this.#textSeq, seq)
    this.#seen = Math.max(this.#seen, seq)
  }

  /** notSent notes that it did not arrive: it is a draft again. */
  notSent(): void {
    this.#inFlight--
    this.#dirty = true
  }

  // Runs.

  startRun(run: LiveRun): void {
    this.#live = run
    this.#progress = none
  }

  /** expectRun shows the run that was just requested. */
  expectRun(atMs: number): void {
    this.#live = { ...idle, atMs }
  }

  /** abandonRun reverts that because the backend refused the run. */
  abandonRun(): void {
    if (this.#live?.runId === '') this.#live = undefined
  }

  queueRun(runId: string, atMs: number, soon = false): void {
    this.#live = { ...idle, runId, atMs, queued: true, soon }
  }

  /** hurry notes that a queued prompt goes to the running agent at its next step. */
  hurry(): void {
    if (this.#live?.queued) this.#live = { ...this.#live, soon: true }
  }

  /** progressed sets the progress of a call, as its tool reports it. */
  progressed(progress: event.CallProgress): void {
    if (this.#live) this.#progress = new Map(this.#progress).set(progress.callId, progress)
  }

  /** The progress of a call; undefined: its tool reports none. */
  progressOf(callId: string): event.CallProgress | undefined {
    return this.#progress.get(callId)
  }

  wait(untilMs: number, reason: string, attempt: number): void {
    if (this.#live) this.#live = { ...this.#live, waitUntilMs: untilMs, waitReason: reason, attempt, queued: false }
  }

  finishRun(done: event.RunFinished, now: number): void {
    for (const m of this.#answer) if (m.streaming) m.finish()
    const live = this.#live
    this.#live = undefined
    this.#progress = none
    this.#run = {
      ...this.#run,
      outcome: done.outcome,
      fault: done.fault,
      ...(live ? { startedAtMs: live.atMs, tookMs: now - live.atMs, model: live.model || this.#run?.model } : {}),
    }
  }

  cancelRun(): void {
    this.#live = undefined
  }
}

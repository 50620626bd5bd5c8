import type { approval, Fault } from '$lib/backend/backend'
import { Edited, type Check } from './edited.svelte'
import { Fields } from './fields.svelte'
import { ForkDraft } from './fork.svelte'
import { QuestionDraft } from './question.svelte'
import type { Request, Scope } from './words'
import { t } from '$lib/language/language'

/** The person's pending decision on one request, shared by every card that shows it. */
export class Draft {
  readonly request: Request
  /** For a call that starts agents. */
  readonly fork: ForkDraft | undefined
  /** For a question to the person. */
  readonly question: QuestionDraft | undefined
  /** The arguments to edit; unused for a question and for agents to start. */
  readonly fields: Fields
  /** The preview of the edited request. */
  readonly edited: Edited
  #sending = $state(false)
  #scope = $state<Scope>('once')
  #suggestion = $state(0)
  #patterns = $state<string[]>([])
  #rejecting = $state(false)
  #editing = $state(false)
  #reason = $state('')
  #fault = $state.raw<Fault>()

  /** fixed: see Edited. */
  constructor(request: Request, check: Check, fixed = false) {
    this.request = request
    this.edited = new Edited(request, check, fixed)
    this.fields = new Fields(request, () => this.#retyped())
    this.fork = ForkDraft.of(request)
    this.question = request.question && new QuestionDraft(request.question)
    this.choose(0)
  }

  /** The scope of the decision. */
  get scope(): Scope {
    return this.#scope
  }
  set scope(scope: Scope) {
    this.#scope = scope
    this.#fault = undefined
  }
  /** The patterns of the rules, as chosen and edited. */
  get patterns(): readonly string[] {
    return this.#patterns
  }
  /** The chosen set among the suggested sets of patterns. */
  get suggestion(): number {
    return this.#suggestion
  }
  choose(index: number): void {
    this.#suggestion = index
    this.#patterns = [...(this.request.suggestions?.[index]?.patterns ?? [''])]
    this.#fault = undefined
  }
  setPattern(index: number, text: string): void {
    this.#patterns = this.#patterns.map((p, i) => (i === index ? text : p))
    this.#fault = undefined
  }
  addPattern(): void {
    this.#patterns = [...this.#patterns, '']
  }
  dropPattern(index: number): void {
    this.#patterns = this.#patterns.filter((_, i) => i !== index)
  }

  /** Whether the card asks for a reason to reject. */
  get rejecting(): boolean {
    return this.#rejecting
  }
  set rejecting(on: boolean) {
    this.#rejecting = on
    this.#fault = undefined
  }
  get reason(): string {
    return this.#reason
  }
  set reason(text: string) {
    this.#reason = text
  }

  /** Whether the arguments are being edited. */
  get editing(): boolean {
    return this.#editing
  }
  set editing(on: boolean) {
    this.#editing = on
    if (!on && this.fields.changed) this.edited.reset()
    if (!on) this.fields.reset()
    this.#fault = undefined
  }
  readonly changed: boolean = $derived.by(() => (this.fork ? this.fork.changed : this.fields.changed))

  #retyped(): void {
    this.#fault = undefined
    if (!this.changed) this.edited.reset()
    else if (!this.problem) this.edited.typed(this.args)
  }

  /** The problem of the current decision, or "". */
  readonly problem: string = $derived.by(() => {
    if (!this.#rejecting && this.fork) return this.fork.problem
    if (!this.#rejecting && this.question) return this.question.problem
    if (!this.#rejecting && this.fields.problem) return this.fields.problem
    if (!this.#rejecting && this.edited.parts.length > 0 && this.edited.left.length === this.edited.parts.length)
      return t`Nothing of the change is left: reject it instead.`
    if (this.#scope !== 'once' && (this.#patterns.length === 0 || this.#patterns.some((p) => p.trim() === '')))
      return t`A rule needs a pattern.`
    return ''
  })

  /** Whether the decision is being sent; its card stays until it has arrived. */
  get sending(): boolean {
    return this.#sending
  }
  set sending(on: boolean) {
    this.#sending = on
  }

  /** Why the last attempt failed. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  set fault(fault: Fault | undefined) {
    this.#fault = fault
  }

  /** Takes over the typed text from an earlier draft of the same request. */
  takeOver(was: Draft): void {
    this.#reason = was.reason
    this.#rejecting = was.rejecting
    if (JSON.stringify(was.request.suggestions) === JSON.stringify(this.request.suggestions)) {
      this.#scope = was.scope
      this.#suggestion = was.suggestion
      this.#patterns = [...was.patterns]
    }
    if (was.request.arguments !== this.request.arguments || !was.editing) return
    this.#editing = true
    this.fields.takeOver(was.fields)
  }

  decision(allow: boolean): Omit<approval.Decision, 'seenMs'> {
    const wide = this.#scope !== 'once'
    return {
      allow,
      answer: allow && this.question ? this.question.answer : '',
      scope: this.#scope,
      patterns: wide ? this.#patterns.map((p) => p.trim()) : [],
      reason: allow ? '' : this.#reason.trim(),
      arguments: allow && this.changed ? this.args : '',
      left: allow ? this.edited.left : [],
      seen: allow ? this.edited.request.print : '',
    }
  }

  /** The current arguments. */
  get args(): string {
    if (!this.changed) return this.request.arguments
    if (this.fork) return this.fork.arguments
    return this.fields.json
  }
}

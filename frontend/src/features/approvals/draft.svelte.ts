import type { approval, Fault } from '$lib/backend/backend'
import { Edited, type Look } from './edited.svelte'
import { ForkDraft } from './fork.svelte'
import { QuestionDraft } from './question.svelte'
import { fieldOf, objectOf, type Request, type Scope } from './words'

/** What the person is about to decide on one request: shared by every card that shows it. */
export class Draft {
  readonly request: Request
  /** Of a call that starts agents. */
  readonly fork: ForkDraft | undefined
  /** Of a question to the person. */
  readonly question: QuestionDraft | undefined
  /** What is seen of it while it is changed. */
  readonly edited: Edited
  #sending = $state(false)
  #scope = $state<Scope>('once')
  #suggestion = $state(0)
  #patterns = $state<string[]>([])
  #rejecting = $state(false)
  #editing = $state(false)
  #edited = $state<string>()
  #reason = $state('')
  #fault = $state.raw<Fault>()

  constructor(request: Request, look: Look) {
    this.request = request
    this.edited = new Edited(request, look)
    this.fork = ForkDraft.of(request)
    this.question = request.question && new QuestionDraft(request.question)
    this.choose(0)
  }

  /** How far the decision reaches. */
  get scope(): Scope {
    return this.#scope
  }
  set scope(scope: Scope) {
    this.#scope = scope
    this.#fault = undefined
  }
  /** What the rules would be made of, as chosen and edited. */
  get patterns(): readonly string[] {
    return this.#patterns
  }
  /** Which of the suggested sets of patterns was chosen. */
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

  /** Whether a reason for rejecting is being asked for. */
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
    if (!on && this.#edited !== undefined) {
      this.#edited = undefined
      this.edited.reset()
    }
    this.#fault = undefined
  }
  /** The argument that is edited as text; "" when all of them are, as JSON. */
  readonly field: string = $derived.by(() => {
    const field = fieldOf(this.request.tool)
    return field && typeof objectOf(this.request.arguments)?.[field] === 'string' ? field : ''
  })
  /** The arguments as the agent gave them, in the form in which they are edited. */
  readonly original: string = $derived.by(() => {
    const args = objectOf(this.request.arguments)
    if (!args) return this.request.arguments
    return this.field ? (args[this.field] as string) : JSON.stringify(args, null, 2)
  })
  get text(): string {
    return this.#edited ?? this.original
  }
  set text(text: string) {
    this.#edited = text
    this.#fault = undefined
    if (!this.changed) this.edited.reset()
    else if (!this.problem) this.edited.typed(this.args)
  }
  readonly changed: boolean = $derived.by(() => (this.fork ? this.fork.changed : this.#edited !== undefined && this.#edited !== this.original))

  /** What is wrong with the decision as it stands, or "". */
  readonly problem: string = $derived.by(() => {
    if (!this.#rejecting && this.fork) return this.fork.problem
    if (!this.#rejecting && this.question) return this.question.problem
    if (this.changed && !this.#rejecting && !this.field && !objectOf(this.text)) return 'This is not a JSON object.'
    if (this.changed && !this.#rejecting && this.field === 'command' && this.text.trim() === '') return 'There is no command left.'
    if (!this.#rejecting && this.edited.parts.length > 0 && this.edited.left.length === this.edited.parts.length) return 'Nothing of the change is left: reject it instead.'
    if (this.#scope !== 'once' && (this.#patterns.length === 0 || this.#patterns.some((p) => p.trim() === ''))) return 'A rule needs a pattern.'
    return ''
  })

  /** Whether the decision is on its way, and its card stays until it has arrived. */
  get sending(): boolean {
    return this.#sending
  }
  set sending(on: boolean) {
    this.#sending = on
  }

  /** Why the last attempt did not go through. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  set fault(fault: Fault | undefined) {
    this.#fault = fault
  }

  /** Takes what was typed into the draft of the same request as it was before. */
  takeOver(was: Draft): void {
    this.#reason = was.reason
    this.#rejecting = was.rejecting
    if (was.request.arguments !== this.request.arguments || !was.editing) return
    this.#editing = true
    if (was.changed) this.text = was.text
  }

  decision(allow: boolean): approval.Decision {
    const wide = this.#scope !== 'once'
    return {
      allow,
      answer: allow && this.question ? this.question.answer : '',
      scope: this.#scope,
      patterns: wide ? this.#patterns.map((p) => p.trim()) : [],
      reason: allow ? '' : this.#reason.trim(),
      arguments: allow && this.changed ? this.args : '',
      left: allow ? this.edited.left : [],
    }
  }

  /** The arguments as they are now. */
  get args(): string {
    if (!this.changed) return this.request.arguments
    if (this.fork) return this.fork.arguments
    if (!this.field) return this.text
    return JSON.stringify({ ...objectOf(this.request.arguments), [this.field]: this.text })
  }
}

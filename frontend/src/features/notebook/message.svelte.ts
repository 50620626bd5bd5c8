import type { chat, event, notebook } from '$lib/backend/backend'
import { MarkdownDoc } from '$lib/ui/MarkdownDoc.svelte'

/**
 * MessageState is one message of an answer. Streamed text goes to its Markdown document, whose cost
 * depends only on the new text.
 */
export class MessageState {
  readonly role: string
  readonly doc = new MarkdownDoc()
  #reasoning = $state.raw<string>('')
  #toolCalls = $state.raw<notebook.ToolCallView[]>([])
  #view = $state.raw<Omit<notebook.MessageView, 'role' | 'text' | 'reasoning' | 'toolCalls'>>({})
  #streaming = $state.raw(false)
  #unfolded = $state.raw<{ readonly part: string }>()
  #thoughtFrom = 0
  #thoughtMs = $state.raw(0)

  constructor(role: string) {
    this.role = role
  }

  static of(view: notebook.MessageView): MessageState {
    const m = new MessageState(view.role)
    m.put(view)
    return m
  }

  get text(): string {
    void this.doc.length // computed again when the text grows
    return this.doc.text
  }
  get hasText(): boolean {
    return this.doc.length > 0
  }
  get reasoning(): string {
    return this.#reasoning
  }
  get toolCalls(): notebook.ToolCallView[] {
    return this.#toolCalls
  }
  get toolCallId(): string {
    return this.#view.toolCallId ?? ''
  }
  get name(): string {
    return this.#view.name ?? ''
  }
  get isError(): boolean {
    return this.#view.isError ?? false
  }
  get facts(): chat.CallFacts | undefined {
    return this.#view.facts
  }
  get internal(): boolean {
    return this.#view.internal ?? false
  }
  get truncated(): boolean {
    return this.#view.truncated ?? false
  }
  get tookMs(): number {
    return this.#view.tookMs ?? 0
  }
  /** The agents that its calls started. */
  startedBy(call: string): readonly notebook.ChildView[] {
    return this.#view.forks?.find((f) => f.call === call)?.children ?? []
  }
  get usage(): chat.Usage | undefined {
    return this.#view.usage
  }
  /** How long the model thought before it wrote, in milliseconds; 0 if nobody watched. */
  get thoughtMs(): number {
    return this.#thoughtMs
  }
  /** Whether it is thinking: only reasoning has arrived so far. */
  get thinking(): boolean {
    return this.#streaming && this.#reasoning !== '' && !this.hasText && this.#toolCalls.length === 0
  }
  get streaming(): boolean {
    return this.#streaming
  }

  /** The folded part that was last requested: its reasoning, its answer, or a tool call by id. */
  get unfolded(): { readonly part: string } | undefined {
    return this.#unfolded
  }
  /** unfold shows a folded part of it. */
  unfold(part: string): void {
    this.#unfolded = { part }
  }

  /** put sets the finished form. Streamed text stays as drawn. */
  put(view: notebook.MessageView): void {
    const { role: _role, text, reasoning, toolCalls, ...rest } = view
    this.doc.set(text ?? '')
    this.#reasoning = reasoning ?? ''
    this.#toolCalls = toolCalls ?? []
    this.#view = rest
    this.finish()
  }

  /** add appends a streamed delta. */
  add(delta: event.Delta): void {
    this.#streaming = true
    if (delta.reasoning) {
      this.#thoughtFrom ||= Date.now()
      this.#reasoning += delta.reasoning
    }
    if (delta.text || delta.toolCalls?.length) this.#endThought()
    if (delta.text) this.doc.append(delta.text)
    if (delta.toolCalls?.length) {
      const calls = this.#toolCalls.slice()
      for (const d of delta.toolCalls) {
        const had = calls[d.index] ?? { id: '', name: '', arguments: '' }
        calls[d.index] = {
          id: d.id || had.id,
          name: d.name || had.name,
          arguments: had.arguments + (d.arguments ?? ''),
        }
      }
      for (let i = 0; i < calls.length; i++) calls[i] ??= { id: '', name: '', arguments: '' }
      this.#toolCalls = calls
    }
  }

  /** finish notes that nothing more streams into it. */
  finish(): void {
    this.#endThought()
    this.#streaming = false
    this.doc.finish()
  }

  #endThought(): void {
    if (this.#thoughtFrom && !this.#thoughtMs) this.#thoughtMs = Date.now() - this.#thoughtFrom
  }
}

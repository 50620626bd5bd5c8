import type { approval } from '$lib/backend/backend'
import { comma, t } from '$lib/language/language'

/** QuestionDraft is the person's unsent answer: chosen options and a text of their own. */
export class QuestionDraft {
  readonly question: approval.Question
  #chosen = $state.raw<ReadonlySet<number>>(new Set())
  #text = $state('')

  constructor(question: approval.Question) {
    this.question = question
  }

  get choices(): readonly string[] {
    return this.question.choices ?? []
  }
  isChosen(index: number): boolean {
    return this.#chosen.has(index)
  }
  /** Selects a choice, or deselects it if several are allowed. */
  choose(index: number): void {
    if (!(index >= 0 && index < this.choices.length)) return
    if (!this.question.several) this.#chosen = new Set([index])
    else {
      const chosen = new Set(this.#chosen)
      if (!chosen.delete(index)) chosen.add(index)
      this.#chosen = chosen
    }
  }
  get text(): string {
    return this.#text
  }
  set text(text: string) {
    this.#text = text
  }
  /** Whether the person has begun to answer. */
  readonly begun: boolean = $derived.by(() => this.#chosen.size > 0 || this.#text.trim() !== '')

  /** The answer as the agent gets it: choices in their order, then the written text. */
  readonly answer: string = $derived.by(() => {
    const chosen = this.choices.filter((_, i) => this.#chosen.has(i)).join(comma)
    return [chosen, this.#text.trim()].filter(Boolean).join('\n\n')
  })
  readonly problem: string = $derived.by(() =>
    this.answer ? '' : this.choices.length ? t`Choose an answer, or write one.` : t`Write an answer.`,
  )
}

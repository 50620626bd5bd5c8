import type { textsearch } from '$lib/backend/backend'
import type { SearchTerms } from '$lib/find/searchTerms'

/** A key's request to the bar. */
export interface Asked {
  readonly step: -1 | 0 | 1
}

/** Whether a field has the focus, as that of the replacement: engines count its selected text as the page's. */
const inField = () => ['INPUT', 'TEXTAREA'].includes(globalThis.document?.activeElement?.tagName ?? '')

/** FindState is the search in the notebook on view. It stays when the bar is closed and in other notebooks. */
export class FindState implements SearchTerms {
  text = $state('')
  matchCase = $state(false)
  word = $state(false)
  regexp = $state(false)
  with = $state('')
  /** The replacement field is shown. */
  replacing = $state(false)
  #open = $state.raw(false)
  #asked = $state.raw<Asked>({ step: 0 })

  get open(): boolean {
    return this.#open
  }
  /** The last request of a key: to focus the bar (0), or to go to the next or the previous match. */
  get asked(): Asked {
    return this.#asked
  }
  get query(): textsearch.Query {
    return { text: this.text, case: this.matchCase, word: this.word, regexp: this.regexp }
  }

  /** show opens the bar with the selected text of the page, if it is one line and not in a field, and focuses it. */
  show(replacing = false): void {
    const selected = inField() ? '' : (globalThis.getSelection?.()?.toString() ?? '')
    if (selected.trim() !== '' && selected.length <= 200 && !selected.includes('\n') && !this.regexp) this.text = selected
    if (replacing) this.replacing = true
    this.#ask(0)
  }

  /** step goes to the next or the previous match. */
  step(by: -1 | 1): void {
    this.#ask(this.#open && this.text !== '' ? by : 0)
  }

  close(): void {
    this.#open = false
  }

  #ask(step: Asked['step']): void {
    this.#open = true
    this.#asked = { step }
  }
}

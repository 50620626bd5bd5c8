import { visible } from '$lib/ui/visible'
import { indented } from './jsonSpans'
import { t } from '$lib/language/language'

/**
 * The form in which a value is edited: a text, a number, a switch, a list of texts with one per
 * line, or otherwise JSON; "shown" cannot be edited.
 */
export type Form = 'text' | 'number' | 'switch' | 'lines' | 'json' | 'shown'

/** The form of a value. A list cannot have lines if one of its texts is empty or has several lines. */
export function formOf(value: unknown): Form {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : 'json'
  if (typeof value === 'boolean') return 'switch'
  const lines = Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === 'string' && v !== '' && !/[\r\n]/.test(v))
  return lines ? 'lines' : 'json'
}

const aNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Text as a text area holds it, with "\n" at the end of every line. */
const plainEnds = (text: string) => text.replace(/\r\n?/g, '\n')

/**
 * retyped returns a text that was edited in a text area: untouched lines keep their line endings,
 * and new lines get the same as the others.
 */
export function retyped(was: string, typed: string): string {
  if (!was.includes('\r')) return typed
  const units = was.match(/\r\n|[^]/g) ?? [] // a line ending counts as one unit, as in the text area
  let head = 0
  while (head < units.length && head < typed.length && plainEnds(units[head]!) === typed[head]) head++
  let tail = 0
  while (
    tail < units.length - head &&
    tail < typed.length - head &&
    plainEnds(units[units.length - 1 - tail]!) === typed[typed.length - 1 - tail]
  )
    tail++
  const end = was.includes('\r\n') && !/(^|[^\r])\n/.test(was) ? '\r\n' : '\n'
  return (
    units.slice(0, head).join('') + typed.slice(head, typed.length - tail).replaceAll('\n', end) + units.slice(units.length - tail).join('')
  )
}

/** The position of a field's value in the arguments, and its label. */
export interface Place {
  name: string
  label: string
  /** The description in the tool's schema, or "". */
  hint: string
  /** Code, whose lines do not wrap. */
  code: boolean
  from: number
  to: number
}

/** One argument of a call as the person edits it. */
export class Field {
  readonly place: Place
  readonly form: Form
  /** The agent's value in editable form. */
  readonly original: string
  readonly #json: string
  readonly #value: unknown
  readonly #onchange: () => void
  #typed = $state<string>()

  /** json is the text of the value, at place.from to place.to in the arguments. */
  constructor(place: Place, json: string, value: unknown, form: Form, onchange: () => void) {
    this.place = place
    this.form = form
    this.#json = json
    this.#value = value
    this.#onchange = onchange
    if (form === 'lines') this.original = (value as string[]).join('\n')
    else if (typeof value === 'string') this.original = plainEnds(value)
    else this.original = form === 'json' && value !== undefined ? indented(json) : json
  }

  get text(): string {
    return this.#typed ?? this.original
  }
  set text(text: string) {
    this.#typed = text
    this.#onchange()
  }
  /** Discards the typed text. */
  reset(): void {
    this.#typed = undefined
  }
  get changed(): boolean {
    return this.#typed !== undefined && this.#typed !== this.original
  }

  /** The problem of the typed text, or "". */
  readonly problem: string = $derived.by(() => {
    if (!this.changed) return ''
    if (this.form === 'number') return aNumber.test(this.text.trim()) ? '' : t`${this.place.label}: this is not a number.`
    return this.form === 'json' ? this.#jsonProblem() : ''
  })

  #jsonProblem(): string {
    let now: unknown
    try {
      now = JSON.parse(this.text)
    } catch (thrown) {
      return t`${this.place.label}: this is not JSON. ${thrown instanceof Error ? visible(thrown.message.slice(0, 200)) : ''}`.trim()
    }
    const isObject = (v: unknown) => typeof v === 'object' && v !== null && !Array.isArray(v)
    if ((this.place.name === '' || isObject(this.#value)) && !isObject(now)) return t`${this.place.label}: this is not a JSON object.`
    return Array.isArray(this.#value) && !Array.isArray(now) ? t`${this.place.label}: this is not a JSON list.` : ''
  }

  /** The value as JSON. An unchanged value keeps its text. */
  get json(): string {
    if (!this.changed) return this.#json
    const text = this.text
    if (this.form === 'text') return JSON.stringify(retyped(this.#value as string, text))
    if (this.form === 'lines') return JSON.stringify(text.split('\n').filter((line) => line !== ''))
    return text.trim()
  }
}

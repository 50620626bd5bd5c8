import { visible } from '$lib/ui/visible'
import { indented } from './jsonSpans'
import { t } from '$lib/language/language'

/**
 * How a value is edited: a text, a number, a switch, a list of texts with one
 * per line, or JSON where it has no such form; "shown" is not edited at all.
 */
export type Form = 'text' | 'number' | 'switch' | 'lines' | 'json' | 'shown'

/** The form for a value. A list with a text that is empty or has several lines has none. */
export function formOf(value: unknown): Form {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : 'json'
  if (typeof value === 'boolean') return 'switch'
  const lines = Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === 'string' && v !== '' && !/[\r\n]/.test(v))
  return lines ? 'lines' : 'json'
}

const aNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Text as a text area has it, where every line ends with "\n". */
const plainEnds = (text: string) => text.replace(/\r\n?/g, '\n')

/**
 * retyped gives a text after it was edited in a text area: what was not touched
 * keeps its line ends, and new lines end as the others do.
 */
export function retyped(was: string, typed: string): string {
  if (!was.includes('\r')) return typed
  const units = was.match(/\r\n|[^]/g) ?? [] // a line end is one, as it is in the text area
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

/** Where a field's value stands in the arguments, and its label. */
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
  /** The agent's value as it is edited. */
  readonly original: string
  readonly #json: string
  readonly #value: unknown
  readonly #onchange: () => void
  #typed = $state<string>()

  /** json is the text of the value, from place.from to place.to of the arguments. */
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
  /** Forgets what was typed. */
  reset(): void {
    this.#typed = undefined
  }
  get changed(): boolean {
    return this.#typed !== undefined && this.#typed !== this.original
  }

  /** The problem of what was typed, or "". */
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

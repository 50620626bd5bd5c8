import { count } from '$lib/format/number'
import { visible } from '$lib/ui/visible'
import { toolOf } from '$lib/tools'
import { Field, formOf, type Form } from './field.svelte'
import { spansOf, type Span } from './jsonSpans'
import { objectOf, type Request } from './words'
import { t } from '$lib/language/language'

/** Fields that belong together. */
export interface Group {
  /** "" for the arguments of the call itself. */
  title: string
  fields: readonly Field[]
}

/** With more arguments than this, or more objects in a list, they are edited as JSON. */
const maxFields = 100

/** Labels of the built-in tools' arguments, by tool and name; an argument in a list has the list's name before its own. */
const labels: Record<string, string> = {
  'shell.command': t`The command`,
  'shell.timeout_seconds': t`Timeout in seconds`,
  'shell.background': t`Run in the background`,
  'write_file.content': t`The whole new content`,
  'write_file.uri': t`File`,
  'edit_file.uri': t`File`,
  'edit_file.edits.old': t`Old text`,
  'edit_file.edits.new': t`New text`,
  'edit_file.edits.all': t`Replace every occurrence`,
  'mkdir.uri': t`Folder`,
  'call_agent.agent': t`Agent`,
}
const items: Record<string, string> = { 'edit_file.edits': t`Replacement` }
/** The argument to edit first. */
const main = ['shell.command', 'write_file.content']
/** Shown but not editable: with another file it would be another call. */
const shown = ['write_file.uri', 'edit_file.uri']
const code = ['shell.command', 'write_file.content', 'edit_file.edits.old', 'edit_file.edits.new']

/** A name as words: "maxDepth" and "max_depth" are "Max depth". */
export function wordsOf(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[\s_.-]+/g, ' ')
    .trim()
    .slice(0, 80)
  const low = words.replace(/\p{Lu}\p{Ll}+|(?<=^|\s)\p{Lu}(?=\s|$)/gu, (word) => word.toLowerCase()) // abbreviations stay
  return visible(low === '' ? `“${name}”` : low[0]!.toUpperCase() + low.slice(1))
}

/** Fields are the arguments of a call, each edited in its own form. */
export class Fields {
  readonly groups: readonly Group[]
  readonly #request: Request
  readonly #args: Record<string, unknown> | undefined
  readonly #onchange: () => void

  /** onchange is called after each change of a field. */
  constructor(request: Request, onchange: () => void) {
    this.#request = request
    this.#onchange = onchange
    this.#args = objectOf(request.arguments)
    const names = Object.keys(this.#args ?? {})
    this.groups = names.length === 0 || names.length > maxFields ? [{ title: '', fields: [this.#whole()] }] : this.#byName()
  }

  /** All arguments as one text, if they are not an object, too many, or none. */
  #whole(): Field {
    const json = this.#request.arguments
    return new Field(
      { name: '', label: t`The arguments, as JSON`, hint: '', code: true, from: 0, to: json.length },
      json,
      this.#args,
      'json',
      this.#onchange,
    )
  }

  #byName(): Group[] {
    const json = this.#request.arguments
    const own: Field[] = []
    const lists: Group[] = []
    for (const span of spansOf(json)) {
      const value: unknown = JSON.parse(json.slice(span.from, span.to))
      const rows = this.#rowsOf(span, value)
      if (rows) lists.push(...rows)
      else own.push(this.#field(span, span.name, value))
    }
    const rank = (f: Field) => (f.form === 'shown' ? 0 : main.includes(`${this.#request.tool}.${f.place.name}`) ? 1 : 2)
    own.sort((a, b) => rank(a) - rank(b))
    return own.length > 0 ? [{ title: '', fields: own }, ...lists] : lists
  }

  /** The fields of a list of flat objects; undefined for anything else. */
  #rowsOf(span: Span, value: unknown): Group[] | undefined {
    if (!Array.isArray(value) || value.length === 0 || value.length > maxFields) return undefined
    const flat = (v: unknown) =>
      typeof v === 'object' &&
      v !== null &&
      !Array.isArray(v) &&
      Object.keys(v).length > 0 &&
      Object.values(v).every((x) => x === null || formOf(x) !== 'json')
    if (!value.every(flat)) return undefined
    const json = this.#request.arguments
    const title = items[`${this.#request.tool}.${span.name}`] ?? wordsOf(span.name)
    return spansOf(json, span.from).map((row, i) => ({
      title: value.length === 1 ? title : t`${title} ${count(i + 1)} of ${count(value.length)}`,
      fields: spansOf(json, row.from).map((s) => this.#field(s, `${span.name}.${s.name}`, JSON.parse(json.slice(s.from, s.to)))),
    }))
  }

  #field(span: Span, name: string, value: unknown): Field {
    const full = `${this.#request.tool}.${name}`
    const form: Form = shown.includes(full) && typeof value === 'string' ? 'shown' : formOf(value)
    const label = (labels[full] ?? wordsOf(span.name)) + (form === 'json' ? t`, as JSON` : '')
    const place = {
      name,
      label,
      hint: labels[full] ? '' : this.#hint(name),
      code: form === 'json' || code.includes(full),
      from: span.from,
      to: span.to,
    }
    return new Field(place, this.#request.arguments.slice(span.from, span.to), value, form, this.#onchange)
  }
  /** The description of an argument in the tool's schema, or "". */
  #hint(name: string): string {
    return visible(this.#request.described?.[name]?.slice(0, 300) ?? '')
  }

  get all(): readonly Field[] {
    return this.groups.flatMap((g) => g.fields)
  }
  /** The field of an argument, the first one if there are several. */
  named(name: string): Field | undefined {
    return this.all.find((f) => f.place.name === name)
  }
  readonly changed: boolean = $derived.by(() => this.all.some((f) => f.changed))

  /** The first problem of the fields, or "". */
  readonly problem: string = $derived.by(() => {
    const wrong = this.all.find((f) => f.problem !== '')
    if (wrong) return wrong.problem
    const command = toolOf(this.#request.tool)?.as === 'command' ? this.named('command') : undefined
    return command?.changed && command.text.trim() === '' ? t`There is no command left.` : ''
  })

  /** The arguments with all changes as JSON. Unchanged values keep their text. */
  get json(): string {
    let json = this.#request.arguments
    for (const f of this.all.filter((f) => f.changed).sort((a, b) => b.place.from - a.place.from))
      json = json.slice(0, f.place.from) + f.json + json.slice(f.place.to)
    return json
  }

  /** Discards all typed text. */
  reset(): void {
    for (const f of this.all) f.reset()
  }
  /** Copies the changes from older fields of the same arguments. */
  takeOver(was: Fields): void {
    const now = this.all
    was.all.forEach((f, i) => {
      if (f.changed && now[i]) now[i].text = f.text
    })
  }
}

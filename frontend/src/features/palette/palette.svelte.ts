import { plural } from '$lib/format/number'
import type { Choice, Entry, FoundEntries, Kind, Look, Sources, Step } from './entry'
import { kinds } from './entry'
import { match, searched, wordsOf, type Searched } from './score'
import { comma, t } from '$lib/language/language'

/** A drawn line: an entry with its matching letters. */
export interface Line {
  entry: Entry
  at: readonly number[]
}
export interface Group {
  name: string
  lines: readonly Line[]
  /** The number of matches; those that are not drawn are left to the group's own search. */
  total: number
}

export const kindNames: Record<Kind, string> = {
  command: t`Commands`,
  agent: t`Agents`,
  cell: t`Cells`,
  file: t`Files`,
  setting: t`Settings`,
}
/** The text shown for a kind while it has no entries. */
const nothingYet: Record<Kind, string> = {
  command: t`No command can be used now.`,
  agent: t`No agents in this folder yet. The command “New agent” makes one.`,
  cell: t`No cells yet. Prompts and answers of all agents are found here once they are written.`,
  file: t`No files in this folder yet. What you or an agent puts there is found here.`,
  setting: t`No setting can be changed now.`,
}
/** The sign to type first to search only one kind. */
export const prefixes: Record<string, Kind> = { '>': 'command', '@': 'agent', '#': 'cell', '/': 'file' }

/** The number of entries drawn per group, among others and alone. */
const few = 3
const many = 60
const fewRecent = 6
/** The delay until notebooks that are being read are requested again, in milliseconds. */
const againMs = 300
/** How long typing rests before a step requests its choices, in milliseconds. */
const askMs = 80

/** An earlier step, to go back to. */
interface Gone {
  step: Step
  /** The text typed before it and the choice made: an entry or a choice of the previous step. */
  before: string
  from: string
  /** The requested choices of the previous step at that time. */
  told: readonly Choice[]
}

interface Known {
  entry: Entry
  label: Searched
  words: Searched
}

const nothing: FoundEntries = { entries: [], total: 0 }

/** PaletteState is the open palette: the typed text, the results, and the current line. */
export class PaletteState {
  #sources: Sources
  #known = $state.raw<readonly Known[]>([])
  #text = $state('')
  /** The steps so far; the last one is on view. */
  #steps = $state.raw<readonly Gone[]>([])
  /** The matching choices that the step requested. */
  #told = $state.raw<readonly Choice[]>([])
  #at = $state(0)
  #recent = $state.raw<readonly Entry[]>([])
  #cells = $state.raw<FoundEntries>(nothing)
  #files = $state.raw<FoundEntries>(nothing)
  #asking = $state(0)
  #asked: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(sources: Sources) {
    this.#sources = sources
    this.#list()
  }

  /** Uses new sources, as when the notebook on view has loaded; the text, the step and the cursor stay. */
  use(sources: Sources): void {
    if (sources === this.#sources) return
    this.#sources = sources
    this.#list(true)
  }

  /** again: while it is on view, so that the cursor stays on its line even if it was not moved. */
  #list(again = false): void {
    const sources = this.#sources
    const recent = sources.recent()
    const atOnce = recent.filter((entry): entry is Entry => !(entry instanceof Promise))
    this.#keepLine(() => {
      this.#known = sources
        .here()
        .map((entry) => ({ entry, label: searched(entry.label), words: searched(`${entry.label} ${entry.words ?? ''}`) }))
      // Entries that are known at once appear in the first frame; earlier ones stay until all are known.
      if (this.#recent.length === 0 || atOnce.length === recent.length) this.#recent = atOnce
    }, again)
    if (atOnce.length < recent.length)
      void Promise.all(recent.map((entry) => Promise.resolve(entry).catch(() => null))).then((all) => {
        if (sources === this.#sources) this.#keepLine(() => (this.#recent = all.filter((entry) => entry !== null)))
      })
  }

  /** Changes the lines; a cursor that was moved, or any with always, stays on its line. */
  #keepLine(change: () => void, always = false): void {
    const on = (always || this.#at > 0) && !this.step ? this.line?.entry : undefined
    change()
    const at = on ? this.lines.findIndex(({ entry }) => entry.id === on.id) : -1
    if (at > 0) this.#at = at
  }

  get text(): string {
    return this.#text
  }
  set text(text: string) {
    this.#text = text
    this.#at = 0
    this.#ask()
  }
  /** The only kind to search. */
  get only(): Kind | undefined {
    return this.step ? undefined : prefixes[this.#text[0] ?? '']
  }
  /** The text to search for. */
  get query(): string {
    return (this.only ? this.#text.slice(1) : this.#text).trim()
  }
  get step(): Step | undefined {
    return this.#steps.at(-1)?.step
  }
  /** A search is still running. */
  get busy(): boolean {
    return this.#asking > 0 || this.#cells.reading === true
  }
  /** The position of the cursor among the lines, or among the choices of the step. */
  get at(): number {
    return Math.max(0, Math.min(this.#at, (this.step ? this.choices.length : this.lines.length) - 1))
  }
  set at(at: number) {
    this.#at = at
  }

  readonly groups: readonly Group[] = $derived.by(() => {
    const { only, query } = this
    const words = wordsOf(query)
    const groups: Group[] = []
    const used = new Set<string>()
    if (!only) {
      const lines = this.#recent.flatMap((entry) => {
        const found = match(searched(entry.label), words)
        return found ? [{ entry, at: found.at }] : []
      })
      const shown = lines.slice(0, query ? few : fewRecent)
      for (const { entry } of shown) used.add(entry.id)
      groups.push({ name: t`Recent`, lines: shown, total: shown.length })
    }
    for (const kind of kinds) {
      if (only && kind !== only) continue
      // Without a word, only what is at hand is shown, not everything.
      if (!query && !only && kind !== 'command' && kind !== 'agent') continue
      const { lines, total } = kind === 'cell' || kind === 'file' ? this.#marked(kind, words) : this.#matching(kind, words)
      const left = lines.filter(({ entry }) => !used.has(entry.id))
      groups.push({ name: kindNames[kind], lines: left.slice(0, only ? many : few), total: total - (lines.length - left.length) })
    }
    return groups.filter(({ lines }) => lines.length > 0)
  })

  /** The lines of all groups, in order. */
  readonly lines: readonly Line[] = $derived(this.groups.flatMap(({ lines }) => lines))

  /** The choices of the step that match. */
  readonly choices: readonly { choice: Choice; at: readonly number[] }[] = $derived.by(() => {
    const words = wordsOf(this.#text)
    const { step } = this
    if (step?.typed) {
      const told = this.#told.filter(({ label }) => label !== this.#text)
      return [
        { choice: step.typed(this.#text), at: [] },
        ...told.map((choice) => ({ choice, at: match(searched(choice.label), words)?.at ?? [] })),
      ]
    }
    return (step?.choices ?? []).flatMap((choice) => {
      const found = match(searched(choice.label), words)
      return found ? [{ choice, at: found.at }] : []
    })
  })

  get line(): Line | undefined {
    return this.lines[this.at]
  }

  /** The text in place of the lines while there are none. */
  readonly empty: string = $derived.by(() => {
    if (this.busy) return t`Searching…`
    if (!this.query) return nothingYet[this.only ?? 'command']
    const said = t`Nothing matches “${this.query}”.`
    return this.only
      ? t`${said} Without the first sign everything is searched.`
      : t`${said} Agents, cells, files, commands and settings are searched: with fewer letters there is more.`
  })

  /** The announcement for screen readers once the search has ended. */
  readonly said: string = $derived.by(() => {
    if (this.step) return [...(this.step.typed ? [this.step.search] : []), plural(this.choices.length, 'choice')].join(comma)
    if (this.busy) return ''
    const total = this.groups.reduce((sum, group) => sum + group.total, 0)
    return total ? plural(total, 'result') : t`Nothing found`
  })

  #matching(kind: Kind, words: readonly Searched[]): { lines: Line[]; total: number } {
    const found = this.#known.flatMap(({ entry, label, words: all }) => {
      if (entry.kind !== kind) return []
      const own = match(label, words)
      if (!own && !words.every((word) => all.lower.includes(word.lower))) return []
      const score = (own?.score ?? 100) - (entry.off ? 150 : 0)
      return [{ entry, at: own?.at ?? [], score }]
    })
    if (words.length) found.sort((a, b) => b.score - a.score)
    return { lines: found, total: found.length }
  }

  /** Entries found elsewhere, with their matching letters. */
  #marked(kind: 'cell' | 'file', words: readonly Searched[]): { lines: Line[]; total: number } {
    const { entries, total } = kind === 'cell' ? this.#cells : this.#files
    return { lines: entries.map((entry) => ({ entry, at: match(searched(entry.label), words)?.at ?? [] })), total }
  }

  #ask(): void {
    this.#asked?.abort()
    clearTimeout(this.#timer)
    const { only, query, step } = this
    if (step?.ask) this.#tell(step.ask, this.#text)
    const wanted = (kind: Kind) => !step && query !== '' && (only === undefined || only === kind)
    if (!wanted('cell')) this.#cells = nothing
    if (!wanted('file')) this.#files = nothing
    if (!wanted('cell') && !wanted('file')) return
    const asked = (this.#asked = new AbortController())
    const { signal } = asked
    const take = (found: Promise<FoundEntries>, set: (found: FoundEntries) => void) => {
      this.#asking++
      // A failed search is left out: the other groups are still useful.
      void found
        .catch(() => nothing)
        .then((found) => {
          this.#asking--
          if (!signal.aborted) set(found)
        })
    }
    if (wanted('file')) take(this.#sources.files(query, signal), (found) => (this.#files = found))
    if (wanted('cell'))
      take(this.#sources.cells(query, signal), (found) => {
        this.#cells = found
        if (found.reading) this.#timer = setTimeout(() => this.#ask(), againMs)
      })
  }

  /** Requests the choices of the step once typing rests. */
  #tell(ask: (text: string) => Promise<readonly Choice[]>, text: string): void {
    const { signal } = (this.#asked = new AbortController())
    this.#timer = setTimeout(() => {
      // If the request fails, the typed text can still be used without choices.
      void ask(text)
        .catch(() => [])
        .then((told) => {
          if (signal.aborted) return
          const on = this.choices[this.at]?.choice.id
          this.#told = told
          // The cursor stays on its choice, or goes to the typed text.
          this.#at = Math.max(
            0,
            this.choices.findIndex(({ choice }) => choice.id === on),
          )
        })
    }, askMs)
  }

  /** Moves the cursor by lines, wrapping around. Lines that cannot be chosen say why, so they are not skipped. */
  move(by: number, round = true): void {
    const n = this.step ? this.choices.length : this.lines.length
    if (n === 0) return
    const to = this.at + by
    this.#at = round ? (to + n) % n : Math.max(0, Math.min(n - 1, to))
  }

  /** Opens the choices of a line; false if it has none. */
  enter(line = this.line): boolean {
    if (this.step || !line?.entry.step || line.entry.off) return false
    this.#sources.chosen(line.entry)
    this.#go(line.entry.step(), line.entry.id)
    return true
  }

  #go(step: Step, from: string): void {
    this.#steps = [...this.#steps, { step, before: this.#text, from, told: this.#told }]
    this.#told = []
    this.#text = ''
    this.#at = Math.max(
      0,
      step.choices.findIndex((choice) => choice.now),
    )
    this.#ask()
  }

  /** Takes a choice: shows its next step, or returns what to do once the palette is closed. */
  take(choice: Choice | undefined): (() => void) | undefined {
    if (!choice || choice.off) return undefined
    if (choice.next) this.#go(choice.next(), choice.id)
    return choice.run
  }

  /** Goes back from the choices to the text typed before; false if there is nothing to go back to. */
  back(): boolean {
    const gone = this.#steps.at(-1)
    if (!gone) return false
    this.#steps = this.#steps.slice(0, -1)
    this.text = gone.before
    // It is requested again; until then, show the earlier choices.
    this.#told = gone.told
    const ids = this.step ? this.choices.map(({ choice }) => choice.id) : this.lines.map(({ entry }) => entry.id)
    this.#at = Math.max(0, ids.indexOf(gone.from))
    return true
  }

  /** Chooses a line: shows its step, or returns what to do once the palette is closed. */
  choose(line = this.line): (() => void) | undefined {
    if (!line || line.entry.off || this.enter(line)) return undefined
    this.#sources.chosen(line.entry)
    return line.entry.run
  }

  look(entry: Entry): Look | Promise<Look> {
    return entry.look()
  }

  stop(): void {
    this.#asked?.abort()
    clearTimeout(this.#timer)
  }
}

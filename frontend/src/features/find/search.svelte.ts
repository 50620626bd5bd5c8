import { Fault, type documents } from '$lib/backend/backend'
import { plural } from '$lib/format/number'
import type { SearchedBook } from './searched'
import type { FindState } from './find.svelte'
import type { Hit } from './painter'
import { reveal, type SearchedView } from './reveal'
import { t } from '$lib/language/language'

/** How long typing rests before a search, in milliseconds, and the delay after an agent wrote. */
const TYPED_MS = 90
const WRITTEN_MS = 500

/** The end of a replacement in a prompt, in UTF-16 units. */
interface Replacing {
  readonly cell: string
  readonly end: number
}

/** Search finds text in one notebook, steps from match to match, and replaces in prompts. */
export class Search {
  readonly #find: FindState
  readonly #book: SearchedBook
  readonly #view: SearchedView
  #hits = $state.raw<readonly Hit[]>([])
  #partial = $state.raw(false)
  #current = $state.raw(-1)
  #fault = $state.raw<Fault>()
  #done = $state.raw('')
  #searched = $state.raw(false)
  #busy = false
  #again: 'typed' | 'written' | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn = 0
  #stopped = false
  /** The cell at which the search began: the first match at or below it comes first. */
  readonly #start: string
  /** Whether a step was taken since the last typing; otherwise the search begins at the start. */
  #stepped = false
  /** The last replacement. The next search continues behind it, because the new text may match again. */
  #replaced: Replacing | undefined

  constructor(find: FindState, book: SearchedBook, view: SearchedView, start: string) {
    this.#find = find
    this.#book = book
    this.#view = view
    this.#start = start
  }

  /** The number of matches. */
  get total(): number {
    return this.#hits.length
  }
  /** There are more matches. */
  get partial(): boolean {
    return this.#partial
  }
  /** The number of the current match, from 1; 0: none. */
  get number(): number {
    return this.#current + 1
  }
  /** Whether the typed text has been searched. */
  get searched(): boolean {
    return this.#searched
  }
  /** Why the search failed. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** The result of the last replacement. */
  get done(): string {
    return this.#done
  }
  get current(): Hit | undefined {
    return this.#hits[this.#current]
  }
  /** The number of matches in prompts. */
  readonly inPrompts: number = $derived.by(() => this.#hits.filter((h) => this.#mayReplace(h)).length)
  /** Whether the current match is in a prompt that can be edited. */
  get replaceable(): boolean {
    return this.current !== undefined && this.#mayReplace(this.current)
  }

  #mayReplace(hit: Hit): boolean {
    const cell = this.#book.cell(hit.text.cell)
    return hit.text.kind === 'prompt' && cell !== undefined && !cell.compaction && (!cell.live || cell.live.queued)
  }

  /** typed searches for the typed text, soon. */
  typed(): void {
    this.#done = ''
    this.#stepped = false
    this.#replaced = undefined
    this.#later('typed', TYPED_MS)
  }
  /** written searches again because the notebook changed. The page does not scroll. */
  written(): void {
    if (this.#find.text !== '') this.#later('written', WRITTEN_MS)
  }

  /** step goes to the next or previous match, wrapping around. Pending typing is searched first. */
  async step(by: -1 | 1): Promise<void> {
    if (this.#again === 'typed') return void (await this.#now())
    if (this.#hits.length === 0) return
    this.#stepped = true
    this.#current = (this.#current + by + this.#hits.length) % this.#hits.length
    await this.#reveal()
  }

  /** replace replaces the current match and goes to the next one. */
  async replace(): Promise<void> {
    const hit = this.current
    if (!hit || !this.replaceable) return
    await this.#replace({ cell: hit.text.cell, at: hit.text.matches[hit.n]!.at })
    if (this.#hits.length) await this.#reveal()
  }

  /** replaceAll replaces all matches in prompts. */
  async replaceAll(): Promise<void> {
    const done = await this.#replace({})
    if (!done) return
    this.#done = t`Replaced ${plural(done.places, 'place')}.`
    if (done.left === 1) this.#done += t` 1 place stays: it is in a summary or in a prompt that runs.`
    else if (done.left > 1) this.#done += t` ${done.left} places stay: they are in summaries or in prompts that run.`
  }

  async #replace(where: Partial<documents.Replacement>): Promise<documents.Replaced | undefined> {
    const { query, with: replacement } = this.#find
    const done = await this.#book.intents.replaceText({ query, with: replacement, ...where })
    // After all are replaced the search begins again.
    if (where.cell === undefined) this.#stepped = false
    else if (done && done.places > 0) this.#replaced = { cell: where.cell, end: done.end }
    await this.#now()
    return done
  }

  stop(): void {
    this.#stopped = true
    this.#turn++
    clearTimeout(this.#timer)
    this.#view.painter.stop()
  }

  #later(why: 'typed' | 'written', ms: number): void {
    if (why === 'written' && this.#again) return
    this.#again = why
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#now(), ms)
  }

  /** Searches now, or after the running search. */
  async #now(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#busy || this.#stopped) {
      this.#again ??= 'written'
      return
    }
    this.#busy = true
    const why = this.#again
    this.#again = undefined
    const replaced = this.#replaced
    this.#replaced = undefined
    const { query } = this.#find
    try {
      if (query.text === '') this.#put(undefined)
      else {
        await this.#book.flush()
        const found = await this.#book.backend.call.FindText(this.#book.path, query)
        if (!this.#stopped) this.#put(found, replaced)
      }
      this.#fault = undefined
    } catch (thrown) {
      if (!this.#stopped) {
        this.#put(undefined)
        this.#fault = Fault.from(thrown)
      }
    } finally {
      this.#busy = false
    }
    if (this.#stopped) return
    this.#searched = query.text !== '' && !this.#fault
    if (this.#again) return void this.#later(this.#again, TYPED_MS)
    if (why === 'typed' && this.current) await this.#reveal()
  }

  #put(found: documents.Found | undefined, replaced?: Replacing): void {
    // The match after a replacement stays the current one in later searches.
    if (replaced) this.#stepped = true
    const before = this.current
    const place = this.#current
    const texts = found?.texts ?? []
    this.#hits = texts.flatMap((text) => text.matches.map((_, n) => ({ text, n })))
    this.#partial = found?.partial ?? false
    if (this.#hits.length === 0) this.#current = -1
    else if (replaced) this.#current = this.#behind(replaced)
    else this.#current = this.#stepped && before ? this.#same(before, place) : this.#first()
    this.#view.painter.show(texts, this.current)
  }

  /** The match that was current, or the one that took its place. */
  #same({ text, n }: Hit, place: number): number {
    const is = (t: documents.FoundText) => t.cell === text.cell && t.kind === text.kind && t.index === text.index && t.call === text.call
    const at = text.matches[n]!.at
    const same = this.#hits.findIndex((h) => is(h.text) && h.text.matches[h.n]!.at >= at)
    return same >= 0 ? same : Math.min(place, this.#hits.length - 1)
  }

  /** The first match behind a replacement, or else the first one of all. */
  #behind({ cell, end }: Replacing): number {
    const order = this.#order()
    const at = order.get(cell) ?? 0
    const follows = ({ text, n }: Hit) =>
      text.cell === cell ? text.kind !== 'prompt' || text.matches[n]!.at >= end : (order.get(text.cell) ?? 0) > at
    return Math.max(0, this.#hits.findIndex(follows))
  }

  #order(): ReadonlyMap<string, number> {
    return new Map(this.#book.cells.map((c, i) => [c.id, i]))
  }

  #first(): number {
    const order = this.#order()
    const start = order.get(this.#start) ?? 0
    return Math.max(
      0,
      this.#hits.findIndex((h) => (order.get(h.text.cell) ?? 0) >= start),
    )
  }

  async #reveal(): Promise<void> {
    const hit = this.current
    if (!hit) return
    const turn = ++this.#turn
    const texts = [...new Set(this.#hits.map((h) => h.text))]
    this.#view.painter.show(texts, hit)
    const goes = () => turn === this.#turn && !this.#stopped
    try {
      const around = await reveal(this.#book, this.#view, hit, goes)
      if (!goes()) return
      this.#view.painter.show(texts, hit)
      if (around) this.#view.painter.outline(around)
    } catch (thrown) {
      this.#book.say(thrown)
    }
  }
}

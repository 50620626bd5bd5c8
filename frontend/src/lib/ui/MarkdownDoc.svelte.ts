import { untrack } from 'svelte'
import { CodeLook } from './CodeLook.svelte'
import type { Block, BlockSplitter } from './MarkdownBlocks'
import type { References } from './MarkdownHtml'
import type { Section } from './MarkdownSection'

const SECTION_CHARS = 6000
const SLICE = 32 * 1024
const LONG_BLOCK = 8 * 1024
/** Uncut text of more than this gets room on the page; less arrives before anybody could see that. */
const MUCH = 2000
/** The share of time that parsing may take is one in this many, so that a long last block does not stall the window. */
const DUTY = 8

/** Cuts Markdown into blocks and renders them. */
export interface MarkdownParser {
  splitter(): BlockSplitter
  section(blocks: readonly Block[]): Section
  toHTML(src: string, references: References): string
  /** Closes markup that is open at the end of a text. */
  closeOpen(src: string): string
  /** The text as a slice of the whole, if it is one at that position. */
  shared(text: string, at: number, whole: string): string
}

let parser: MarkdownParser | undefined

/** Sets the parser of documents. MarkdownParser.ts does this when Markdown is shown: a window that shows none loads none. */
export function parseWith(p: MarkdownParser): void {
  parser = p
}

/** Documents are cut only while they are shown, which loads the parser. */
const parsing = (): MarkdownParser => parser!

/**
 * MarkdownDoc is Markdown text that may grow. It is cut into blocks only while shown; adding text
 * costs only the added text and the last block.
 */
export class MarkdownDoc {
  #parts: string[] = []
  #length = $state.raw(0)
  #finished = $state.raw(true)
  #sections = $state.raw<readonly Section[]>([])
  #open = $state.raw<readonly Block[]>([])
  #tail = $state.raw<readonly Block[]>([])
  #epoch = $state.raw(0)
  #epochRefs = 0
  #behind = $state.raw(false)
  #later = $state.raw(0)
  /** Made by the first cut: most tool results are never shown as Markdown. */
  #cutter: BlockSplitter | undefined
  #openChars = 0
  #pending: string[] = []
  #waiting = 0
  #shown = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #notBefore = 0
  #looks: Map<number, CodeLook> | undefined

  get #splitter(): BlockSplitter {
    return (this.#cutter ??= parsing().splitter())
  }

  constructor(text = '') {
    if (text) this.set(text)
  }

  /** The length in UTF-16 units. */
  get length(): number {
    return this.#length
  }
  /** Whether no more text is expected. */
  get finished(): boolean {
    return this.#finished
  }
  /** Whether much text is not cut into blocks yet. */
  get behind(): boolean {
    return this.#behind
  }
  /** How many UTF-16 units are still not cut after the next slice. */
  get later(): number {
    return this.#later
  }
  get sections(): readonly Section[] {
    return this.#sections
  }
  /** Settled blocks after the last section. */
  get open(): readonly Block[] {
    return this.#open
  }
  /** Blocks that may still change. */
  get tail(): readonly Block[] {
    return this.#tail
  }
  /** The position where the last section ends and later blocks begin. */
  get end(): number {
    const last = this.#sections.at(-1)
    return last ? last.id + last.chars : 0
  }

  /** The CodeLook of the code block that starts at a position. */
  look(block: number): CodeLook {
    const looks = (this.#looks ??= new Map<number, CodeLook>())
    const look = looks.get(block) ?? new CodeLook()
    looks.set(block, look)
    return look
  }

  get text(): string {
    if (this.#parts.length > 1) this.#parts = [this.#parts.join('')]
    return this.#parts[0] ?? ''
  }

  append(text: string): void {
    if (text === '') return
    this.#parts.push(text)
    this.#pending.push(text)
    this.#length += text.length
    this.#finished = false
    this.#wait(this.#waiting + text.length)
    if (this.#shown > 0) this.#soon()
  }

  /** set replaces the text. If it only adds to it, the drawn blocks stay. */
  set(text: string): void {
    const had = this.text
    if (text === had) return
    if (!text.startsWith(had)) this.#reset()
    this.append(text.slice(this.#length))
    this.finish()
  }

  /** finish notes that no more text follows. */
  finish(): void {
    this.#finished = true
    // Text that is not shown is stored once, not in the pieces in which it arrived.
    const rest = this.#pending.length > 1 ? this.#pending.join('') : ''
    if (rest) this.#pending = rest.length === this.#length ? [this.text] : [rest]
    if (this.#shown > 0 && performance.now() < this.#notBefore) {
      // Nothing follows that could be drawn with it.
      this.#notBefore = 0
      untrack(this.#work)
    }
    this.#share()
    this.#resolve()
  }

  /** show marks the text as shown; the returned function ends that. */
  show(): () => void {
    this.#shown++
    untrack(this.#work)
    return () => {
      this.#shown--
    }
  }

  /** flush cuts all pending text at once. */
  flush(): void {
    while (this.#pending.length > 0) this.#step(Infinity)
  }

  /** cutTo cuts pending text up to a position at once, to scroll there. */
  cutTo(at: number): void {
    while (this.#pending.length > 0 && this.#length - this.#waiting <= at) this.#step(SLICE)
  }

  /** shown returns the text drawn for a block; incomplete markup at the end of the last one is closed. */
  shown(block: Block, settled: boolean): string {
    return !settled && block === this.#tail.at(-1) ? parsing().closeOpen(block.src) : block.src
  }

  /** html renders the shown text of a block. A block with possible links is rendered again when definitions appear below. */
  html(shown: string, settled: boolean): string {
    if (shown.includes('[')) void (settled ? this.#epoch : this.#tail)
    // Once the text is complete, a mark without a note is plain text.
    const open = shown.includes('[^') && !this.#finished
    return parsing().toHTML(shown, { references: Object.create(this.#splitter.tailEnv.references) as Record<string, unknown>, open })
  }

  #wait(chars: number): void {
    this.#waiting = chars
    this.#behind = chars > MUCH
    this.#later = Math.max(0, chars - SLICE)
  }

  /** Once the text is complete, blocks share its memory instead of their own pieces. */
  #share(): void {
    if (!this.#cutter || !this.#finished || this.#pending.length > 0) return
    const whole = this.text
    for (const section of this.#sections) section.share(whole)
    for (const block of [...this.#open, ...this.#tail]) (block as { src: string }).src = parsing().shared(block.src, block.id, whole)
  }

  /** Once the text is complete, earlier blocks see link definitions below them. */
  #resolve(): void {
    if (!this.#cutter || !this.#finished || this.#pending.length > 0) return
    const refs = this.#splitter.refs + Object.keys(this.#splitter.tailEnv.references).length
    if (refs === this.#epochRefs) return
    this.#epochRefs = refs
    this.#epoch++
  }

  #reset(): void {
    this.#parts = []
    this.#pending = []
    this.#wait(0)
    this.#length = 0
    this.#sections = []
    this.#open = []
    this.#openChars = 0
    this.#tail = []
    this.#cutter = undefined
    this.#epochRefs = 0
    this.#looks = undefined
  }

  #soon(): void {
    if (this.#timer !== undefined) return
    const wait = this.#notBefore - performance.now()
    if (wait <= 0) this.#work()
    else this.#timer = setTimeout(this.#work, wait)
  }

  #work = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#shown === 0 || this.#pending.length === 0) return
    const start = performance.now()
    this.#step(SLICE)
    const end = performance.now()
    if (this.#pending.length > 0) this.#timer = setTimeout(this.#work, 0)
    else this.#notBefore = end - start > 2 ? end + (end - start) * DUTY : 0
  }

  #step(limit: number): void {
    let text = this.#pending.length === 1 ? this.#pending[0]! : this.#pending.join('')
    this.#pending = []
    if (text.length > limit) {
      // Cut after a newline, and never inside a surrogate pair.
      let cut = text.lastIndexOf('\n', limit) + 1
      if (cut <= 0) cut = limit
      if ((text.charCodeAt(cut - 1) & 0xfc00) === 0xd800) cut++
      this.#pending.push(text.slice(cut))
      text = text.slice(0, cut)
    }
    const settled = this.#splitter.push(text)
    if (settled.length > 0) this.#commit(settled)
    const tail = this.#splitter.tail
    // A long block that has not ended is drawn once all is cut, rather than anew with each slice.
    this.#tail = this.#pending.length > 0 && tail.some((block) => block.src.length > LONG_BLOCK) ? [] : tail
    this.#wait(this.#pending[0]?.length ?? 0)
    this.#share()
    this.#resolve()
  }

  #commit(blocks: Block[]): void {
    const sections: Section[] = []
    let open = this.#open.slice()
    for (const block of blocks) {
      open.push(block)
      this.#openChars += block.src.length
      if (this.#openChars >= SECTION_CHARS) {
        sections.push(parsing().section(open))
        open = []
        this.#openChars = 0
      }
    }
    if (sections.length > 0) this.#sections = [...this.#sections, ...sections]
    this.#open = open
  }
}

import { codeOf, type Block } from './MarkdownBlocks'

/**
 * Section is a run of settled blocks: the unit in which a long text is drawn or left out. It stores
 * their text once, rather than each block with the longer text it was cut from, and makes the
 * blocks again whenever it is drawn.
 */
export class Section {
  /** Its start in the text. */
  readonly id: number
  readonly chars: number
  #text: string
  readonly #starts: readonly number[]
  readonly #code: ReadonlySet<number>
  /** It begins inside a line. */
  readonly #joined: boolean

  /** blocks are consecutive without gaps; there is at least one. */
  constructor(blocks: readonly Block[]) {
    this.id = blocks[0]!.id
    this.#text = blocks.map((b) => b.src).join('')
    this.chars = this.#text.length
    this.#starts = blocks.map((b) => b.id - this.id)
    this.#joined = blocks[0]!.joined ?? false
    this.#code = new Set(blocks.flatMap((b, i) => (b.code ? [i] : [])))
  }

  get blocks(): readonly Block[] {
    return this.#starts.map((from, i) => {
      const src = this.#text.slice(from, this.#starts[i + 1])
      const code = this.#code.has(i) ? codeOf(src) : undefined
      const joined = from === 0 ? this.#joined : this.#text[from - 1] !== '\n'
      return { id: this.id + from, src, ...(code && { code }), ...(joined && { joined }) }
    })
  }

  /** share replaces its text by a slice of the whole, if they agree, so that it is stored once. */
  share(whole: string): void {
    this.#text = shared(this.#text, this.id, whole)
  }
}

/** shared returns text as a slice of whole, if whole contains it at that position. */
export function shared(text: string, at: number, whole: string): string {
  return whole.startsWith(text, at) ? whole.slice(at, at + text.length) : text
}

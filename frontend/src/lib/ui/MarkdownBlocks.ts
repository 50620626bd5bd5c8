import { normalise, parseBlocks, type References } from './MarkdownHtml'
import { MAX_LINES } from './MarkdownMath'
import { CHUNK_LINES, OpenFence, OpenSource, type Code } from './MarkdownOpen'

/**
 * A top-level block of Markdown: a paragraph, a list, a table, a code block.
 * Rendering the blocks one by one gives what rendering the whole would give.
 */
export interface Block {
  /** Its start in the text, which does not change while more text streams in. */
  readonly id: number
  readonly src: string
  /** Of a top-level code block, and of the source of one that is too long to draw. */
  readonly code?: Code
  /** It begins inside a line, whose beginning the block before it has. */
  readonly joined?: boolean
}

/** A longer block, in UTF-16 units, is shown as its source, as code is: a table of this size takes half a second to draw. */
export const MAX_DRAWN = 64 * 1024
/** An open block of this length is not parsed any more, so that what follows in it costs no more. */
const MAX_OPEN = 96 * 1024
/** A block ends in a line of this length: the browser lays out a line as a whole each time that text is added to it. */
const LONG_LINE = 32 * 1024

/**
 * BlockSplitter cuts streamed Markdown into top-level blocks. A
 * settled block is never parsed again: a push costs the added text and the last block.
 * Inside an open code fence, and in a block that is too long to draw, it costs only the added text.
 */
export class BlockSplitter {
  /** Link references of the settled blocks. */
  readonly env: References = { references: {} }
  /** Grows when a settled block defines a link reference: earlier blocks may render differently. */
  refs = 0
  #tailEnv: References = { references: {} }
  #at = 0
  #tail = ''
  /** The tail begins inside a line. */
  #joined = false
  #blocks: Block[] = []
  #heldCR = false
  #fence: OpenFence | undefined
  /** The tail, if it is a block that is too long to draw. */
  #source: OpenSource | undefined

  /** The blocks that may still change. */
  get tail(): readonly Block[] {
    return this.#blocks
  }

  /** The references that apply to the blocks of the tail. */
  get tailEnv(): References {
    return this.#tailEnv
  }

  /** push adds text and returns the blocks that it settled. */
  push(text: string): Block[] {
    if (this.#heldCR) text = '\r' + text
    this.#heldCR = text.endsWith('\r')
    if (this.#heldCR) text = text.slice(0, -1)
    if (text === '') return []
    text = normalise(text)
    this.#tail += text
    if (this.#fence) {
      if (!this.#fence.push(text)) {
        this.#blocks = [...this.#blocks.slice(0, -1), { ...this.#blocks.at(-1)!, src: this.#tail, code: this.#fence.code() }]
        return []
      }
      this.#fence = undefined
    }
    if (this.#source) {
      const end = this.#source.push(text)
      if (end === undefined) {
        this.#blocks = [{ id: this.#at, src: this.#tail, code: this.#source.code() }]
        return []
      }
      this.#source = undefined
      const source = this.#settle(this.#tail.length - text.length + end)
      return [source, ...(this.#tail ? this.#parse() : [])]
    }
    return this.#parse()
  }

  #parse(): Block[] {
    const text = this.#tail
    const env: References = { references: Object.create(this.env.references) as Record<string, unknown> }
    const lines = lineStarts(text)
    const found: { line: number; end: number; code?: Code }[] = []
    let covered = 0
    for (const t of parseBlocks(text, env)) {
      if (t.level !== 0 || t.nesting < 0 || !t.map) continue
      let line = t.map[0]
      // Definitions right above belong to the block: more text may join the two.
      while (line > covered && text.slice(lines[line - 1], lines[line]).trim() !== '') line--
      covered = t.map[1]
      const code = codeIn(t)
      found.push(code ? { line, end: t.map[1], code } : { line, end: t.map[1] })
    }
    this.#tailEnv = env
    // An incomplete line may still turn out to continue the block before it.
    const lastLine = lines.length - 1
    let open = found.length - 1
    while (open > 0 && found[open]!.line >= lastLine) open--
    // An open formula may also contain text that looks like separate blocks.
    const formula = openFormula(text, lines)
    while (open > 0 && found[open]!.line > formula) open--

    const blockAt = (i: number): Block => {
      const from = i === 0 ? 0 : lines[found[i]!.line]!
      const to = i + 1 < found.length ? lines[found[i + 1]!.line]! : text.length
      const { code } = found[i]!
      return {
        id: this.#at + from,
        src: text.slice(from, to),
        ...(code && { code }),
        ...(from === 0 && this.#joined && { joined: true }),
      }
    }
    const settled: Block[] = []
    for (let i = 0; i < open; i++) settled.push(blockAt(i))
    for (const block of settled) if (block.src.includes(']:')) this.#define(block.src)
    const rest: Block[] = []
    for (let i = Math.max(open, 0); i < found.length; i++) rest.push(blockAt(i))
    this.#blocks = rest
    if (open > 0) {
      this.#joined = false
      const cut = lines[found[open]!.line]!
      this.#at += cut
      this.#tail = text.slice(cut)
    }
    if (rest.length === 1 && rest[0]!.code) this.#fence = OpenFence.of(this.#tail)
    if (!this.#fence && this.#inLongLine()) {
      settled.push(this.#settle(cutIn(this.#tail)))
      if (this.#tail) settled.push(...this.#parse())
    } else if (!this.#fence && this.#tail.length > MAX_OPEN) settled.push(...this.#leave())
    return settled
  }

  /** Whether the tail is in a long line. In a code fence of a list or a quotation its rest would be something else. */
  #inLongLine(): boolean {
    if (this.#tail.length < LONG_LINE) return false
    const line = this.#tail.lastIndexOf('\n') + 1
    return this.#tail.length - line >= LONG_LINE && !/```|~~~/.test(this.#tail.slice(0, line))
  }

  /** Stops parsing the open blocks: they continue as source, line by line, or end where they are if they are one long line. */
  #leave(): Block[] {
    if (this.#tail.lastIndexOf('\n') < MAX_DRAWN) return [this.#settle(this.#tail.length)]
    this.#source = new OpenSource(this.#tail, MAX_OPEN)
    this.#blocks = [{ id: this.#at, src: this.#tail, code: this.#source.code() }]
    return []
  }

  /** Cuts off the first units of the tail as a settled block. No block is left in the tail. */
  #settle(chars: number): Block {
    const block = { id: this.#at, src: this.#tail.slice(0, chars), ...(this.#joined && { joined: true }) }
    this.#joined = !block.src.endsWith('\n')
    this.#at += chars
    this.#tail = this.#tail.slice(chars)
    this.#blocks = []
    return block
  }

  #define(src: string): void {
    const before = Object.keys(this.env.references).length
    parseBlocks(src, this.env)
    if (Object.keys(this.env.references).length !== before) this.refs++
  }
}

/** Where to end a block in a long line: inside a word, so that the rest is a paragraph too and no space is lost between them. */
function cutIn(text: string): number {
  for (let at = text.length - 1; at > text.length - 1000; at--) if (/^\S\p{L}/u.test(text.slice(at - 1, at + 1))) return at
  return text.length
}

/** codeOf returns the code of a settled code block. */
export function codeOf(src: string): Code | undefined {
  for (const t of parseBlocks(src, { references: {} })) {
    const code = t.level === 0 ? codeIn(t) : undefined
    if (code) return code
  }
  return undefined
}

/** Where the drawn code of a block begins in the text: behind the line of an opening fence, which is not drawn. */
export function codeStart({ id, src }: Block): number {
  const fence = /^\n* {0,3}(?:```|~~~).*\n?/.exec(src)
  return id + (fence?.[0].length ?? 0)
}

function codeIn(t: ReturnType<typeof parseBlocks>[number]): Code | undefined {
  if (t.type !== 'fence' && t.type !== 'code_block') return undefined
  return { lang: t.type === 'fence' ? t.info.trim().split(/\s+/, 1)[0]! : '', chunks: chunksOf(t.content) }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** openFormula returns the line where a displayed formula opens that later text may close; a blank line ends the search. */
function openFormula(text: string, lines: number[]): number {
  let first = Infinity
  for (let i = lines.length - 1; i >= 0 && lines.length - i <= MAX_LINES + 1; i--) {
    const line = text.slice(lines[i], lines[i + 1])
    if (/^[ \t]*\n$/.test(line)) break
    if (/^ {0,3}(?:\$\$|\\\[)/.test(line)) first = i
  }
  return first
}

/** chunksOf cuts code into pieces of some lines, so that the browser lays out only the visible ones. */
export function chunksOf(code: string): string[] {
  const chunks: string[] = []
  let from = 0
  let lines = 0
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) {
    if (++lines % CHUNK_LINES === 0) {
      chunks.push(code.slice(from, at + 1))
      from = at + 1
    }
  }
  if (from < code.length) chunks.push(code.slice(from))
  return chunks
}

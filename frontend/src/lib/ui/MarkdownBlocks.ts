import { normalise, parseBlocks, type References } from './MarkdownHtml'
import { MAX_LINES } from './MarkdownMath'

/**
 * A top-level block of Markdown: a paragraph, a list, a table, a code block.
 * Rendering the blocks one by one gives what rendering the whole would give.
 */
export interface Block {
  /** Its start in the text, which does not change while more text streams in. */
  readonly id: number
  readonly src: string
  /** A top-level code block, in chunks of lines. */
  readonly code?: { lang: string; chunks: readonly string[] }
}

export const CHUNK_LINES = 120

/** A longer block, in UTF-16 units, is shown as its source, as code is: a table of this size takes half a second to draw. */
export const MAX_DRAWN = 64 * 1024
/** An open block of this length ends where it is, so that what follows it costs no more. */
const MAX_OPEN = 96 * 1024

/**
 * BlockSplitter cuts streamed Markdown into top-level blocks. A
 * settled block is never parsed again: a push costs the added text and the last block.
 * Inside an open code fence it costs only the added text.
 */
export class BlockSplitter {
  /** Link references of the settled blocks. */
  readonly env: References = { references: {} }
  /** Grows when a settled block defines a link reference: earlier blocks may render differently. */
  refs = 0
  #tailEnv: References = { references: {} }
  #at = 0
  #tail = ''
  #blocks: Block[] = []
  #heldCR = false
  #fence: OpenFence | undefined

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
    return this.#parse()
  }

  #parse(): Block[] {
    const text = this.#tail
    const env: References = { references: Object.create(this.env.references) as Record<string, unknown> }
    const lines = lineStarts(text)
    const found: { line: number; end: number; code?: Block['code'] }[] = []
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
      const block = { id: this.#at + from, src: text.slice(from, to) }
      return found[i]!.code ? { ...block, code: found[i]!.code! } : block
    }
    const settled: Block[] = []
    for (let i = 0; i < open; i++) settled.push(blockAt(i))
    for (const block of settled) if (block.src.includes(']:')) this.#define(block.src)
    const rest: Block[] = []
    for (let i = Math.max(open, 0); i < found.length; i++) rest.push(blockAt(i))
    this.#blocks = rest
    if (open > 0) {
      const cut = lines[found[open]!.line]!
      this.#at += cut
      this.#tail = text.slice(cut)
    }
    if (rest.length === 1 && rest[0]!.code) this.#fence = OpenFence.of(this.#tail)
    if (!this.#fence && this.#tail.length > MAX_OPEN) settled.push(this.#end())
    return settled
  }

  /** Ends the open blocks after their last complete line, as one that is not drawn. */
  #end(): Block {
    let cut = this.#tail.lastIndexOf('\n') + 1
    if (cut <= MAX_DRAWN) cut = this.#tail.length
    const block = { id: this.#at, src: this.#tail.slice(0, cut) }
    const rest = this.#tail.slice(cut)
    this.#at += cut
    this.#tail = rest
    this.#blocks = rest ? [{ id: this.#at, src: rest }] : []
    return block
  }

  #define(src: string): void {
    const before = Object.keys(this.env.references).length
    parseBlocks(src, this.env)
    if (Object.keys(this.env.references).length !== before) this.refs++
  }
}

/** OpenFence follows an unclosed code fence, line by line. */
class OpenFence {
  readonly #close: RegExp
  readonly #indent: number
  readonly #lang: string
  #done: string[] = []
  #lines: string[] = []
  #partial = ''

  /** The open fence that text consists of; undefined if it is something else or closed. */
  static of(text: string): OpenFence | undefined {
    const first = /^\n*( {0,3})(`{3,}|~{3,})([^\n]*)\n/.exec(text)
    if (!first) return undefined
    const [head, indent, mark, info] = first as unknown as [string, string, string, string]
    if (mark.startsWith('`') && info.includes('`')) return undefined
    const fence = new OpenFence(mark, indent.length, info.trim().split(/\s+/, 1)[0]!)
    return fence.push(text.slice(head.length)) ? undefined : fence
  }

  private constructor(mark: string, indent: number, lang: string) {
    this.#close = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`)
    this.#indent = indent
    this.#lang = lang
  }

  /** push adds text and reports whether the fence closed in it. */
  push(text: string): boolean {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      const line = this.#partial + text.slice(from, at)
      this.#partial = ''
      from = at + 1
      if (this.#close.test(line)) return true
      this.#lines.push(this.#cut(line))
      if (this.#lines.length === CHUNK_LINES) {
        this.#done = [...this.#done, this.#lines.join('\n') + '\n']
        this.#lines = []
      }
    }
    this.#partial += text.slice(from)
    // The closing line counts without its newline, as at the end of a document.
    return this.#partial.length < 200 && this.#close.test(this.#partial)
  }

  code(): NonNullable<Block['code']> {
    const last = this.#lines.length > 0 || this.#partial !== '' ? [[...this.#lines, this.#cut(this.#partial)].join('\n')] : []
    return { lang: this.#lang, chunks: [...this.#done, ...last] }
  }

  #cut(line: string): string {
    let n = 0
    while (n < this.#indent && line[n] === ' ') n++
    return line.slice(n)
  }
}

/** codeOf returns the code of a settled code block. */
export function codeOf(src: string): Block['code'] {
  for (const t of parseBlocks(src, { references: {} })) {
    const code = t.level === 0 ? codeIn(t) : undefined
    if (code) return code
  }
  return undefined
}

function codeIn(t: ReturnType<typeof parseBlocks>[number]): Block['code'] {
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

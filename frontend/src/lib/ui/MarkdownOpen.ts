/** The lines of a chunk: the browser lays out only the chunks in view. */
export const CHUNK_LINES = 120

/** A code block, in chunks of lines. */
export interface Code {
  lang: string
  chunks: readonly string[]
}

const FENCE = /^\s*(?:(?:[-*+>]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/

/** ChunkedLines collects text line by line, as the chunks of a code block. */
class ChunkedLines {
  #done: string[] = []
  #lines: string[] = []

  add(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length < CHUNK_LINES) return
    this.#done = [...this.#done, this.#lines.join('\n') + '\n']
    this.#lines = []
  }

  /** The chunks, with a line that is not complete. */
  with(partial: string): string[] {
    const last = this.#lines.length > 0 || partial !== '' ? [[...this.#lines, partial].join('\n')] : []
    return [...this.#done, ...last]
  }
}

/** OpenFence follows an unclosed code fence, line by line. */
export class OpenFence {
  readonly #close: RegExp
  readonly #indent: number
  readonly #lang: string
  readonly #lines = new ChunkedLines()
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
      this.#lines.add(this.#cut(line))
    }
    this.#partial += text.slice(from)
    // The closing line counts without its newline, as at the end of a document.
    return this.#partial.length < 200 && this.#close.test(this.#partial)
  }

  code(): Code {
    return { lang: this.#lang, chunks: this.#lines.with(this.#cut(this.#partial)) }
  }

  #cut(line: string): string {
    let n = 0
    while (n < this.#indent && line[n] === ' ') n++
    return line.slice(n)
  }
}

/**
 * OpenSource follows a block that is too long to draw, line by line: it is shown as its source, up to
 * the next blank line, heading or code fence that is not within a fence.
 */
export class OpenSource {
  readonly #lines = new ChunkedLines()
  readonly #longest: number
  #partial = ''
  #fence = ''

  /** begin is the block so far; a line of more than longest UTF-16 units ends it. */
  constructor(begin: string, longest: number) {
    this.#longest = longest
    const lines = begin.split('\n')
    this.#partial = lines.pop()!
    for (const line of lines) this.#add(line)
  }

  /** push adds text and returns where the block ends, from the start of the text; undefined: it goes on. */
  push(text: string): number | undefined {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      const line = this.#partial + text.slice(from, at)
      if (!this.#fence && /^\s*$|^ {0,3}(?:#{1,6}\s|`{3}|~{3})/.test(line)) return at - line.length
      this.#add(line)
      this.#partial = ''
      from = at + 1
    }
    this.#partial += text.slice(from)
    return this.#partial.length > this.#longest ? text.length : undefined
  }

  code(): Code {
    return { lang: 'markdown', chunks: this.#lines.with(this.#partial) }
  }

  #add(line: string): void {
    this.#lines.add(line)
    const mark = FENCE.exec(line)?.[1]
    if (!this.#fence) this.#fence = mark ?? ''
    else if (mark?.startsWith(this.#fence) && line.trimEnd().endsWith(mark)) this.#fence = ''
  }
}

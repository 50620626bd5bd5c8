/*
 * The screen of a terminal, as far as the output of commands needs one: coloured text, overwritten
 * lines (progress bars), tabs. Pure, and text stays text: it returns runs of characters with names
 * of styles.
 */

import { TextStyle } from './screenStyle'

/** Characters with the same style. Style is a list of class names. */
export interface Run {
  text: string
  style: string
}

/**
 * A line is a list of runs while text is only appended, and an array of characters while it is
 * being overwritten.
 */
interface Line {
  runs: Run[]
  columns: number
  cells?: { chars: string[]; styles: string[] }
  /** Its drawn form; undefined after a change. */
  drawn?: readonly Run[]
}

const maxLines = 10_000
const maxColumns = 2_000
/** The limit for all lines together, in characters. */
const maxText = 4 << 20
/** The rows of the terminal that commands see (backend/tool/builtin/shell_unix.go). */
const rows = 50
/** The largest number of lines that the cursor can move up: lines above have left a real screen. */
const maxUp = 200
/** The longest kept part of an incomplete escape sequence. */
const maxRest = 4096
const tabWidth = 8

/** Control characters, and the start of a sequence. */
const special = /[\x00-\x1f\x7f-\x9f]/g
/** Non-combining characters of one column, which need no separate check. */
const simple =
  /^[\x20-\x7e\u00a1-\u02ff\u2010-\u2027\u2030-\u205e\u2500-\u27bf\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/

/** Screen takes output in pieces of any size; a sequence may be cut anywhere. */
export class Screen {
  #lines: Line[] = [blank()]
  #row = 0
  #column = 0
  /** The line where the last cleared screen begins. */
  #top = 0
  #size = 0
  readonly #look = new TextStyle()
  #style = ''
  #rest = ''
  /** A string for the terminal has begun but not ended. */
  #inString = false
  #dropped = 0

  /** The number of lines, without an empty last one. */
  get length(): number {
    const last = this.#lines.at(-1)
    return last && widthOf(last) === 0 ? this.#lines.length - 1 : this.#lines.length
  }
  /** The number of lines that were dropped. */
  get dropped(): number {
    return this.#dropped
  }
  /** The runs of a line; the same object while it does not change. */
  line(i: number): readonly Run[] {
    const line = this.#lines[i]
    if (!line) return []
    return (line.drawn ??= line.cells ? runsOf(line.cells) : line.runs.slice())
  }
  /** The text of all lines. */
  get text(): string {
    return this.#lines.map((l) => (l.cells ? l.cells.chars.join('') : l.runs.map((r) => r.text).join('')).trimEnd()).join('\n')
  }

  write(raw: string): void {
    const text = this.#rest + raw
    this.#rest = ''
    let i = this.#inString ? this.#skipString(text, 0) : 0
    while (i < text.length) {
      special.lastIndex = i
      const at = special.exec(text)?.index ?? text.length
      if (at > i) this.#put(text.slice(i, at))
      i = at
      if (i >= text.length) return
      if (text.charCodeAt(i) === 0x1b) {
        const end = this.#escape(text, i)
        if (end < 0) {
          // Incomplete. A sequence that never ends is dropped.
          if (text.length - i < maxRest) this.#rest = text.slice(i)
          return
        }
        i = end
      } else {
        this.#control(text.charCodeAt(i))
        i++
      }
    }
  }

  #control(code: number): void {
    switch (code) {
      case 0x0a:
        this.#newline()
        return
      case 0x0d:
        this.#column = 0
        return
      case 0x08:
        this.#column = Math.max(0, this.#column - 1)
        return
      case 0x09:
        this.#column = Math.min(maxColumns, (Math.floor(this.#column / tabWidth) + 1) * tabWidth)
        return
      default:
        return
    }
  }

  #newline(): void {
    this.#row++
    this.#column = 0
    if (this.#row < this.#lines.length) return
    this.#lines.push(blank())
    const left = this.#lines[this.#lines.length - maxUp]
    if (left?.cells) compact(left)
    // Rarely, so that it is cheap.
    if (this.#lines.length < maxLines * 1.2 && this.#size < maxText * 1.2) return
    let over = Math.max(0, this.#lines.length - maxLines)
    for (let i = 0; i < over; i++) this.#size -= widthOf(this.#lines[i]!)
    while (this.#size > maxText && over < this.#lines.length - 1) this.#size -= widthOf(this.#lines[over++]!)
    this.#lines = this.#lines.slice(over)
    this.#dropped += over
    this.#row -= over
    this.#top = Math.max(0, this.#top - over)
  }

  #put(text: string): void {
    const line = this.#lines[this.#row]
    if (!line || this.#column >= maxColumns) return
    if (line.cells || this.#column !== line.columns || !simple.test(text)) return this.#over(line, text)
    const part = text.length > maxColumns - line.columns ? text.slice(0, maxColumns - line.columns) : text
    const last = line.runs.at(-1)
    if (last?.style === this.#style) line.runs[line.runs.length - 1] = { text: last.text + part, style: last.style }
    else line.runs.push({ text: part, style: this.#style })
    line.drawn = undefined
    line.columns += part.length
    this.#column = line.columns
    this.#size += part.length
  }

  /** Overwrites the line, character by character. */
  #over(line: Line, text: string): void {
    const { chars, styles } = (line.cells ??= cellsOf(line))
    const before = chars.length
    for (const char of text) {
      if (this.#column >= maxColumns) break
      while (chars.length < this.#column) {
        chars.push(' ')
        styles.push('')
      }
      // A combining mark belongs to the letter before it.
      if (this.#column > 0 && /^\p{M}$/u.test(char)) {
        const letter = chars[this.#column - 1] ?? ''
        if (letter.length < 16) chars[this.#column - 1] = letter + char
      } else {
        chars[this.#column] = char
        styles[this.#column] = this.#style
        this.#column++
      }
    }
    this.#size += chars.length - before
    line.drawn = undefined
  }

  /** Handles the sequence at i; returns the index after it, or -1 if it is incomplete. */
  #escape(text: string, i: number): number {
    const kind = text.charCodeAt(i + 1)
    if (Number.isNaN(kind)) return -1
    if (kind === 0x5b) {
      let end = i + 2
      while (end < text.length && text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) < 0x40) end++
      if (end >= text.length) return -1
      if (text.charCodeAt(end) < 0x40) return end // not a sequence: it contains a control character
      this.#csi(text.slice(i + 2, Math.min(end, i + 258)), text[end]!)
      return end + 1
    }
    // ] P X ^ _: a string for the terminal, such as its title, a link, clipboard content or a picture.
    if (kind === 0x5d || kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f) {
      this.#inString = true
      return this.#skipString(text, i + 2)
    }
    if (kind >= 0x20 && kind < 0x30) return i + 2 < text.length ? i + 3 : -1
    return kind < 0x20 ? i + 1 : i + 2
  }

  /** Skips a string for the terminal up to BEL, ESC \\ or the end of the line: one that never ends takes no more than that. */
  #skipString(text: string, i: number): number {
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === 0x07) break
      if (code === 0x0a) {
        this.#inString = false
        return i
      }
      if (code !== 0x1b) continue
      if (i + 1 >= text.length) {
        this.#rest = '\x1b'
        return text.length
      }
      if (text[i + 1] === '\\') {
        i++
        break
      }
    }
    if (i >= text.length) return i
    this.#inString = false
    return i + 1
  }

  #csi(params: string, final: string): void {
    const list = params
      .replace(/^[?<=>]/, '')
      .split(/[;:]/)
      .map((p) => Number.parseInt(p, 10) || 0)
    const n = Math.max(1, list[0] ?? 0)
    switch (final) {
      case 'm':
        if (/^[?<=>]/.test(params)) return
        this.#look.set(list)
        this.#style = this.#look.classes
        return
      case 'A':
      case 'F':
        this.#row = Math.max(0, this.#lines.length - maxUp, this.#row - n)
        if (final === 'F') this.#column = 0
        return
      case 'B':
      case 'E':
        this.#row = Math.min(this.#lines.length - 1, this.#row + n)
        if (final === 'E') this.#column = 0
        return
      case 'C':
        this.#column = Math.min(maxColumns, this.#column + n)
        return
      case 'D':
        this.#column = Math.max(0, this.#column - n)
        return
      case 'G':
        this.#column = Math.min(maxColumns, n - 1)
        return
      case 'd':
        return this.#goTo(n, this.#column + 1)
      case 'H':
      case 'f':
        return this.#goTo(n, Math.max(1, list[1] ?? 0))
      case 'K':
        this.#erase(list[0] ?? 0)
        return
      case 'J':
        if ((list[0] ?? 0) === 0) {
          this.#erase(0)
          for (const line of this.#lines.splice(this.#row + 1)) this.#size -= widthOf(line)
        } else this.#clear()
        return
      default:
        return
    }
  }

  /** A cleared screen continues below, so that no output is lost. */
  #clear(): void {
    this.#row = this.#lines.length - 1
    if (widthOf(this.#lines[this.#row]!) > 0) this.#newline()
    this.#top = this.#row
    this.#column = 0
  }

  /** Moves the cursor to a place on the screen, from 1. */
  #goTo(row: number, column: number): void {
    const wanted = Math.max(this.#top, this.#lines.length - rows) + Math.min(row, rows) - 1
    this.#row = Math.min(wanted, this.#lines.length - 1)
    for (let i = this.#row; i < wanted; i++) this.#newline()
    this.#column = Math.min(maxColumns, column - 1)
  }

  #erase(how: number): void {
    const line = this.#lines[this.#row]
    if (!line || (how === 0 && !line.cells && this.#column >= line.columns)) return
    const { chars, styles } = (line.cells ??= cellsOf(line))
    const before = chars.length
    if (how === 0) {
      chars.length = Math.min(chars.length, this.#column)
      styles.length = chars.length
    } else {
      const end = how === 1 ? Math.min(this.#column + 1, chars.length) : chars.length
      chars.fill(' ', 0, end)
      styles.fill('', 0, end)
      if (how === 2) chars.length = styles.length = 0
    }
    this.#size += chars.length - before
    if (chars.length === 0) Object.assign(line, blank(), { cells: undefined })
    line.drawn = undefined
  }
}

const blank = (): Line => ({ runs: [], columns: 0 })
const widthOf = (line: Line): number => line.cells?.chars.length ?? line.columns

function cellsOf(line: Line): NonNullable<Line['cells']> {
  const chars: string[] = []
  const styles: string[] = []
  for (const run of line.runs) {
    for (const char of run.text) {
      chars.push(char)
      styles.push(run.style)
    }
  }
  return { chars, styles }
}

/** A line that the cursor can no longer reach takes less memory as runs. */
function compact(line: Line): void {
  line.runs = runsOf(line.cells!)
  line.columns = line.cells!.chars.length
  line.cells = line.drawn = undefined
}

function runsOf({ chars, styles }: NonNullable<Line['cells']>): Run[] {
  const runs: Run[] = []
  let from = 0
  for (let i = 1; i <= chars.length; i++) {
    if (i < chars.length && styles[i] === styles[from]) continue
    runs.push({ text: chars.slice(from, i).join(''), style: styles[from] ?? '' })
    from = i
  }
  return runs
}

/*
 * A terminal's screen, as far as the output of commands needs one: text with
 * colours, lines that are written over (progress bars), tabs. Pure, and text
 * stays text: what it gives are runs of characters with names of styles.
 */

/** Characters of one look. Style is a list of class names. */
export interface Run {
  text: string
  style: string
}

interface Line {
  chars: string[]
  styles: string[]
  /** What is drawn of it; undefined after a change. */
  runs?: readonly Run[]
}

const mostLines = 10_000
const mostColumns = 2_000
/** The cursor goes up so far at most: what is above has left a real screen. */
const mostUp = 200
const tabWidth = 8
const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

interface Look {
  fg: string
  bg: string
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
  strike: boolean
  reverse: boolean
}
const plainLook = (): Look => ({ fg: '', bg: '', bold: false, dim: false, italic: false, underline: false, strike: false, reverse: false })

/** Screen takes output in pieces of any size; a sequence may be cut anywhere. */
export class Screen {
  #lines: Line[] = [blank()]
  #row = 0
  #column = 0
  #look = plainLook()
  #style = ''
  #rest = ''
  #dropped = 0

  /** How many lines there are. A last one that is empty does not count. */
  get length(): number {
    const last = this.#lines.at(-1)
    return last && last.chars.length === 0 ? this.#lines.length - 1 : this.#lines.length
  }
  /** Lines that are not kept any more. */
  get dropped(): number {
    return this.#dropped
  }
  /** The runs of a line; the same object as long as it does not change. */
  line(i: number): readonly Run[] {
    const line = this.#lines[i]
    if (!line) return []
    return (line.runs ??= runsOf(line))
  }
  /** The text of all lines. */
  get text(): string {
    return this.#lines.map((l) => l.chars.join('').trimEnd()).join('\n')
  }

  write(raw: string): void {
    const text = this.#rest + raw
    this.#rest = ''
    let i = 0
    while (i < text.length) {
      const code = text.charCodeAt(i)
      if (code === 0x1b) {
        const end = this.#escape(text, i)
        if (end < 0) {
          // Not whole yet. One that never ends is dropped.
          if (text.length - i < 4096) this.#rest = text.slice(i)
          return
        }
        i = end
      } else if (code < 0x20 || code === 0x7f) {
        this.#control(code)
        i++
      } else if (code >= 0x80 && code < 0xa0) i++
      else {
        const char = String.fromCodePoint(text.codePointAt(i) ?? 0xfffd)
        this.#put(char)
        i += char.length
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
        this.#column = Math.min(mostColumns, (Math.floor(this.#column / tabWidth) + 1) * tabWidth)
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
    // Seldom, so that it is cheap.
    if (this.#lines.length < mostLines * 1.2) return
    const over = this.#lines.length - mostLines
    this.#lines = this.#lines.slice(over)
    this.#dropped += over
    this.#row -= over
  }

  #put(char: string): void {
    const line = this.#lines[this.#row]
    if (!line || this.#column >= mostColumns) return
    while (line.chars.length < this.#column) {
      line.chars.push(' ')
      line.styles.push('')
    }
    // A mark belongs to the letter before it.
    if (this.#column > 0 && /^\p{M}$/u.test(char)) {
      const before = line.chars[this.#column - 1] ?? ''
      if (before.length < 16) line.chars[this.#column - 1] = before + char
    } else {
      line.chars[this.#column] = char
      line.styles[this.#column] = this.#style
      this.#column++
    }
    line.runs = undefined
  }

  /** Takes the sequence at i; the index behind it, or -1 when it is not whole. */
  #escape(text: string, i: number): number {
    const kind = text[i + 1]
    if (kind === undefined) return -1
    if (kind === '[') {
      let end = i + 2
      while (end < text.length && /[\x20-\x3f]/.test(text[end]!)) end++
      if (end >= text.length) return -1
      this.#csi(text.slice(i + 2, end), text[end]!)
      return end + 1
    }
    if (/[\]PX^_]/.test(kind)) {
      // A string for the terminal: its title, a link, a picture. It ends with BEL or ESC \.
      for (let end = i + 2; end < text.length; end++) {
        if (text.charCodeAt(end) === 0x07) return end + 1
        if (text.charCodeAt(end) === 0x1b) {
          if (end + 1 >= text.length) return -1
          return text[end + 1] === '\\' ? end + 2 : end
        }
      }
      return -1
    }
    if (/[\x20-\x2f]/.test(kind)) return i + 2 < text.length ? i + 3 : -1
    return i + 2
  }

  #csi(params: string, final: string): void {
    const list = params.replace(/^[?<=>]/, '').split(/[;:]/).map((p) => Number.parseInt(p, 10) || 0)
    const n = Math.max(1, list[0] ?? 0)
    switch (final) {
      case 'm':
        if (!/^[?<=>]/.test(params)) this.#sgr(list)
        return
      case 'A':
      case 'F':
        this.#row = Math.max(0, this.#lines.length - mostUp, this.#row - n)
        if (final === 'F') this.#column = 0
        return
      case 'B':
      case 'E':
        this.#row = Math.min(this.#lines.length - 1, this.#row + n)
        if (final === 'E') this.#column = 0
        return
      case 'C':
        this.#column = Math.min(mostColumns, this.#column + n)
        return
      case 'D':
        this.#column = Math.max(0, this.#column - n)
        return
      case 'G':
        this.#column = Math.min(mostColumns, n - 1)
        return
      case 'K':
        this.#erase(list[0] ?? 0)
        return
      case 'J':
      case 'H':
        // A cleared screen goes on below: nothing that was printed is lost.
        if (final === 'J' && (list[0] ?? 0) === 0) {
          this.#erase(0)
          for (const line of this.#lines.splice(this.#row + 1)) line.runs = undefined
        } else if (final === 'J' && (this.#lines.at(-1)?.chars.length ?? 0) > 0) {
          this.#row = this.#lines.length - 1
          this.#newline()
        }
        return
      default:
        return
    }
  }

  #erase(how: number): void {
    const line = this.#lines[this.#row]
    if (!line) return
    if (how === 0) {
      line.chars.length = Math.min(line.chars.length, this.#column)
      line.styles.length = line.chars.length
    } else {
      const end = how === 1 ? Math.min(this.#column + 1, line.chars.length) : line.chars.length
      line.chars.fill(' ', 0, end)
      line.styles.fill('', 0, end)
      if (how === 2) line.chars.length = line.styles.length = 0
    }
    line.runs = undefined
  }

  #sgr(list: readonly number[]): void {
    const look = this.#look
    for (let i = 0; i < list.length; i++) {
      const n = list[i]!
      if (n === 0) Object.assign(look, plainLook())
      else if (n === 1) look.bold = true
      else if (n === 2) look.dim = true
      else if (n === 3) look.italic = true
      else if (n === 4) look.underline = true
      else if (n === 7) look.reverse = true
      else if (n === 9) look.strike = true
      else if (n === 22) look.bold = look.dim = false
      else if (n === 23) look.italic = false
      else if (n === 24) look.underline = false
      else if (n === 27) look.reverse = false
      else if (n === 29) look.strike = false
      else if (n >= 30 && n <= 37) look.fg = colours[n - 30]!
      else if (n >= 90 && n <= 97) look.fg = colours[n - 90]!
      else if (n === 39) look.fg = ''
      else if (n >= 40 && n <= 47) look.bg = colours[n - 40]!
      else if (n >= 100 && n <= 107) look.bg = colours[n - 100]!
      else if (n === 49) look.bg = ''
      else if (n === 38 || n === 48) {
        // Of 256 and of all colours the nearest that has a name.
        const indexed = list[i + 1] === 5
        const colour = indexed ? nameOfIndex(list[i + 2] ?? 0) : nearest(list[i + 2] ?? 0, list[i + 3] ?? 0, list[i + 4] ?? 0)
        i += indexed ? 2 : 4
        if (n === 38) look.fg = colour
        else look.bg = colour
      }
    }
    this.#style = styleOf(look)
  }
}

const blank = (): Line => ({ chars: [], styles: [] })

function styleOf(look: Look): string {
  const [fg, bg] = look.reverse ? [look.bg || 'back', look.fg || 'front'] : [look.fg, look.bg]
  const names = [fg && `fg-${fg}`, bg && `bg-${bg}`, look.bold && 'bold', look.dim && 'dim', look.italic && 'italic', look.underline && 'underline', look.strike && 'strike']
  return names.filter(Boolean).join(' ')
}

function nameOfIndex(n: number): string {
  if (n < 16) return colours[n % 8] ?? ''
  if (n > 231) return n < 240 ? 'black' : 'white'
  const m = n - 16
  return nearest(Math.floor(m / 36) * 51, (Math.floor(m / 6) % 6) * 51, (m % 6) * 51)
}

/** The name of the colour by which of its parts are strong. */
function nearest(r: number, g: number, b: number): string {
  const high = Math.max(r, g, b)
  if (high < 70) return 'black'
  const strong = (part: number) => part > high * 0.6
  return colours[(strong(r) ? 1 : 0) + (strong(g) ? 2 : 0) + (strong(b) ? 4 : 0)] ?? ''
}

function runsOf(line: Line): Run[] {
  const runs: Run[] = []
  let from = 0
  for (let i = 1; i <= line.chars.length; i++) {
    if (i < line.chars.length && line.styles[i] === line.styles[from]) continue
    runs.push({ text: line.chars.slice(from, i).join(''), style: line.styles[from] ?? '' })
    from = i
  }
  return runs
}

/*
 * How the text of a terminal looks: what its sequences for colours and faces
 * set, and the names of classes for it.
 */

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

/** TextStyle is the style of the next characters. */
export class TextStyle {
  fg = ''
  bg = ''
  bold = false
  dim = false
  italic = false
  underline = false
  strike = false
  reverse = false

  /** The names of its classes, in one string. */
  get classes(): string {
    const [fg, bg] = this.reverse ? [this.bg || 'back', this.fg || 'front'] : [this.fg, this.bg]
    const names = [
      fg && `fg-${fg}`,
      bg && `bg-${bg}`,
      this.bold && 'bold',
      this.dim && 'dim',
      this.italic && 'italic',
      this.underline && 'underline',
      this.strike && 'strike',
    ]
    return names.filter(Boolean).join(' ')
  }

  /** set changes it according to the numbers of an SGR sequence (ECMA-48, 8.3.117). */
  set(list: readonly number[]): void {
    for (let i = 0; i < list.length; i++) {
      const n = list[i]!
      if (n === 0) Object.assign(this, new TextStyle())
      else if (n === 1) this.bold = true
      else if (n === 2) this.dim = true
      else if (n === 3) this.italic = true
      else if (n === 4) this.underline = true
      else if (n === 7) this.reverse = true
      else if (n === 9) this.strike = true
      else if (n === 22) this.bold = this.dim = false
      else if (n === 23) this.italic = false
      else if (n === 24) this.underline = false
      else if (n === 27) this.reverse = false
      else if (n === 29) this.strike = false
      else if (n >= 30 && n <= 37) this.fg = colours[n - 30]!
      else if (n >= 90 && n <= 97) this.fg = colours[n - 90]!
      else if (n === 39) this.fg = ''
      else if (n >= 40 && n <= 47) this.bg = colours[n - 40]!
      else if (n >= 100 && n <= 107) this.bg = colours[n - 100]!
      else if (n === 49) this.bg = ''
      else if (n === 38 || n === 48) {
        // Of 256 and of all colours, the nearest one with a name.
        const indexed = list[i + 1] === 5
        const colour = indexed ? nameOfIndex(list[i + 2] ?? 0) : nearest(list[i + 2] ?? 0, list[i + 3] ?? 0, list[i + 4] ?? 0)
        i += indexed ? 2 : 4
        if (n === 38) this.fg = colour
        else this.bg = colour
      }
    }
  }
}

function nameOfIndex(n: number): string {
  if (n < 16) return colours[n % 8] ?? ''
  if (n > 231) return n < 240 ? 'black' : 'white'
  const m = n - 16
  return nearest(Math.floor(m / 36) * 51, (Math.floor(m / 6) % 6) * 51, (m % 6) * 51)
}

/** The name of the colour whose components are strong where these are. */
function nearest(r: number, g: number, b: number): string {
  const high = Math.max(r, g, b)
  if (high < 70) return 'black'
  const strong = (part: number) => part > high * 0.6
  return colours[(strong(r) ? 1 : 0) + (strong(g) ? 2 : 0) + (strong(b) ? 4 : 0)] ?? ''
}

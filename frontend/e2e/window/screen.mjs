// The present content of the X server's screen, read from the memory of Xvfb (its -fbdir folder,
// named by MUTSUMI_SCREEN): fast enough to look many times while a window opens, and without asking
// the program.
import fs from 'node:fs'
import path from 'node:path'

export class Screen {
  #file
  #header

  constructor(folder = process.env.MUTSUMI_SCREEN) {
    this.#file = fs.openSync(path.join(folder, 'Xvfb_screen0'), 'r')
    const head = Buffer.alloc(100)
    fs.readSync(this.#file, head, 0, 100, 0)
    // The fields of XWDFileHeader, in the order of the server's XWDFile.h.
    const field = (n) => head.readUInt32BE(n * 4)
    this.#header = { start: field(0) + field(19) * 12, width: field(4), height: field(5), bits: field(11), line: field(12) }
    if (this.#header.bits !== 32) throw new Error(`the screen has ${this.#header.bits} bits a pixel, not 32`)
  }

  /** The colours [r, g, b] on a grid of the rectangle, every step pixels. */
  look({ x = 0, y = 0, width = this.#header.width, height = this.#header.height } = {}, step = 8) {
    const { start, line } = this.#header
    const row = Buffer.alloc(width * 4)
    const out = []
    for (let dy = 0; dy < height; dy += step) {
      fs.readSync(this.#file, row, 0, row.length, start + (y + dy) * line + x * 4)
      for (let dx = 0; dx < width; dx += step) out.push([row[dx * 4 + 2], row[dx * 4 + 1], row[dx * 4]])
    }
    return out
  }

  /** Looks repeatedly; stop() ends that and returns everything that was seen. */
  record(step = 24) {
    const seen = []
    const timer = setInterval(() => seen.push(this.look({}, step)), 8)
    return {
      stop: () => {
        clearInterval(timer)
        return seen
      },
    }
  }

  close() {
    fs.closeSync(this.#file)
  }
}

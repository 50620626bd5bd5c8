// Just enough PNG to make pictures for the tests and to inspect screenshots: 8 bits per channel,
// RGB or RGBA, not interlaced.
import zlib from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A PNG of width x height; colour(x, y) gives [r, g, b]. */
export function encode(width, height, colour) {
  const raw = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) raw.set(colour(x, y), y * (width * 3 + 1) + 1 + x * 3)
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', zlib.deflateSync(raw)), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type, data) {
  const out = Buffer.alloc(data.length + 12)
  out.writeUInt32BE(data.length, 0)
  out.write(type, 4, 'latin1')
  data.copy(out, 8)
  out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length)
  return out
}

const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1
  return n >>> 0
})

function crc(bytes) {
  let c = 0xffffffff
  for (const b of bytes) c = table[(c ^ b) & 0xff] ^ (c >>> 8)
  return (c ^ 0xffffffff) >>> 0
}

/** A PNG's size and pixels: {width, height, at(x, y)} with at giving [r, g, b]. */
export function decode(png) {
  if (!png.subarray(0, 8).equals(signature)) throw new Error('this is no PNG')
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const channels = { 2: 3, 6: 4 }[png[25]]
  if (png[24] !== 8 || !channels || png[28] !== 0) throw new Error('this kind of PNG is not read here')
  const parts = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const raw = zlib.inflateSync(Buffer.concat(parts))
  const row = width * channels
  const pixels = Buffer.alloc(row * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)]
    for (let i = 0; i < row; i++) {
      const left = i >= channels ? pixels[y * row + i - channels] : 0
      const up = y > 0 ? pixels[(y - 1) * row + i] : 0
      const corner = i >= channels && y > 0 ? pixels[(y - 1) * row + i - channels] : 0
      const add = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]
      pixels[y * row + i] = raw[y * (row + 1) + 1 + i] + add
    }
  }
  return { width, height, at: (x, y) => [...pixels.subarray(y * row + x * channels, y * row + x * channels + 3)] }
}

function paeth(a, b, c) {
  const p = a + b - c
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)]
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
}

/** The number of different colours of a picture on a grid, and the share of the most frequent one. */
export function variety(picture, step = 4) {
  const count = new Map()
  let looked = 0
  for (let y = 0; y < picture.height; y += step) {
    for (let x = 0; x < picture.width; x += step) {
      const key = picture.at(x, y).join()
      count.set(key, (count.get(key) ?? 0) + 1)
      looked++
    }
  }
  return { colours: count.size, most: Math.max(...count.values()) / looked }
}

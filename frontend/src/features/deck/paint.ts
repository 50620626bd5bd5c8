/* Draws the bars of a lane on its canvas. */
import { laneRow } from './laneRow'
import { visible, type Kind, type Piece, type Span } from './lanes'
import { textOf } from './textOf'
import { t } from '$lib/language/language'

const barPx = laneRow.bar

/** The colours and the font for drawing lanes in the current theme. */
export interface Paint {
  bar: Record<Kind, string>
  text: Record<Kind, string>
  hatch: string
  dash: string
  fail: string
  font: string
  /** The number of screen pixels per CSS pixel. */
  ratio: number
}

/** The names of activities, in legend order. */
export const kindNames: Record<Kind, string> = {
  model: t`model`,
  tool: t`tool`,
  waiting: t`waiting for you`,
  report: t`report`,
  forked: t`waiting for children`,
  queued: t`queued`,
}

/** The widths of texts on bars. */
const widths = new Map<string, number>()

/** Reads the theme's colours from an element. */
function paintOf(element: Element): Paint {
  const style = getComputedStyle(element)
  widths.clear() // the font may have changed
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const bar: Record<Kind, string> = {
    model: token('deck-model'),
    tool: token('deck-tool'),
    waiting: token('deck-wait-ground'),
    report: token('deck-report'),
  }
  const inks = [token('ink-on-accent'), token('ink')]
  const text: Record<Kind, string> = { waiting: token('ink'), forked: token('ink-3'), queued: token('ink-3') }
  for (const kind of ['model', 'tool', 'report']) text[kind] = legible(inks, bar[kind]!)
  const size = element.getBoundingClientRect().width / ((element as HTMLElement).offsetWidth || 1) || 1
  return {
    bar,
    text,
    hatch: token('deck-wait'),
    dash: token('line-strong'),
    fail: token('fail'),
    font: `${token('text-xs')} ${token('font-ui')}`,
    ratio: Math.min(4, Math.max(1, devicePixelRatio * size)),
  }
}

/** Calls back with an element's paint, now and whenever the theme or fonts change; returns a function that ends this. */
export function followPaint(element: Element, take: (paint: Paint) => void): () => void {
  const read = () => take(paintOf(element))
  read()
  const theme = new MutationObserver(read)
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'style'] })
  let ended = false
  void document.fonts?.ready.then(() => ended || read())
  return () => {
    ended = true
    theme.disconnect()
  }
}

/** The text colour with the best contrast to a background, all as #rgb or #rrggbb; the first one if its contrast suffices. */
export function legible(inks: readonly string[], ground: string): string {
  const contrast = (ink: string) => {
    const [a, b] = [luminance(ink), luminance(ground)]
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
  }
  if (contrast(inks[0]!) >= 4.5) return inks[0]!
  return inks.reduce((best, ink) => (contrast(ink) > contrast(best) ? ink : best))
}

function luminance(colour: string): number {
  const hex = colour.length < 7 ? [1, 2, 3].map((i) => colour[i]!.repeat(2)) : [1, 3, 5].map((i) => colour.slice(i, i + 2))
  const [r, g, b] = hex.map((two) => {
    const c = Number.parseInt(two, 16) / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

/** A lane to draw: its pieces, and the visible part of the line. */
export interface Strip {
  pieces: readonly Piece[]
  reach: number
  spans: readonly Span[]
  left: number
  width: number
}

/** Redraws a lane. */
export function drawLane(canvas: HTMLCanvasElement, { pieces, reach, spans, left, width }: Strip, paint: Paint): void {
  const w = Math.max(1, Math.round(width * paint.ratio))
  const h = Math.round(barPx * paint.ratio)
  // Setting a canvas's size clears it, but costs more than clearing.
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h]
  const ctx = canvas.getContext('2d')
  if (!ctx) return
  ctx.setTransform(1, 0, 0, 1, 0, 0)
  ctx.clearRect(0, 0, w, h)
  ctx.setTransform(paint.ratio, 0, 0, paint.ratio, 0, 0)
  ctx.font = paint.font
  ctx.textBaseline = 'middle'
  const [from, to] = visible(pieces, reach, left, left + width)
  for (let i = from; i < to; i++) {
    const p = pieces[i]!
    // At the largest zoom, a bar of a day is longer than a canvas can draw.
    const x = Math.max(p.x - left, -16)
    const end = Math.min(p.x + p.width - left, width + 16)
    if (end <= 0) continue
    const height = barPx / p.tracks
    bar(ctx, p, x, p.track * height, end - x - (p.width > 6 ? 0.5 : 0), height - (p.tracks > 1 ? 0.5 : 0), paint)
    // Text on stripes is unreadable.
    if (p.first === p.last && p.tracks === 1 && p.kind !== 'waiting' && end - Math.max(0, x) > 26)
      words(ctx, textOf(spans[p.first]), Math.max(0, x) + 6, end - Math.max(0, x) - 10, paint.text[p.kind] ?? paint.dash)
  }
}

function bar(ctx: CanvasRenderingContext2D, p: Piece, x: number, y: number, width: number, height: number, paint: Paint): void {
  const colour = paint.bar[p.kind]
  const radius = Math.min(4, width / 3, height / 3)
  ctx.beginPath()
  if (!colour) {
    if (width < 4) return
    ctx.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, radius)
    ctx.setLineDash([3, 3])
    ctx.lineWidth = 1
    ctx.strokeStyle = paint.dash
    ctx.stroke()
    ctx.setLineDash([])
    return
  }
  if (radius < 1) ctx.rect(x, y, width, height)
  else ctx.roundRect(x, y, width, height, radius)
  ctx.fillStyle = p.kind === 'waiting' && width < 4 ? paint.hatch : colour
  ctx.fill()
  if (p.kind === 'waiting' && width >= 4) {
    ctx.save()
    ctx.clip()
    ctx.beginPath()
    // The stripes stay fixed to the line while the view moves.
    const period = 8
    for (let at = x - height + mod(-(p.x + x), period); at < x + width; at += period) {
      ctx.moveTo(at, y + height)
      ctx.lineTo(at + height, y)
    }
    ctx.lineWidth = 1.2
    ctx.strokeStyle = paint.hatch
    ctx.stroke()
    ctx.restore()
  }
  if (p.failed) {
    ctx.fillStyle = paint.fail
    ctx.fillRect(x, y + height - 3, width, 3)
  }
}

const mod = (n: number, by: number) => ((n % by) + by) % by

function words(ctx: CanvasRenderingContext2D, text: string, x: number, room: number, colour: string): void {
  const shown = cut(text, room, (t) => {
    // Only whole texts are cached: a shortened one has a different width at every zoom.
    let width = t === text ? widths.get(t) : undefined
    if (width === undefined) {
      width = ctx.measureText(t).width
      if (widths.size > 4000) widths.clear()
      if (t === text) widths.set(t, width)
    }
    return width
  })
  if (!shown) return
  ctx.fillStyle = colour
  ctx.fillText(shown, x, barPx / 2 + 0.5)
}

/**
 * As much of a text as fits, with an ellipsis; "" if too little fits. Measuring is what makes
 * drawing text slow: it starts where the end would be if all letters had the same width, and goes
 * back from there.
 */
export function cut(text: string, room: number, measure: (text: string) => number): string {
  const line = text.length > 200 ? text.slice(0, 200) : text
  const whole = line ? measure(line) : 0
  if (whole <= room) return line
  let length = Math.min(line.length - 1, Math.floor((line.length * room) / whole))
  while (length >= 2) {
    const width = measure(line.slice(0, length).trimEnd() + '…')
    if (width <= room) return line.slice(0, length).trimEnd() + '…'
    length -= Math.max(1, Math.floor(((width - room) / whole) * line.length))
  }
  return ''
}

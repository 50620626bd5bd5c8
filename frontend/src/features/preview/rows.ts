import type { preview } from '$lib/backend/backend'
import { count, plural } from '$lib/format/number'

/** Everything, or only differences from the last request. */
export type Mode = 'messages' | 'changes'

/** The row where the beginning ends that is as in the last request. */
export const cacheLine = 'cache'

type View = preview.Preview
type Message = preview.Message
type Stretch = preview.Stretch

/** A row of the preview. The head and the stretches of a message are rows of their own, so that a huge one is drawn in parts. */
export type Row =
  | { kind: 'parameters'; id: string; text: string }
  | { kind: 'tools'; id: string; message: Message; open: boolean }
  | { kind: 'head'; id: string; message: Message }
  | { kind: 'stretch'; id: string; message: Message; stretch: Stretch; last: boolean; after: string }
  | { kind: 'same'; id: string; messages: number; tokens: number }
  | { kind: 'cache'; id: string; tokens: number; brokenBy: string; inside: boolean }
  | { kind: 'removed'; id: string; stretch: Stretch; first: boolean; last: boolean }

/** The row of the tools, which open and close as one. */
export const toolsRow = 'tools'

/** rowsOf lays out a request: everything, or only differences from the last one. */
export function rowsOf(view: View, mode: Mode, toolsOpen = false): Row[] {
  const rows: Row[] =
    mode === 'messages' && view.parameters.length
      ? [{ kind: 'parameters', id: 'parameters', text: view.parameters.map((p) => `${p.name}: ${p.value}`).join('\n') }]
      : []
  const ids = new Map<string, number>()
  const unique = (id: string) => {
    const n = (ids.get(id) ?? 0) + 1
    ids.set(id, n)
    return n === 1 ? id : `${id} ${n}`
  }
  const { cache } = view
  // The place of the line: before a message, or before a stretch inside one.
  const after = cache.stretch > 0 && cache.stretch >= (view.messages[cache.message]?.stretches.length ?? 0)
  const [lineMessage, lineStretch] = after ? [cache.message + 1, 0] : [cache.message, cache.stretch]
  // A prefix of nothing, and a first request, have no line.
  const line = (inside: boolean): Row => ({ kind: 'cache', id: cacheLine, tokens: cache.tokens, brokenBy: cache.brokenBy, inside })
  const hasLine = view.request > 1
  let same: { messages: number; tokens: number } | undefined
  const flush = () => {
    if (same) rows.push({ kind: 'same', id: unique('same'), ...same })
    same = undefined
  }
  view.messages.forEach((message, m) => {
    const name = unique(`${message.role} ${message.cell ?? ''}`)
    const all = message.stretches.map((stretch, s) => ({ stretch, s }))
    const shown = mode === 'messages' ? all : all.filter(({ stretch }) => stretch.state !== 'same' && stretch.kind !== 'frame')
    const here = hasLine && lineMessage === m
    if (message.role === 'tools' && mode === 'messages') {
      const open = toolsOpen || (here && lineStretch > 0)
      if (here && lineStretch === 0) rows.push(line(false))
      rows.push({ kind: 'tools', id: toolsRow, message, open })
      all.forEach(({ stretch, s }, i) => {
        if (!open) return
        if (here && s === lineStretch && s > 0) rows.push(line(true))
        rows.push({ kind: 'stretch', id: unique(`tools ${stretch.id}`), message, stretch, last: i === all.length - 1, after: '' })
      })
      return
    }
    if (here && shown.every(({ s }) => s >= lineStretch)) {
      flush()
      rows.push(line(false))
    }
    if (shown.length === 0 && mode === 'changes') {
      same = { messages: (same?.messages ?? 0) + 1, tokens: (same?.tokens ?? 0) + message.tokens }
      return
    }
    flush()
    rows.push({ kind: 'head', id: name, message })
    let before: Extract<Row, { kind: 'stretch' }> | undefined
    shown.forEach(({ stretch, s }, i) => {
      const breaks = here && i > 0 && s >= lineStretch && shown[i - 1]!.s < lineStretch
      if (breaks) rows.push(line(true))
      // A comma between two parts needs no row of its own.
      if (before && !breaks && stretch.kind === 'frame' && /^[,\s]{0,3}$/.test(stretch.text)) {
        before.after = stretch.text.trim()
        return
      }
      before = { kind: 'stretch', id: unique(`${name} ${stretch.id}`), message, stretch, last: false, after: '' }
      rows.push(before)
    })
    if (before) before.last = true
  })
  flush()
  if (hasLine && !rows.some((r) => r.kind === 'cache')) rows.push(line(false))
  view.removed.forEach((stretch, i) =>
    rows.push({ kind: 'removed', id: unique(`removed ${stretch.id}`), stretch, first: i === 0, last: i === view.removed.length - 1 }),
  )
  return rows
}

/** The token of tokens.css that a stretch is coloured with. */
export function colourOf(kind: string): string {
  const part: Record<string, string> = {
    definition: 'tools',
    system: 'system',
    role: 'role',
    rule: 'rules',
    file: 'files',
    tool: 'results',
    image: 'images',
    prompt: 'prompt',
    frame: 'frame',
  }
  return `var(--part-${part[kind] ?? 'history'})`
}

/** The label of a message beside its role. */
export function titleOf(message: Message, sentCell: string): string {
  if (message.role === 'system')
    return message.stretches.some((s) => s.kind === 'role') ? 'identity, allowed folders, role' : 'identity, allowed folders'
  if (message.role === 'tools') return plural(message.stretches.length, 'definition')
  const cell = message.number ? `cell ${message.number}` : message.role === 'user' && (message.cell ?? '') === sentCell ? 'new prompt' : ''
  if (message.role === 'assistant') return cell ? `answer of ${cell}` : 'answer'
  if (message.role === 'tool') return [message.name ? `result of ${message.name}` : 'result', ...(cell ? [cell] : [])].join(' in ')
  return cell || 'context'
}

/** The tokens of a message, with its images. */
export function sizeOf(message: Message): string {
  const images = message.stretches.filter((s) => s.kind === 'image').length
  const about = message.stretches.some((s) => s.estimated) ? '≈ ' : ''
  return [...(images ? [plural(images, 'image')] : []), about + plural(message.tokens, 'token')].join(' · ')
}

/** The source of a part. */
export function sourceOf(stretch: Stretch, message: Message): string {
  if (stretch.place === 'calls') return `calls ${callName(stretch.text)}`
  if (stretch.place === 'reasoning') return 'reasoning'
  if (stretch.place === 'kept') return 'kept for the model'
  switch (stretch.kind) {
    case 'definition':
      return ''
    case 'system':
      return 'system prompt'
    case 'role':
      return stretch.source.endsWith('.md') ? stretch.source : `role: ${stretch.source}`
    case 'frame':
      return 'frame'
    case 'prompt':
      return message.number ? `cell ${message.number}` : 'new prompt'
    case 'history':
      return message.number ? `cell ${message.number}` : stretch.source || message.role
    case 'image':
      return stretch.source.startsWith('data:') ? 'pasted image' : decoded(stretch.source.slice(stretch.source.lastIndexOf('/') + 1))
    default:
      return stretch.source
  }
}

/** The name of the tool in the JSON of a call. */
function callName(json: string): string {
  try {
    const call = JSON.parse(json) as { name?: string; function?: { name: string } }
    return call.function?.name ?? call.name ?? 'a tool'
  } catch {
    return 'a tool' // it was cut off
  }
}

/** The definition of a tool, to be read. */
export interface Definition {
  name: string
  /** Its arguments; optional ones have a question mark. */
  args: string
  description: string
  /** The JSON schema of its arguments, laid out. */
  schema: string
}

/** definitionOf parses a definition as it is sent; undefined for a truncated one. */
export function definitionOf(json: string): Definition | undefined {
  try {
    const { function: f } = JSON.parse(json) as {
      function: { name: string; description?: string; parameters?: { properties?: Record<string, unknown>; required?: string[] } }
    }
    const required = new Set(f.parameters?.required)
    const args = Object.keys(f.parameters?.properties ?? {}).map((name) => (required.has(name) ? name : `${name}?`))
    return { name: f.name, args: args.join(', '), description: f.description ?? '', schema: JSON.stringify(f.parameters ?? {}, null, 2) }
  } catch {
    return undefined
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text) || text
  } catch {
    return text
  }
}

/** The notes on a part: its state against the last request, its tokens, and remarks. */
export function factsOf(stretch: Stretch, request: number): string[] {
  const tokens = stretch.tokens > 0 ? [plural(stretch.tokens, 'token')] : []
  const notes = stretch.note ? [stretch.note] : []
  if (request <= 1 || stretch.kind === 'frame') return [...tokens, ...notes]
  const before = `request ${count(request - 1)}`
  const joined = (state: string) => [[state, ...tokens].join(' · '), ...notes]
  if (stretch.state === 'new') return joined('new')
  if (stretch.state === 'changed') {
    const lines = stretch.added || stretch.deleted ? `, +${count(stretch.added)} −${count(stretch.deleted)}` : ''
    return [`changed since ${before}${lines}`, ...tokens, ...notes]
  }
  return joined('unchanged')
}

/** The shown text of a folded part: more of typed text, and of differences from the last request. */
export function shortOf(stretch: Stretch, request: number): { text: string; whole: boolean } {
  if (stretch.kind === 'frame') return { text: stretch.text.replace(/^\n+/, ''), whole: true }
  const news = request > 1 ? stretch.state !== 'same' : stretch.kind === 'prompt' || stretch.kind === 'system'
  return news ? beginning(stretch.text, 24, 2400) : beginning(stretch.text, 6, 700)
}

/** The beginning of a long text, limited in lines and characters; whole: nothing is left out. */
export function beginning(text: string, lines: number, chars: number): { text: string; whole: boolean } {
  let at = -1
  for (let n = 0; n < lines; n++) {
    at = text.indexOf('\n', at + 1)
    if (at < 0) break
  }
  const end = Math.min(at < 0 ? text.length : at, chars)
  // No half of a pair.
  const cut = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end
  return { text: text.slice(0, cut), whole: cut >= text.length }
}

import type { preview } from '$lib/backend/backend'
import { count, plural } from '$lib/format/number'
import { t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'
import { cacheLine, type Mode } from './preview.svelte'

type View = preview.Preview
type Message = preview.Message
type Segment = preview.Segment

/**
 * A row of the preview. The head and the segments of a message have their own rows, so that a huge message is drawn in parts.
 */
export type Row =
  | { kind: 'parameters'; id: string; text: string }
  | { kind: 'tools'; id: string; message: Message; open: boolean }
  | { kind: 'head'; id: string; message: Message }
  | { kind: 'segment'; id: string; message: Message; segment: Segment; last: boolean; after: string }
  | { kind: 'same'; id: string; messages: number; tokens: number }
  | { kind: 'cache'; id: string; tokens: number; brokenBy: string; inside: boolean }
  | { kind: 'removed'; id: string; segment: Segment; first: boolean; last: boolean }

/** The row of the tools, which open and close together. */
export const toolsRow = 'tools'

/** The part of a request that another agent gets: what follows the last answer. The rest is for models alone. */
export function ownPart(view: View): View {
  const messages = view.messages.slice(view.messages.findLastIndex((m) => m.role !== 'user') + 1)
  return {
    ...view,
    messages,
    tokens: messages.reduce((n, m) => n + m.tokens, 0),
    parameters: [],
    removed: [],
    // It has no cache of ours, and no earlier request to compare with.
    request: 1,
    window: 0,
    cost: 0,
    model: '',
  }
}

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
  // The place of the line: before a message, or before a segment inside one.
  const after = cache.segment > 0 && cache.segment >= (view.messages[cache.message]?.segments.length ?? 0)
  const [lineMessage, lineSegment] = after ? [cache.message + 1, 0] : [cache.message, cache.segment]
  // An empty prefix or a first request has no line.
  const line = (inside: boolean): Row => ({ kind: 'cache', id: cacheLine, tokens: cache.tokens, brokenBy: cache.brokenBy, inside })
  const hasLine = view.request > 1
  let same: { messages: number; tokens: number } | undefined
  const flush = () => {
    if (same) rows.push({ kind: 'same', id: unique('same'), ...same })
    same = undefined
  }
  view.messages.forEach((message, m) => {
    const name = unique(`${message.role} ${message.cell ?? ''}`)
    const all = message.segments.map((segment, s) => ({ segment, s }))
    const shown = mode === 'messages' ? all : all.filter(({ segment }) => segment.state !== 'same' && segment.kind !== 'frame')
    const here = hasLine && lineMessage === m
    if (message.role === 'tools' && mode === 'messages') {
      const open = toolsOpen || (here && lineSegment > 0)
      if (here && lineSegment === 0) rows.push(line(false))
      rows.push({ kind: 'tools', id: toolsRow, message, open })
      all.forEach(({ segment, s }, i) => {
        if (!open) return
        if (here && s === lineSegment && s > 0) rows.push(line(true))
        rows.push({ kind: 'segment', id: unique(t`tools ${segment.id}`), message, segment, last: i === all.length - 1, after: '' })
      })
      return
    }
    if (here && shown.every(({ s }) => s >= lineSegment)) {
      flush()
      rows.push(line(false))
    }
    if (shown.length === 0 && mode === 'changes') {
      same = { messages: (same?.messages ?? 0) + 1, tokens: (same?.tokens ?? 0) + message.tokens }
      return
    }
    flush()
    rows.push({ kind: 'head', id: name, message })
    let before: Extract<Row, { kind: 'segment' }> | undefined
    shown.forEach(({ segment, s }, i) => {
      const breaks = here && i > 0 && s >= lineSegment && shown[i - 1]!.s < lineSegment
      if (breaks) rows.push(line(true))
      // A comma between two parts needs no row of its own.
      if (before && !breaks && segment.kind === 'frame' && /^[,\s]{0,3}$/.test(segment.text)) {
        before.after = segment.text.trim()
        return
      }
      before = { kind: 'segment', id: unique(`${name} ${segment.id}`), message, segment, last: false, after: '' }
      rows.push(before)
    })
    if (before) before.last = true
  })
  flush()
  if (hasLine && !rows.some((r) => r.kind === 'cache')) rows.push(line(false))
  view.removed.forEach((segment, i) =>
    rows.push({ kind: 'removed', id: unique(t`removed ${segment.id}`), segment, first: i === 0, last: i === view.removed.length - 1 }),
  )
  return rows
}

/** The colour token of tokens.css for a segment. */
export function colourOf(kind: string): string {
  const part: Record<string, string> = {
    definition: 'tools',
    system: 'system',
    role: 'role',
    rule: 'rules',
    file: 'files',
    resource: 'resources',
    tool: 'results',
    image: 'images',
    document: 'documents',
    prompt: 'prompt',
    frame: 'frame',
  }
  return `var(--part-${part[kind] ?? 'history'})`
}

/** The label of a message next to its role. */
export function titleOf(message: Message, sentCell: string): string {
  if (message.role === 'system')
    return message.segments.some((s) => s.kind === 'role') ? t`identity, allowed folders, role` : t`identity, allowed folders`
  if (message.role === 'tools') return plural(message.segments.length, 'definition')
  const cell = message.number
    ? t`cell ${message.number}`
    : message.role === 'user' && (message.cell ?? '') === sentCell
      ? t`new prompt`
      : ''
  if (message.role === 'assistant') return cell ? t`answer of ${cell}` : t`answer`
  if (message.role === 'tool') {
    const result = message.name ? t`result of ${message.name}` : t`result`
    return cell ? t`${result} in ${cell}` : result
  }
  return cell || t`context`
}

/** The tokens of a message, including its images and documents. */
export function sizeOf(message: Message): string {
  const [images, documents] = ['image', 'document'].map((kind) => message.segments.filter((s) => s.kind === kind).length) as [
    number,
    number,
  ]
  const about = message.segments.some((s) => s.estimated) ? '≈ ' : ''
  return [images && plural(images, 'image'), documents && plural(documents, 'document'), about + plural(message.tokens, 'token')]
    .filter(Boolean)
    .join(' · ')
}

/** The source of a part. */
export function sourceOf(segment: Segment, message: Message): string {
  if (segment.place === 'calls') return t`calls ${callName(segment.text)}`
  if (segment.place === 'reasoning') return t`reasoning`
  if (segment.place === 'kept') return t`kept for the model`
  switch (segment.kind) {
    case 'definition':
      return ''
    case 'system':
      return t`system prompt`
    case 'role':
      return segment.source.endsWith('.md') ? segment.source : t`role: ${segment.source}`
    case 'frame':
      return t`frame`
    case 'prompt':
      return message.number ? t`cell ${message.number}` : t`new prompt`
    case 'history':
      return message.number ? t`cell ${message.number}` : segment.source || message.role
    case 'image':
    case 'document':
      return segment.source.startsWith('data:')
        ? t`pasted ${segment.kind}`
        : decoded(segment.source.slice(segment.source.lastIndexOf('/') + 1))
    default:
      return segment.source
  }
}

/** The name of the tool in a call's JSON. */
function callName(json: string): string {
  try {
    const call = JSON.parse(json) as { name?: string; function?: { name: string } }
    return call.function?.name ?? call.name ?? t`a tool`
  } catch {
    return t`a tool` // the JSON was cut off
  }
}

/** The definition of a tool in readable form. */
export interface Definition {
  name: string
  /** Its arguments; optional ones have a question mark. */
  args: string
  description: string
  /** The formatted JSON schema of its arguments. */
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

/** The notes on a part: its state compared with the last request, its tokens, and remarks. */
export function factsOf(segment: Segment, request: number): string[] {
  const tokens = segment.tokens > 0 ? [plural(segment.tokens, 'token')] : []
  const notes = segment.note ? [ofProgram(segment.note)] : []
  if (request <= 1 || segment.kind === 'frame') return [...tokens, ...notes]
  const before = t`request ${count(request - 1)}`
  const joined = (state: string) => [[state, ...tokens].join(' · '), ...notes]
  if (segment.state === 'new') return joined(t`new`)
  if (segment.state === 'changed') {
    const lines = segment.added || segment.deleted ? `, +${count(segment.added)} −${count(segment.deleted)}` : ''
    return [t`changed since ${before}${lines}`, ...tokens, ...notes]
  }
  return joined(t`unchanged`)
}

/** The text to show of a folded part: more for typed text and for differences from the last request. */
export function shortOf(segment: Segment, request: number): { text: string; whole: boolean } {
  if (segment.kind === 'frame') return { text: segment.text.replace(/^\n+/, ''), whole: true }
  const news = request > 1 ? segment.state !== 'same' : segment.kind === 'prompt' || segment.kind === 'system'
  return news ? beginning(segment.text, 24, 2400) : beginning(segment.text, 6, 700)
}

/** The beginning of a long text, limited in lines and characters; whole says that nothing was left out. */
export function beginning(text: string, lines: number, chars: number): { text: string; whole: boolean } {
  let at = -1
  for (let n = 0; n < lines; n++) {
    at = text.indexOf('\n', at + 1)
    if (at < 0) break
  }
  const end = Math.min(at < 0 ? text.length : at, chars)
  // Do not split a surrogate pair.
  const cut = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end
  return { text: text.slice(0, cut), whole: cut >= text.length }
}

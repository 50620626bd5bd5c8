import type { MarkdownIt, Token } from 'markdown-it'

/*
 * Footnotes: [^label] in a sentence, and [^label]: text below it. Blocks are drawn separately, so a
 * note stays where it was written, under its label in the text. Mark and note link to each other by
 * two special forms, footnote:LABEL and footnote-back:LABEL, which Markdown.svelte follows inside
 * one text. No element gets an id, so that two answers never share one.
 */

const forth = 'footnote:'
const back = 'footnote-back:'

const mark = /^\[\^([^\]\s]{1,40})\]/
const explained = /^\[\^([^\]\s]{1,40})\]:(?=[ \t]+\S)/

/**
 * The labels that a text explains are stored among its references, under keys that no link reference has: those are in upper case.
 */
const keyOf = (label: string) => ['footnote', label.toLowerCase()].join(' ')

interface NoteEnv {
  references?: Record<string, unknown>
  /** More text may follow: a mark without a note is drawn as a mark. */
  open?: boolean
}

/** A link from a mark to its note, or back. */
export interface NoteLink {
  label: string
  /** Its target: the note, or its first mark. */
  to: 'note' | 'mark'
}

/** noteOf parses the link of a mark or a note; undefined for any other link. */
export function noteOf(href: string): NoteLink | undefined {
  const to = href.startsWith(forth) ? 'note' : href.startsWith(back) ? 'mark' : undefined
  if (!to) return undefined
  try {
    return { label: decodeURIComponent(href.slice((to === 'note' ? forth : back).length)), to }
  } catch {
    return undefined
  }
}

/** The link at the target of a link. */
export const counterpart = ({ label, to }: NoteLink): string => (to === 'note' ? back : forth) + encodeURIComponent(label)

/** positionOf returns the target position of a footnote link in a normalised text, or -1. */
export function positionOf(text: string, { label, to }: NoteLink): number {
  for (const found of text.matchAll(/\[\^([^\]\s]{1,40})\](:?)/g)) {
    if (found[1]!.toLowerCase() !== label) continue
    const above = text.slice(text.lastIndexOf('\n', found.index) + 1, found.index)
    const isNote = found[2] === ':' && /^[ \t>]*$/.test(above)
    if (isNote === (to === 'note')) return found.index
  }
  return -1
}

/** footnotes is a markdown-it plugin. */
export function footnotes(md: MarkdownIt): void {
  const escape = md.utils.escapeHtml
  const link = (scheme: string, label: string, name: string) =>
    `<a class="${name}" href="${escape(scheme + encodeURIComponent(label.toLowerCase()))}">${escape(label)}</a>`

  md.inline.ruler.before('link', 'footnote', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== 0x5b || state.src.charCodeAt(state.pos + 1) !== 0x5e) return false
    const found = mark.exec(state.src.slice(state.pos, state.pos + 44))
    if (!found) return false
    const label = found[1]!
    const env = state.env as NoteEnv
    const has = env.references !== undefined && keyOf(label) in env.references
    if (!has && !env.open) return false
    if (!silent) {
      const token = state.push('footnote', '', 0)
      token.content = label
      token.meta = { linked: has }
    }
    state.pos += found[0].length
    return true
  })
  md.renderer.rules.footnote = (tokens, i) => {
    const { content, meta } = tokens[i]!
    return `<sup>${(meta as { linked: boolean }).linked ? link(forth, content, 'footnote-mark') : escape(content)}</sup>`
  }
  md.renderer.rules.footnote_label = (tokens, i) => `<sup>${link(back, tokens[i]!.content, 'footnote-back')}</sup> `

  // Before references: [^1]: word would be one and disappear.
  md.block.ruler.before(
    'reference',
    'footnote_text',
    (state, start, end, silent) => {
      if (state.sCount[start]! - state.blkIndent >= 4) return false
      const from = state.bMarks[start]! + state.tShift[start]!
      const found = explained.exec(state.src.slice(from, Math.min(state.eMarks[start]!, from + 60)))
      if (!found) return false
      if (silent) return true
      const label = found[1]!
      const env = state.env as NoteEnv
      env.references ??= {}
      env.references[keyOf(label)] ??= { href: '', title: '' }

      const open = state.push('footnote_open', 'div', 1)
      open.attrSet('class', 'footnote')
      open.meta = { label }
      const lines: [number, number] = [start, start]
      open.map = lines
      // The rest of the line and the indented lines below form the note, as in a list item.
      const [bMark, tShift, sCount, indent, parent] = [
        state.bMarks[start]!,
        state.tShift[start]!,
        state.sCount[start]!,
        state.blkIndent,
        state.parentType,
      ]
      const textAt = from + found[0].length
      const first = textAt + /^[ \t]*/.exec(state.src.slice(textAt, state.eMarks[start]!))![0].length
      state.bMarks[start] = textAt
      state.tShift[start] = first - textAt
      state.blkIndent += 4
      state.sCount[start] = state.blkIndent
      state.parentType = 'reference'
      state.md.block.tokenize(state, start, end)
      state.bMarks[start] = bMark
      state.tShift[start] = tShift
      state.sCount[start] = sCount
      state.blkIndent = indent
      state.parentType = parent
      lines[1] = state.line
      state.push('footnote_close', 'div', -1)
      return true
    },
    { alt: ['paragraph', 'reference'] },
  )

  // The label is in the note's first line.
  md.core.ruler.after('inline', 'footnote_labels', (state) => {
    const tokens: Token[] = []
    state.tokens.forEach((token, i) => {
      tokens.push(token)
      if (token.type !== 'footnote_open') return
      const label = new state.Token('footnote_label', '', 0)
      label.content = (token.meta as { label: string }).label
      const text = state.tokens[i + 2]
      if (state.tokens[i + 1]?.type === 'paragraph_open' && text?.type === 'inline') text.children = [label, ...(text.children ?? [])]
      else tokens.push(label)
    })
    state.tokens = tokens
  })
}

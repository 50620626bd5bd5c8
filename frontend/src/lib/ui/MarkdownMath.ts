import type { MarkdownIt } from 'markdown-it'
import { count } from '$lib/format/number'
import { t } from '$lib/language/language'

/*
 * $..$, $$..$$, \(..\) and \[..\] for markdown-it. The TeX goes into <span class="math">, which
 * MarkdownEnhance draws when it comes into view. As in TeX, a formula never spans a blank line, so
 * later text cannot turn finished paragraphs into a formula.
 */

/** The most lines of a displayed formula and characters of an inline one: longer ones are text. */
export const MAX_LINES = 200
const MAX_INLINE = 2000
/** A longer formula is shown as source: drawing takes more than linear time. */
const MAX_TEX = 2000

export function math(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'math', (state, silent) => {
    const src = state.src
    const at = state.pos
    const c = src.charCodeAt(at)
    if (c === 92 /* \ */) {
      const open = src[at + 1]
      if (open !== '(' && open !== '[') return false
      return close(open === '(' ? '\\)' : '\\]', at + 2, open === '[')
    }
    if (c !== 36 /* $ */) return false
    if (src[at + 1] === '$') return close('$$', at + 2, true)
    // A dollar sign is money unless it touches the formula: "$5 and $6" is text.
    const first = src[at + 1]
    if (first === undefined || /\s/.test(first)) return false
    const limit = Math.min(src.length, at + MAX_INLINE)
    for (let i = at + 1; i < limit; i++) {
      const d = src.charCodeAt(i)
      if (d === 92) i++
      else if (d === 36) {
        if (/\s/.test(src[i - 1]!) || /[0-9A-Za-z]/.test(src[i + 1] ?? '')) return false
        return push(src.slice(at + 1, i), i + 1, false)
      }
    }
    return false

    function close(mark: string, from: number, display: boolean): boolean {
      const end = src.slice(from, from + MAX_INLINE).indexOf(mark)
      if (end <= 0) return false
      return push(src.slice(from, from + end), from + end + mark.length, display)
    }
    function push(tex: string, to: number, display: boolean): boolean {
      if (tex.trim() === '') return false
      if (!silent) {
        const token = state.push('math', 'span', 0)
        token.content = tex
        token.meta = { display }
      }
      state.pos = to
      return true
    }
  })

  md.block.ruler.before(
    'fence',
    'math_block',
    (state, startLine, endLine, silent) => {
      const start = state.bMarks[startLine]! + state.tShift[startLine]!
      if (state.sCount[startLine]! - state.blkIndent >= 4) return false
      const open = state.src.slice(start, start + 2)
      if (open !== '$$' && open !== '\\[') return false
      const mark = open === '$$' ? '$$' : '\\]'
      const lines: string[] = []
      const last = Math.min(endLine, startLine + MAX_LINES)
      for (let line = startLine; line < last; line++) {
        const from = line === startLine ? start + 2 : state.bMarks[line]! + Math.min(state.tShift[line]!, state.blkIndent)
        const text = state.src.slice(from, state.eMarks[line]).trimEnd()
        if (line > startLine && (state.isEmpty(line) || state.sCount[line]! < state.blkIndent)) return false
        if (text.endsWith(mark) && (line > startLine || text.length >= mark.length)) {
          lines.push(text.slice(0, -mark.length))
          const tex = lines.join('\n').trim()
          if (tex === '' || tex.includes(mark)) return false
          if (silent) return true
          const token = state.push('math_block', 'div', 0)
          token.block = true
          token.content = tex
          token.map = [startLine, line + 1]
          state.line = line + 1
          return true
        }
        if (line === startLine && text.includes(mark)) return false
        lines.push(text)
      }
      return false
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  )

  const escape = md.utils.escapeHtml
  md.renderer.rules.math = (tokens, i) => {
    const t = tokens[i]!
    const display = (t.meta as { display: boolean }).display
    return `<span class="math${display ? ' math-display' : ''}">${escape(t.content)}</span>`
  }
  md.renderer.rules.math_block = (tokens, i) => {
    const { content } = tokens[i]!
    if (content.length <= MAX_TEX) return `<div class="math math-display">${escape(content)}</div>\n`
    return `<div class="as-source"><span class="as-source-note">${t`A formula of ${count(content.length)} characters, shown as its source:`}</span> <code>${escape(content)}</code></div>\n`
  }
}

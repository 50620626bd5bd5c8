import type { MarkdownIt } from 'markdown-it'

/*
 * Extensions that models write: footnotes, and the few tags that only
 * format a word. Every other tag is text.
 */

const tag = /^<(?:(\/?)(kbd|sub|sup)|br ?\/?)>/
/** A footnote's mark, and the line that explains it. */
const mark = /^\[\^([^\]\s]{1,40})\]/
const explained = /^\[\^([^\]\s]{1,40})\]:[ \t]+(?=\S)/

/** extras is a plugin of markdown-it. */
export function extras(md: MarkdownIt): void {
  md.inline.ruler.before('html_inline', 'set_apart', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== 0x3c) return false
    const found = tag.exec(state.src.slice(state.pos, state.pos + 8))
    if (!found) return false
    if (!silent) state.push('set_apart', '', 0).content = found[2] ? `<${found[1]!}${found[2]}>` : '<br>'
    state.pos += found[0].length
    return true
  })
  md.renderer.rules.set_apart = (tokens, i) => tokens[i]!.content

  md.inline.ruler.before('link', 'footnote', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== 0x5b || state.src.charCodeAt(state.pos + 1) !== 0x5e) return false
    const found = mark.exec(state.src.slice(state.pos, state.pos + 44))
    if (!found) return false
    if (!silent) state.push('footnote', '', 0).content = found[1]!
    state.pos += found[0].length
    return true
  })
  md.renderer.rules.footnote = (tokens, i) => `<sup>${md.utils.escapeHtml(tokens[i]!.content)}</sup>`

  // Before references: [^1]: word would be one, and be gone.
  md.block.ruler.before(
    'reference',
    'footnote_text',
    (state, start, end, silent) => {
      const lineAt = (n: number) => state.src.slice((state.bMarks[n] ?? 0) + (state.tShift[n] ?? 0), state.eMarks[n])
      const found = explained.exec(lineAt(start))
      if (!found || (state.sCount[start] ?? 0) - state.blkIndent >= 4) return false
      if (silent) return true
      let next = start + 1
      while (next < end && lineAt(next).trim() !== '' && !explained.test(lineAt(next))) next++
      const open = state.push('paragraph_open', 'p', 1)
      open.attrSet('class', 'footnote')
      open.map = [start, next]
      const inline = state.push('inline', '', 0)
      inline.content = `[^${found[1]!}] ${state.getLines(start, next, state.blkIndent, false).trim().slice(found[0].length)}`
      inline.map = [start, next]
      inline.children = []
      state.push('paragraph_close', 'p', -1)
      state.line = next
      return true
    },
    { alt: ['paragraph', 'reference'] },
  )
}

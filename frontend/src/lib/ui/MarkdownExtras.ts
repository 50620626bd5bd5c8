import type { MarkdownIt } from 'markdown-it'

/* The few tags that only format a word, which models write. Any other tag is text. */

const tag = /^<(?:(\/?)(kbd|sub|sup)|br ?\/?)>/

/** extras is a markdown-it plugin. */
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
}

import type { MarkdownIt } from 'markdown-it'
import { t } from '$lib/language/language'

/*
 * GitHub's alerts: a quote at top level whose first line is [!NOTE], or one of the
 * four other kinds. Their colours and icons are in markdown.css.
 */

const kinds = { note: t`Note`, tip: t`Tip`, important: t`Important`, warning: t`Warning`, caution: t`Caution` }
const head = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i

/** alerts is a markdown-it plugin. */
export function alerts(md: MarkdownIt): void {
  // Before paragraphs are parsed: the line that names the kind is not text.
  md.core.ruler.after('block', 'alerts', (state) => {
    const { tokens } = state
    for (let i = tokens.length - 3; i >= 0; i--) {
      const quote = tokens[i]!
      const text = tokens[i + 2]!
      if (quote.type !== 'blockquote_open' || quote.level !== 0 || tokens[i + 1]!.type !== 'paragraph_open' || text.type !== 'inline')
        continue
      const found = head.exec(text.content)
      if (!found) continue
      const rest = text.content.slice(found[0].length)
      // A quote with only the kind stays a quote, as on GitHub.
      if (rest === '' && tokens[i + 4]?.type === 'blockquote_close') continue
      const kind = found[1]!.toLowerCase() as keyof typeof kinds
      let close = i + 3
      while (tokens[close]!.type !== 'blockquote_close' || tokens[close]!.level !== 0) close++
      quote.tag = tokens[close]!.tag = 'div'
      quote.attrSet('class', `alert alert-${kind}`)
      const title = new state.Token('alert_title', '', 0)
      title.content = kinds[kind]
      text.content = rest
      tokens.splice(i + 1, rest === '' ? 3 : 0, title)
    }
  })
  md.renderer.rules.alert_title = (tokens, i) => `<p class="alert-title">${tokens[i]!.content}</p>\n`
}

import { count } from '$lib/format/number'
import DOMPurify, { type Config } from 'dompurify'
import MarkdownIt, { type Env, type Token } from 'markdown-it'
import emphasisBesideCjk from 'markdown-it-cjk-friendly'
import tasks from 'markdown-it-task-lists'
import { bareAddresses } from './MarkdownAddresses'
import { alerts } from './MarkdownAlerts'
import { direction } from './MarkdownDirection'
import { extras } from './MarkdownExtras'
import { files, pathOfLink } from './MarkdownFiles'
import { footnotes, noteOf } from './MarkdownFootnotes'
import { math } from './MarkdownMath'
import { isUnbroken, proseHTML, visibleHTML } from './visible'
import { t } from '$lib/language/language'

/*
 * Converts Markdown to HTML that is safe to show, whatever the Markdown contains: raw HTML is text,
 * only known elements and attributes pass, links lead only to http, https, mail and files of the
 * folder, and nothing is ever loaded from elsewhere.
 */

/** References ([label]: url) of the document so far, shared by its blocks. */
export interface References {
  references: Record<string, unknown>
  /** More text may follow. */
  open?: boolean
}

const md = new MarkdownIt({ html: false, linkify: true, typographer: false })
bareAddresses(md.linkify)
md.use(tasks, { enabled: false, label: true })
md.use(math)
md.use(extras)
md.use(footnotes)
md.use(alerts)
md.use(direction)
// Emphasis ends behind Chinese, Japanese and Korean punctuation too: CommonMark alone shows the stars of **注意：**请.
md.use(emphasisBesideCjk)

// Alignment as an attribute, because style is not allowed.
for (const rule of ['th_open', 'td_open'] as const) {
  md.renderer.rules[rule] = (tokens, i, options, _env, self) => {
    const token = tokens[i]!
    const style = String(token.attrGet('style') ?? '')
    if (style) {
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
      token.attrSet('align', style.replace('text-align:', ''))
    }
    return self.renderToken(tokens, i, options)
  }
}
md.renderer.rules.table_open = (tokens, i, _options, _env, self) => `<div class="table"${self.renderAttrs(tokens[i]!)}><table>\n`
md.renderer.rules.table_close = () => '</table></div>\n'

/** A longer paragraph, heading or table cell is shown as source: scanning it for markup takes more than linear time. */
const MAX_INLINE = 10_000
md.core.ruler.before('inline', 'long_text', (state) => {
  for (const token of state.tokens) if (token.type === 'inline' && token.content.length > MAX_INLINE) token.type = 'long_text'
})
md.renderer.rules.long_text = (tokens, i) => {
  const { content } = tokens[i]!
  const length = count(content.length)
  return `<span class="as-source-note">${t`${length} characters without a break, shown as they were written:`}</span> <span class="unbroken">${proseHTML(md.utils.escapeHtml(content))}</span>`
}
md.core.ruler.after('inline', 'unbroken', (state) => {
  for (const token of state.tokens) {
    if (token.type !== 'inline' || !isUnbroken(token.content)) continue
    const open = new state.Token('span_open', 'span', 1)
    open.attrSet('class', 'unbroken')
    token.children = [open, ...(token.children ?? []), new state.Token('span_close', 'span', -1)]
  }
})

// Characters that reverse the order of others are shown by number; in code, all invisible ones.
const plain = { text: md.renderer.rules.text!, code_inline: md.renderer.rules.code_inline!, code_block: md.renderer.rules.code_block! }
md.renderer.rules.text = (...args) => proseHTML(plain.text(...args))
for (const rule of ['code_inline', 'code_block'] as const) md.renderer.rules[rule] = (...args) => visibleHTML(plain[rule](...args))

md.use(files)

const config: Config = {
  ALLOWED_TAGS: [
    'p',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'ul',
    'ol',
    'li',
    'blockquote',
    'pre',
    'code',
    'em',
    'strong',
    's',
    'a',
    'hr',
    'br',
    'div',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
    'input',
    'label',
    'span',
    'kbd',
    'sub',
    'sup',
  ],
  ALLOWED_ATTR: ['href', 'class', 'align', 'start', 'type', 'checked', 'disabled', 'dir', 'lang'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|folder:|footnote(?:-back)?:)/i,
  // These hold words, not addresses.
  ADD_URI_SAFE_ATTR: ['align', 'start', 'type', 'checked', 'disabled', 'dir', 'lang'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: false,
  IN_PLACE: true,
}

const classes =
  /^(?:language-[\w+#.-]+|task-list-item(?:-checkbox)?|contains-task-list|math(?:-display)?|table|image-link|image-file|file-link|footnote(?:-mark|-back)?|alert(?:-title|-note|-tip|-important|-warning|-caution)?|as-source(?:-note)?|unseen|unbroken)$/

let purify: ReturnType<typeof DOMPurify> | undefined

function purifier(): ReturnType<typeof DOMPurify> {
  if (purify) return purify
  purify = DOMPurify(window)
  purify.addHook('afterSanitizeAttributes', (node) => {
    const names = node.getAttribute('class')
    if (names !== null) {
      const kept = names.split(/\s+/).filter((name) => classes.test(name))
      if (kept.length > 0) node.setAttribute('class', kept.join(' '))
      else node.removeAttribute('class')
    }
    if (node.tagName === 'INPUT') {
      if (node.getAttribute('type') !== 'checkbox') node.remove()
      else node.setAttribute('disabled', '')
    }
    if (node.tagName === 'A' && node.hasAttribute('href')) {
      node.setAttribute('rel', 'noopener noreferrer')
      // Its target is shown before it is followed.
      const href = node.getAttribute('href') ?? ''
      const note = noteOf(href)
      if (note) node.setAttribute('aria-label', note.to === 'note' ? t`Footnote ${note.label}` : t`Back to footnote mark ${note.label}`)
      else node.setAttribute('data-tip', pathOfLink(href) ?? href)
    }
  })
  return purify
}

/**
 * Nothing loads or runs in it, because it is never displayed. One for all, since WebKit keeps a document long after its last
 * use.
 */
let inert: Document | undefined

/** sanitise keeps only what the allowlist above names. */
export function sanitise(html: string): string {
  inert ??= document.implementation.createHTMLDocument('')
  const root = inert.createElement('div')
  root.innerHTML = html
  purifier().sanitize(root, config)
  return root.innerHTML
}

/** normalise converts newlines and NUL to the form that parseBlocks and toHTML expect. */
export function normalise(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/\0/g, '\uFFFD')
}

/** parseBlocks returns the block tokens of text, with inline content unparsed; it adds references to env. */
export function parseBlocks(text: string, env: References): Token[] {
  const tokens: Token[] = []
  md.block.parse(text, md, env as unknown as Env, tokens)
  return tokens
}

/** toHTML renders Markdown to safe HTML. */
export function toHTML(text: string, env: References = { references: {} }): string {
  return sanitise(md.render(text, env as unknown as Env))
}

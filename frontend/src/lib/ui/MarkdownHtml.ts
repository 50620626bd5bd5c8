import DOMPurify, { type Config } from 'dompurify'
import MarkdownIt, { type Env, type Token } from 'markdown-it'
import tasks from 'markdown-it-task-lists'
import { math } from './MarkdownMath'

/*
 * Markdown to HTML that is safe to show, whatever the Markdown holds: raw HTML
 * is text, only known elements and attributes come through, links lead to http,
 * https and mail only, and nothing is ever loaded from elsewhere.
 */

/** References ([label]: url) of the document so far, shared by its blocks. */
export interface References { references: Record<string, unknown> }

const md = new MarkdownIt({ html: false, linkify: true, typographer: false })
// "README.md" and "main.go" are files, not hosts.
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
md.use(tasks, { enabled: false, label: true })
md.use(math)

// Alignment as an attribute: style is not let through.
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
md.renderer.rules.table_open = () => '<div class="table"><table>\n'
md.renderer.rules.table_close = () => '</table></div>\n'

// An image of an answer is a link that says what it shows: it is never loaded by itself.
md.renderer.rules.image = (tokens, i, options, env, self) => {
  const token = tokens[i]!
  const escape = md.utils.escapeHtml
  const src = String(token.attrGet('src') ?? '')
  const alt = self.renderInlineAsText(token.children ?? [], options, env).trim() || 'image'
  const inLink = tokens.slice(0, i).reduce((n, t) => n + (t.type === 'link_open' ? 1 : t.type === 'link_close' ? -1 : 0), 0) > 0
  if (inLink || !/^https?:/i.test(src)) return `<span class="image-link">${escape(alt)}</span>`
  return `<a class="image-link" href="${escape(src)}" title="${escape(src)}">${escape(alt)}</a>`
}

const config: Config = {
  ALLOWED_TAGS: [
    'p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em', 'strong', 's', 'a',
    'hr', 'br', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'input', 'label', 'span',
  ],
  ALLOWED_ATTR: ['href', 'title', 'class', 'align', 'start', 'type', 'checked', 'disabled'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  // These hold words, not addresses.
  ADD_URI_SAFE_ATTR: ['align', 'start', 'type', 'checked', 'disabled'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: false,
  IN_PLACE: true,
}

const classes = /^(?:language-[\w+#.-]+|task-list-item(?:-checkbox)?|contains-task-list|math(?:-display)?|table|image-link)$/

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
      node.setAttribute('title', node.getAttribute('href') ?? '')
    }
  })
  return purify
}

/** Nothing loads or runs in it: it is on no screen. One for all, since WebKit keeps a document for long after its last use. */
let inert: Document | undefined

/** sanitise lets through what the allowlist above names, and nothing else. */
export function sanitise(html: string): string {
  inert ??= document.implementation.createHTMLDocument('')
  const root = inert.createElement('div')
  root.innerHTML = html
  purifier().sanitize(root, config)
  return root.innerHTML
}

/** normalise gives line ends and NUL the form that the parser expects; parseBlocks and toHTML want it. */
export function normalise(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/\0/g, '\uFFFD')
}

/** parseBlocks gives the block tokens of text, inline content unparsed; references found go into env. */
export function parseBlocks(text: string, env: References): Token[] {
  const tokens: Token[] = []
  md.block.parse(text, md, env as unknown as Env, tokens)
  return tokens
}

/** toHTML renders Markdown to safe HTML. */
export function toHTML(text: string, env: References = { references: {} }): string {
  return sanitise(md.render(text, env as unknown as Env))
}

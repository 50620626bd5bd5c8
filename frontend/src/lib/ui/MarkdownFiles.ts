import type { MarkdownIt } from 'markdown-it'
import { t } from '$lib/language/language'

/*
 * Links, pictures and paths in code that name a file of the folder become links of a special form,
 * folder:PATH. The page never follows one: the component that shows the text opens the file, if its
 * agent may read it.
 */

export const folderScheme = 'folder:'

/** A longer target is not a path that somebody wrote. */
const MAX_PATH = 300

const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/
/** A line, a line and its column or the last line, or lines from one to another. */
const place = String.raw`(?::\d+){1,2}|:\d+-\d+`
/**
 * Names that people give to files without an ending, as `Makefile` and `LICENSE`. No scheme ends in "file" after other letters, and
 * none is one of the words, whether in capitals or not: `NEWS` is left out, because `news` is a scheme.
 */
const bare = String.raw`[A-Za-z][A-Za-z0-9-]+file|AUTHORS|BUILD|CHANGELOG|CHANGES|CODEOWNERS|CONTRIBUTING|CONTRIBUTORS|COPYING|HISTORY|INSTALL|Kbuild|Kconfig|LICEN[CS]E|MAINTAINERS|NOTICE|OWNERS|PATENTS|README|SConscript|SConstruct|TODO|VERSION|WORKSPACE|configure|gradlew|mvnw`
/** What is no scheme and its content, but a file and lines in it. */
const lines = new RegExp(`^(?:[^:]+\\.\\w+|${bare})(?:${place})$`)

/** A link's target as the path of a file, with lines in the form of a reference; undefined for any other target. */
export function filePath(target: string): string | undefined {
  if (target === '' || target.length > MAX_PATH || /^(?:\/\/|[#?\\])/.test(target)) return undefined
  if (scheme.test(target) && !lines.test(target)) return undefined
  const [, path = '', first, last] = /^([^#]*)(?:#L(\d+)(?:-L?(\d+))?|#.*)?$/.exec(target) ?? []
  let plain: string
  try {
    plain = decodeURIComponent(path)
  } catch {
    plain = path
  }
  if (plain === '' || /[\u0000-\u001f[\]{}]/.test(plain)) return undefined
  return atLines(`${plain}${first ? `:${first}` : ''}${last ? `:${last}` : ''}`)
}

/** A path with lines as a reference has them. Compilers write a line and a column: a second number below the first is one. */
const atLines = (path: string): string =>
  path.replace(/:(\d+)[:-](\d+)$/, (_, first: string, last: string) => (Number(last) < Number(first) ? `:${first}` : `:${first}:${last}`))

/** The path in a link of this form; undefined for any other link. */
export function pathOfLink(href: string): string | undefined {
  if (!href.startsWith(folderScheme)) return undefined
  try {
    return decodeURIComponent(href.slice(folderScheme.length))
  } catch {
    return undefined
  }
}

const hrefOf = (path: string) => folderScheme + encodeURIComponent(path)

/** Endings that identify a word in code as a file, even without a folder before it. */
const known = new RegExp(
  String.raw`\.(?:c|cc|cpp|cs|css|csv|go|h|html|java|json|kt|md|mjs|mtm|php|py|rb|rs|scss|sh|sql|svelte|toml|ts|tsx|txt|ya?ml)(?:${place})?$`,
)
const pathlike = new RegExp(
  String.raw`^(?:\.{0,2}\/)?(?:[\p{L}\p{N}_.@+\-]+\/)*[\p{L}\p{N}_.@+\-]+\.[A-Za-z][A-Za-z0-9]{0,7}(?:${place})?$`,
  'u',
)

/** Whether a piece of code is the path of a file, with or without lines. */
export const looksLikeFile = (code: string): boolean =>
  code.length <= MAX_PATH && pathlike.test(code) && (code.includes('/') || known.test(code))

/** files is a markdown-it plugin. */
export function files(md: MarkdownIt): void {
  const escape = md.utils.escapeHtml
  const { code_inline: code } = md.renderer.rules
  md.renderer.rules.link_open = (tokens, i, options, _env, self) => {
    const token = tokens[i]!
    const path = filePath(String(token.attrGet('href') ?? ''))
    if (path !== undefined) token.attrSet('href', hrefOf(path))
    return self.renderToken(tokens, i, options)
  }
  md.renderer.rules.code_inline = (tokens, i, options, env, self) => {
    const html = code!(tokens, i, options, env, self)
    const { content } = tokens[i]!
    if (!looksLikeFile(content) || inLink(tokens, i)) return html
    return `<a class="file-link" href="${escape(hrefOf(atLines(content)))}">${html}</a>`
  }
  // An image in an answer is a link with its description: one from elsewhere is never loaded, and
  // the component that shows the text draws one of the folder.
  md.renderer.rules.image = (tokens, i, options, env, self) => {
    const token = tokens[i]!
    const src = String(token.attrGet('src') ?? '')
    const alt = self.renderInlineAsText(token.children ?? [], options, env).trim() || t`image`
    const path = filePath(src)
    if (inLink(tokens, i)) return `<span class="image-link">${escape(alt)}</span>`
    if (path !== undefined) return `<a class="image-link image-file" href="${escape(hrefOf(path))}">${escape(alt)}</a>`
    if (!/^https?:/i.test(src)) return `<span class="image-link">${escape(alt)}</span>`
    return `<a class="image-link" href="${escape(src)}">${escape(alt)}</a>`
  }
}

function inLink(tokens: readonly { type: string }[], i: number): boolean {
  let depth = 0
  for (let n = 0; n < i; n++) depth += tokens[n]!.type === 'link_open' ? 1 : tokens[n]!.type === 'link_close' ? -1 : 0
  return depth > 0
}

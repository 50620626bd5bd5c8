/*
 * Coloured code by lines, each one an element, so that line numbers are beside them even if a line
 * wraps.
 */

/** linesOf splits HTML of spans and text at newlines; a span that crosses one is closed and reopened. */
export function linesOf(html: string): string[] {
  const lines: string[] = []
  const open: string[] = []
  let line = ''
  for (const [piece] of html.matchAll(/<[^>]*>|\n|[^<\n]+/g)) {
    if (piece === '\n') {
      lines.push(line + '</span>'.repeat(open.length))
      line = open.join('')
      continue
    }
    if (piece.startsWith('</')) open.pop()
    else if (piece.startsWith('<')) open.push(piece)
    line += piece
  }
  // A newline at the end of the code does not begin a line.
  if (!html.endsWith('\n')) lines.push(line + '</span>'.repeat(open.length))
  return lines
}

/** numbered wraps each line of HTML in an element that markdown.css numbers. */
export const numbered = (html: string): string =>
  linesOf(html)
    .map((line) => `<span class="numbered">${line}\n</span>`)
    .join('')

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** htmlOfText escapes text as HTML. */
export const htmlOfText = (text: string): string => text.replace(/[&<>]/g, (c) => entities[c]!)

/** File extensions by the language of a fence, for languages whose name differs from it. */
const endings: Record<string, string> = {
  bash: 'sh',
  shell: 'sh',
  console: 'sh',
  zsh: 'sh',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  javascript: 'js',
  typescript: 'ts',
  golang: 'go',
  csharp: 'cs',
  'c#': 'cs',
  'c++': 'cpp',
  kotlin: 'kt',
  markdown: 'md',
  makefile: 'mk',
  powershell: 'ps1',
  dockerfile: 'dockerfile',
  latex: 'tex',
  mermaid: 'mmd',
  plaintext: 'txt',
  text: 'txt',
}

/** fileNameFor returns the suggested name for saving code of a language: never a path, and nothing that a system runs by itself. */
export function fileNameFor(lang: string): string {
  const lower = lang.toLowerCase()
  const ending = Object.hasOwn(endings, lower) ? endings[lower]! : /^[a-z][a-z0-9]{0,7}$/.test(lower) ? lower : 'txt'
  return `code.${/^(?:exe|com|bat|cmd|scr|pif|msi|lnk|url|desktop|app|hta|vbs|vbe|jse|wsf|reg|jar)$/.test(ending) ? 'txt' : ending}`
}

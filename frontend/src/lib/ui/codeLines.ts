/*
 * Coloured code in lines, each an element of its own: numbers of lines stand
 * beside them also where a line is wrapped.
 */

/** linesOf cuts HTML of spans and text at its line ends; a span that reaches over one is closed and opened again. */
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
  // The line end at the end of code begins no line.
  if (!html.endsWith('\n')) lines.push(line + '</span>'.repeat(open.length))
  return lines
}

/** numbered puts each line of HTML into an element that markdown.css gives its number. */
export const numbered = (html: string): string =>
  linesOf(html)
    .map((line) => `<span class="numbered">${line}\n</span>`)
    .join('')

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** htmlOfText is text as HTML. */
export const htmlOfText = (text: string): string => text.replace(/[&<>]/g, (c) => entities[c]!)

/** The ending of a file by the language that a fence names; a language that has another name than its files. */
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

/** fileNameFor is the name that is offered for saving code of a language: never a path, and nothing that a system starts by itself. */
export function fileNameFor(lang: string): string {
  const lower = lang.toLowerCase()
  const ending = Object.hasOwn(endings, lower) ? endings[lower]! : /^[a-z][a-z0-9]{0,7}$/.test(lower) ? lower : 'txt'
  return `code.${/^(?:exe|com|bat|cmd|scr|pif|msi|lnk|url|desktop|app|hta|vbs|vbe|jse|wsf|reg|jar)$/.test(ending) ? 'txt' : ending}`
}
